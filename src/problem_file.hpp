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

#include "expression.hpp"
#include "expression_jacobian.hpp"
#include "expression_program.hpp"

#include <ensue/output/event_watch.hpp>
#include <ensue/registry.hpp>
#include <ensue/system.hpp>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
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

/// [output] may ask for so many points.
inline constexpr double most_points = 1e8;

/// What [solver] says; what it does not is not there.
struct solver_settings {
  std::optional<std::string> method;
  std::optional<double> step, rtol, min_step, max_step;
  std::vector<double> atol;  ///< empty, one for all, or one a component
  std::optional<std::int64_t> max_evaluations;
  bool compensated = false;
  bool consistent = false;  ///< a start that solves the algebraic equations is found
};

/// What [output] says; what it does not is not there.
struct output_settings {
  std::optional<std::int64_t> points;  ///< so many, evenly spaced, both ends included
  std::optional<double> every;
  std::vector<std::string> plot;  ///< names; empty: all
};

/// An event as it is written.
struct event_entry {
  std::string name;
  crossing direction = crossing::any;
  bool stops = false;
  entry when;
  std::vector<entry> sets;
};

/// f(t, x, dx) of a problem file. Of second order x = (q, v) and dx = (v, a). Each copy has registers of its own.
class expression_system {
 public:
  /// `algebraic` says of each equation whether it is one without a derivative; empty: none is.
  expression_system(expression::program derivatives, force_of force, std::vector<bool> algebraic = {});
  /// A built-in model in the place of expressions, of which `none` is a program.
  expression_system(system_function model, const expression::program& none, std::size_t size);

  std::size_t size() const { return positions_ + (built_in_ ? positions_ : evaluator_.size()); }
  force_of force() const { return force_; }
  const std::optional<system_function>& built_in() const { return built_in_; }
  void operator()(double t, std::span<const double> x, std::span<double> dx) {
    if (built_in_) return void((*built_in_)(t, x, dx));
    evaluator_.run(t, x.data(), dx.data() + positions_);
    if (positions_ > 0) std::copy_n(x.data() + positions_, positions_, dx.data());
  }
  void acceleration(double t, std::span<const double> q, std::span<const double> v, std::span<double> a);
  const expression::program& program() const { return evaluator_.code(); }

  /// Where equations have no derivative: ones on the diagonal for the others.
  bool offers_mass_matrix() const { return !algebraic_.empty(); }
  template <class Matrix> void mass_matrix(Matrix& m) const {
    for (std::size_t i = 0; i < algebraic_.size(); ++i)
      if (!algebraic_[i]) m(i, i) = 1;
  }

 private:
  expression::evaluator<double> evaluator_;
  std::size_t positions_;  ///< of second order, half of the state; otherwise 0
  force_of force_;
  std::vector<double> joined_ = {};  ///< positions and velocities, where they come apart
  std::optional<system_function> built_in_ = {};
  std::vector<bool> algebraic_ = {};
};

/// Numbers that belong to a time and a state: invariants, an exact solution, what an event looks at.
class expression_values {
 public:
  using function = std::function<void(std::span<const double> x, std::span<double> values)>;
  expression_values(expression::program values, std::vector<std::string> names);
  /// Those of a built-in model, likewise.
  expression_values(function values, const expression::program& none, std::vector<std::string> names);

  std::span<const std::string> names() const { return names_; }
  std::size_t size() const { return names_.size(); }
  void evaluate(double t, std::span<const double> x);
  double operator[](std::size_t i) const { return values_[i]; }  ///< of the last evaluation

 private:
  expression::evaluator<double> evaluator_;
  std::vector<std::string> names_;
  std::vector<double> values_;
  function built_in_ = {};
};

struct scene;

/// Something that happens where a function of time and state crosses zero: it sets components (all from the state before the
/// change), ends the run, does both in this order, or is only recorded.
struct file_event {
  std::string name;
  crossing direction;
  bool stops;
  expression_values function;     ///< one value: what crosses zero
  std::vector<std::size_t> sets;  ///< components that it changes, indices into the state
  expression_values changes;      ///< what it sets them to
};

/// A problem ready to be solved.
struct file_problem {
  std::string title;
  double from = 0;
  std::optional<double> to;
  bool second_order = false;
  std::vector<std::string> names;  ///< of the state's components; of second order x, y, x', y'
  std::vector<double> start;
  expression_system system;
  expression::dependence uses;  ///< what the derivatives, or accelerations, change with
  expression_values invariants;
  expression_values exact;                    ///< of the components of `exact_components`, in this order
  std::vector<std::size_t> exact_components;  ///< indices into `names`
  std::vector<file_event> events;
  solver_settings solver;
  output_settings output;
  std::shared_ptr<const expression_source> equations;  ///< of `system`; none of a built-in model
  std::shared_ptr<const ensue::scene> scene = nullptr;        ///< a built-in model

  /// ∂f/∂x and ∂f/∂t, exactly; made now. Of equations. Throws std::length_error where they would be too large.
  expression_jacobian jacobian() const { return expression_jacobian(*equations); }

  /// dI/dt of the invariants along the motion; made now. Of equations. Throws likewise.
  expression_values rates() const { return expression_values(rates_of_invariants(*equations), {invariants.names().begin(), invariants.names().end()}); }
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
