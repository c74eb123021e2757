/// The problem that a problem file (problem_file.hpp) is about, ready to be solved: numbers, and functions of a time and a state.
///
///     file_problem problem = …;                          // made by `problem_file::make`
///     problem.system(t, x, dx);                          // f, without allocation
///     problem.invariants.evaluate(t, x), problem.invariants[0]
#pragma once

#include "expressions/expression_jacobian.hpp"
#include "expressions/expression_program.hpp"

#include <ensue/output/event_watch.hpp>
#include <ensue/registry.hpp>
#include <ensue/model/system.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ensue {

/// A run may be output at so many points, whoever asks for them.
inline constexpr double most_points = 1e9;

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

}  // namespace ensue
