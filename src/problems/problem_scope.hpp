/// What names mean while a problem is made of a file: a tree is bound to them once and then computed for each element of a
/// family.
///
///     const auto force = scope.bind(entry.value, {"i"});
///     for (double i = 1; i <= n; ++i) scope.insert(force, {i});
///
/// What an expression asks for in vain is thrown as an `expression::fault` at its place in the expression.
#pragma once

#include "problems/problem_elements.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ensue {

/// Offsets of faults that are not at a place inside an expression, but with the whole of a line's value, or with its key.
inline constexpr std::size_t at_value = static_cast<std::size_t>(-1), at_key = at_value - 1;

/// A tree with the meanings of its names.
struct bound_expression {
  struct meaning {
    enum class form : std::uint8_t { node, index, element, sum } what = form::node;
    expression::graph::id node = 0;
    std::size_t index = 0;                    ///< which of the indices
    const element_table* elements = nullptr;  ///< of an element's family
    const expression::tree::name* name = nullptr;
    std::vector<bound_expression> parts = {};
  };
  const expression::tree* tree = nullptr;
  std::vector<meaning> names = {};
};

class problem_scope {
 public:
  using id = expression::graph::id;
  using index_names = std::vector<std::string_view>;
  using index_values = std::vector<double>;

  expression::graph graph;
  std::unordered_map<std::string, id> single;
  std::unordered_map<std::string, element_table> families;

  /// Every name of the tree means something: that was checked when the file was read.
  bound_expression bind(const expression::tree& tree, index_names& indices) const;

  /// A value of parameters and indices only.
  double number(const bound_expression& what, index_values& indices);

  /// The same, which has to be whole: an index of what is called so, at a place for the complaint.
  std::int64_t whole_number(const bound_expression& what, index_values& indices, std::size_t offset,
                            std::string_view called);

  id insert(const bound_expression& what, index_values& indices);

  /// Counts what will be done, so that it is refused before it is begun. (Sums are counted as they are computed.)
  void reserve_work(std::size_t times, const expression::tree& tree, bool inserted);

 private:
  /// No file of a stranger's is to take longer than about a second. Computing is so much cheaper than inserting.
  static constexpr std::size_t most_operations = 4'000'000, cheaper = 3;

  /// Counts `times` trees of so many nodes, and throws where that is too much.
  static void count_work(std::size_t& counted, std::size_t times, std::size_t nodes, bool inserted, std::size_t offset);
  id element(const bound_expression::meaning& what, index_values& indices);
  template <class Term> void each_term(const bound_expression::meaning& sum, index_values& indices, bool inserted,
                                       Term term);

  std::size_t work_ = 0, reserved_ = 0;
  std::vector<double> values_;  ///< of the trees that are being computed, one behind the other
};

}  // namespace ensue
