/// Expressions of problem files, from text to a graph; expression_program.hpp makes a program of it.
///
///     const auto parsed = expression::parse("-k/m*x - c*x'");   // a tree, or a fault: where, found what, expected what
///     expression::graph graph;                                  // shared by all expressions of a problem
///     const auto k = graph.constant(40), x = graph.input(1, expression::dependence::state), …;
///     const auto force = graph.insert(parsed.tree, {k, m, x, c, v});   // ids for parsed.tree.names, in their order
///     graph[force].uses                                         // time? state? velocity?
///
/// The names of a tree are also its elements u[i-1] and its sums over an index: what these mean is said by whoever inserts it.
/// Input is not trusted: depth and size are limited, functions are a fixed list, and nothing here recurses over a tree.
#pragma once

#include "expressions/expression_operations.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ensue::expression {

inline constexpr int most_nesting = 200;                 ///< parentheses, calls and exponents inside each other
inline constexpr std::size_t most_nodes = 200'000;       ///< of one expression
inline constexpr std::size_t most_in_graph = 4'000'000;  ///< of all expressions of a problem

/// What a node's value is: the tree is typed, so that `if(x, 1, 2)` and `1 + (x < y)` are errors, not surprises.
enum class kind : std::uint8_t { number, condition };

/// A parsed expression. Operands come before what uses them, the root is the last node. Names are not looked up yet, so one
/// tree can be inserted into a graph under different meanings of its names.
struct tree {
  struct node {
    operation what;
    std::uint32_t a = 0, b = 0, c = 0;  ///< operands; a of a variable: which name
    double value = 0;                   ///< of a constant
  };
  struct name {
    enum class form : std::uint8_t { plain, element, sum };
    std::string text;    ///< `x`, or `x'` for a velocity; of an element its family's; of a sum its index
    std::size_t offset;  ///< of its first use, in bytes from the start of the expression
    form what = form::plain;
    std::vector<tree> parts = {};  ///< of an element: its indices; of a sum: first, last, terms
  };
  std::vector<node> nodes;
  std::vector<name> names;
};

/// What is wrong with a text, and where.
struct fault {
  std::size_t offset;  ///< in bytes from the start of the expression
  std::string what;    ///< "found `)`, expected a number, a name or `(`"
};

struct parsed {
  expression::tree tree;
  std::optional<expression::fault> fault;
};

/// Text to tree: + - * / ^ (right to left, before unary minus: -x^2 is -(x^2)), comparisons, if(c, a, b), the functions and
/// constants of the command's contract.
parsed parse(std::string_view text);

/// An index of what a line of a file is about: a range i=1..N, or one number.
struct index_range {
  std::string name;  ///< empty: one number, `first`
  tree first, last;
};

/// What a line with indices is about: "u[i=1..N, j=0]".
struct subject {
  std::string name;
  std::vector<index_range> indices;
  std::optional<expression::fault> fault;
};
subject parse_subject(std::string_view text);

/// A tree of one number.
tree number(double value);

/// What a name means before a problem gives names of its own: "the constant 2.718…", "time", "a function"; empty if nothing.
std::string_view reserved_meaning(std::string_view name);

bool is_name(std::string_view text);  ///< a letter or _, then letters, digits, _

/// One of the functions that an expression may call. `min`, `max` and `hypot` take two or more arguments.
struct function {
  std::string_view name;
  operation what;
  int fewest, most;
};
std::span<const function> functions();

/// The candidate that `name` may have been meant to be, or empty: a transposition, a letter missing, wrong or too many. Among
/// more than `most_candidates` it does not look.
inline constexpr std::size_t most_candidates = 2000;
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// ", did you mean `sigma`?", or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// What a value changes with; flags.
enum class dependence : std::uint8_t { nothing = 0, time = 1, state = 2, velocity = 4 };
constexpr dependence operator|(dependence a, dependence b) {
  return static_cast<dependence>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool uses(dependence what, dependence flag) {
  return (static_cast<std::uint8_t>(what) & static_cast<std::uint8_t>(flag)) != 0;
}

/// All expressions of a problem as one graph: what is equal is there once, constants are folded, operands have smaller ids
/// than what uses them. Folding changes no value but the last bit of small whole powers, which become products.
class graph {
 public:
  using id = std::uint32_t;
  struct node {
    operation what;
    dependence uses;
    id a, b, c;    ///< operands; a of a variable: the input's slot
    double value;  ///< of a constant
  };

  id constant(double value);
  id input(std::uint32_t slot, dependence uses);
  id apply(operation what, id a, id b = 0, id c = 0);

  /// The root of a tree whose names mean these nodes.
  id insert(const tree& from, std::span<const id> meanings);

  const node& operator[](id i) const { return nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_constant(id i) const { return nodes_[i].what == operation::constant; }

 private:
  static std::size_t hash(const node& n);
  static bool same(const node& m, const node& n);
  id merge(const node& n);
  std::optional<id> simplified(operation what, id a, id b, id c);
  id whole_power(id base, int exponent);

  void grow_table();

  std::vector<node> nodes_;
  std::vector<id> table_;  ///< by hash, at most half full; of 4 bytes a place, where a map takes fifty
};

}  // namespace ensue::expression
