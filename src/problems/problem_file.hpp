/// Problem files (TOML): a problem written down by somebody who does not write C++.
///
///     auto reading = ensue::read_problem_file("lorenz.toml");
///     for (const auto& error : reading.errors) std::puts(error.text("lorenz.toml").c_str());   // all of them at once
///     auto made = reading.file->make({{"rho", 24.0}});   // numbers for parameters and initial values
///     made.problem->system(t, x, dx);                    // f, without allocation
///
/// The file is kept as trees and turned into programs by `make`, because parameters become constants there, and with them the
/// number of elements of a family: one reading serves a sweep over parameters.
///
///     [state]                                   components u[1] … u[N], in the order of the file; v[1,1], v[1,2], … of two
///     "u[i=1..N]" = "sin(pi*i/(N + 1))"         a line for all elements, for some of them, or for one: "u[3]"
///     [boundary]
///     "u[0]" = "sin(t)"                         what equations find beyond; an expression of everything
///     [derivative]
///     "u[i=1..N]" = "u[i-1] - u[i] + sum(k=1..N, u[k])/N"
///
/// An equation without a derivative stands in [algebraic], under the name of the component that it is solved for:
///
///     [algebraic]
///     y6 = "Ks*y1*y4 - y6"                      0 = Ks*y1*y4 − y6
///
/// Bounds and indices are whole numbers made of parameters and indices. The velocity of u[i] is u[i]'. A definition may use
/// those of its own elements that stand on an earlier line or have an earlier index. Input is not trusted: sizes and nesting are limited, nothing but the file itself is read
/// (and a mesh that it names).
///
/// A file may name a built-in model in the place of equations (scene.hpp):
///
///     model = "cloth"
///     [cloth]
///     across = 20
#pragma once

#include "expressions/expression.hpp"
#include "problems/file_problem.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ensue {

inline constexpr std::size_t most_bytes_of_problem_file = 4u << 20;

/// Line and column count from 1. What concerns a file as a whole is at its start.
struct place {
  std::uint32_t line = 1, column = 1;
  friend auto operator<=>(const place&, const place&) = default;
};

class toml_document;
struct toml_value;

/// One thing wrong with a file.
struct problem_error {
  place where;
  std::string what;  ///< what was found, and what was expected

  /// "lorenz.toml:7:12: unknown name `sigm`, did you mean `sigma`?"
  std::string text(std::string_view file) const;
};

void sort_by_place(std::vector<problem_error>& errors);

/// A value of the file under its name: a number, or an expression in quotes. With indices it stands for a family of values, of
/// which there are as many as the parameters say.
struct entry {
  std::string name;  ///< without indices
  place where;       ///< of the value
  expression::tree value;
  std::vector<expression::index_range> indices = {};
  const toml_value* source = nullptr;  ///< in the file's document
};

/// The families of a problem may have so many elements altogether: components, boundary values and definitions.
inline constexpr std::size_t most_elements = 1'000'000;

/// An event as it is written.
struct event_entry {
  std::string name;
  crossing direction = crossing::any;
  bool stops = false;
  entry when;
  std::vector<entry> sets;
};

/// The table of a built-in model as it is written: lists of lists of numbers, or a word.
struct scene_entry {
  std::string key;
  place where;
  std::vector<std::vector<entry>> rows = {};
  std::string text = {};
};
struct scene_entries {
  std::string model;
  place where;
  std::vector<scene_entry> values = {};
};

/// A file that was read: names known, expressions parsed, definitions in an order in which they can be computed.
class problem_file {
 public:
  struct made {
    std::optional<file_problem> problem;  ///< there if nothing was wrong
    std::vector<problem_error> errors;    ///< numbers that are not finite, or out of range; elements that are not there
    std::vector<std::string> unknown;     ///< names of `values` that the file has no number for, each with a hint
  };

  /// The problem with these numbers in the place of the file's, for parameters and initial values.
  made make(const std::map<std::string, double>& values = {}) const;

  std::string title;
  bool second_order = false;
  std::optional<entry> from, to;
  std::vector<entry> parameters;   ///< in the order of the file
  std::vector<entry> definitions;  ///< and boundary values, each after those that it uses
  std::vector<entry> start;        ///< initial values, of second order positions
  std::vector<entry> velocities;   ///< their initial values, named x'; of second order
  std::vector<entry> derivatives;  ///< or accelerations
  std::vector<entry> algebraic;    ///< what is zero, for components without a derivative
  std::vector<entry> invariants;
  std::vector<entry> exact;
  std::vector<event_entry> events;
  std::optional<std::string> method;
  bool compensated = false, consistent = false;
  std::vector<entry> settings;                    ///< the numbers of [solver]: step, rtol, …
  std::vector<entry> atol;                        ///< one for all, named "", or one a component
  std::vector<entry> output;                      ///< the numbers of [output]: points, every
  std::vector<const toml_value*> plot;            ///< the names of [output]
  std::optional<scene_entries> scene;             ///< in the place of equations
  std::string folder;                             ///< of the file, for others that it names
  std::shared_ptr<const toml_document> document;  ///< that the entries' sources belong to
};

struct problem_reading {
  std::optional<problem_file> file;  ///< there if nothing was wrong
  std::vector<problem_error> errors;
};

/// Reads and checks a file; it is not read at all if it is larger than `most_bytes_of_problem_file`.
problem_reading read_problem_file(const std::string& path);

/// The same for a text.
problem_reading read_problem(std::string_view text);

}  // namespace ensue
