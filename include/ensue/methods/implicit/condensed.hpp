/// Implicit Euler steps for particles in space, in the form of "Large steps in cloth simulation": a linear system in 3×3 blocks for the change
/// of velocities, solved by conjugate gradients.
///
///     auto run = ensue::solve(cloth, x0, {0, 10}, ensue::condensed_linearly_implicit_euler{}, {.step = 1. / 60});
///
/// x' = v, M v' = f(t, x, v) makes the unknowns of a step Δx = h(v + Δv) and
///
///     (M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f + h (∂f/∂x) v)
///
/// D. Baraff & A. Witkin (1998), "Large steps in cloth simulation", SIGGRAPH 98, (6): half of the unknowns of (I/h − f')Δx = f and, of forces
/// that have a potential, a symmetric matrix. It is what linearly-implicit-euler does with such a model. Where the force varies in time,
/// f is taken at the end of the step. Constrained particles are those of the model, by their filter (linear/filter.hpp).
///
/// `condensed_backward_euler` solves M(v₁ − v) = h f(t₁, x + h v₁, v₁) by Newton's method, with matrices of the same form.
///
/// Matrices with exact derivatives are tried first; where conjugate gradients find a direction of negative stiffness, those that are definite
/// take their place (force_blocks.hpp), as long as the run goes on, but for a look every so often.
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/condensed_matrix.hpp>
#include <ensue/linear/crew.hpp>
#include <ensue/linear/krylov.hpp>
#include <ensue/linear/parted_product.hpp>
#include <ensue/outcome.hpp>
#include <ensue/methods/second_order/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace ensue {

/// When iterations are over.
struct condensed_settings {
  double linear = 1e-8;       ///< conjugate gradients: where the residual is this part of the right-hand side
  double nonlinear = 1e-5;    ///< Newton: where M(v₁ − v) − h f is this part of what the first linear system was made of
  int most_iterations = 30;   ///< of Newton's
  unsigned threads = 1;       ///< 0: as many as the machine has. The answer is the same, bit for bit, for any number
};

template <class Method, state State> class condensed_stepper : public second_order_memory<State, 1, end_acceleration::next_step> {
  using memory = second_order_memory<State, 1, end_acceleration::next_step>;
  static_assert(std::is_same_v<element_of<State>, double>, "ensue: condensed steps are for one trajectory of doubles");

 public:
  using typename memory::half;
  using typename memory::storage;

  static constexpr system_needed needs = system_needed::acceleration;
  static constexpr bool divides_evenly = true;
  static constexpr bool solves_linear_systems = true;
  static constexpr int dense_order = 1;
  static constexpr const char* name() { return Method::name; }
  static constexpr int order() { return 1; }
  /// At least; an attempt of Newton's method itself keeps within the budget.
  static constexpr std::int64_t evaluations_of_attempt() { return Method::iterates ? 2 : 1; }
  void keep_within(std::int64_t most_evaluations) { most_evaluations_ = most_evaluations; }

  condensed_stepper(const Method& method, const storage& like)
      : memory(like),
        settings_(method),
        filter_(this->size() / 3),
        preconditioner_(this->size() / 3),
        gradients_(this->size()),
        hands_(method.threads),
        right_(this->size()),
        change_(this->size()),
        force_(this->size()),
        between_(like) {}
  template <class F> void fit(const F& f) {
    static_assert(has_force_blocks<F>, "ensue: a condensed step needs a model of particles with masses and force blocks (force_blocks.hpp)");
    matrix_.fit(f);
    product_ = linear::parted_product<double>(matrix_.matrix());
  }
  void restart() {
    memory::restart();
    constraints_known_ = false;
    failure_ = outcome::finished;
    bad_ = report::nowhere;
  }

  /// One step from (t, x) to t_new with length h, into the candidate. Needs the acceleration at (t, x). Returns whether f was defined and the
  /// equations were solved.
  template <class F> bool attempt(F& f, double t, double t_new, double h, const storage& x, bool, run_statistics<std::int64_t>& spent) {
    failure_ = outcome::finished;
    bad_ = report::nowhere;
    if (!constraints_known_) know_constraints(f);
    if constexpr (Method::iterates) return step_in_parts(f, t, t_new, h, x, spent);
    else return step_linearly(f, t_new, h, x, spent);
  }

  outcome failure() const { return failure_; }
  std::int64_t bad_component(int which) const { return bad_ != report::nowhere ? bad_ : memory::bad_component(which); }
  const linear::krylov_result& last_solve() const { return last_solve_; }
  bool definite() const { return steps_definite_ > 0; }  ///< the derivatives that the last system was made of
  std::size_t bytes() const {
    const std::size_t halves = right_.size() + change_.size() + force_.size() + 2 * this->a_.size() + 3 * 2 * this->size();
    return matrix_.bytes() + product_.bytes() + preconditioner_.bytes() + gradients_.bytes() + halves * sizeof(double);
  }

  using dense_memory = interpolant_memory<storage, 1>;
  /// A straight line: the accelerations at the ends of a stiff step say nothing of its inside.
  template <class F> void make_dense(F&, double, double, double, const storage& x, dense_memory& dense, std::int64_t&) const {
    for_each_element(x, [to = dense.curve.s[0].data()](std::size_t i) { to[i] = 0; });
  }

 private:
  static constexpr int most_shortenings = 8, steps_between_exact_ones = 16, most_parts = 64;

  /// Those that the model has now.
  template <class F> void know_constraints(const F& f) {
    filter_.clear();
    f.constrain(filter_);
    constraints_known_ = true;
  }

  template <class F> static bool varies_in_time(const F& f) {
    if constexpr (requires { f.varies_in_time(); }) return f.varies_in_time();
    else return true;
  }
  /// Whether there is a force, and if not, why: the budget is spent, f is not defined, or it is no finite number.
  template <class F> bool evaluate_at(F& f, double t, const double* q, const double* v, run_statistics<std::int64_t>& spent) {
    bad_ = report::nowhere;
    if (spent.evaluations >= most_evaluations_) return failed(outcome::too_many_evaluations);
    ++spent.evaluations;
    if (!accelerate<typename memory::seen>(f, t, q, v, force_.data(), this->size())) return failed(outcome::derivative_failed);
    failure_ = outcome::finished;
    const std::int64_t component = first_not_finite(force_, 0);
    if (component == report::nowhere) return true;
    bad_ = static_cast<std::int64_t>(this->size()) + component;
    return failed(outcome::derivative_not_finite);
  }
  bool failed(outcome why) {
    failure_ = why;
    return false;
  }
  /// Says so where nothing else is known to be wrong.
  bool not_solved() { return failure_ == outcome::finished ? failed(outcome::equations_not_solved) : false; }

  double filtered_size(buffer<double>& r) {
    filter_(all(r));
    return linear::euclidean_norm<double>(all(r));
  }
  static std::span<double> all(buffer<double>& b) { return {b.data(), b.size()}; }

  /// h a at the end of the step, of which the change keeps what is prescribed; the rest is to be found and starts from zero. Returns the
  /// accelerations; none where f is not defined.
  template <class F> const double* prescribe(F& f, double t_new, double h, const storage& x, run_statistics<std::int64_t>& spent) {
    const double* acceleration = this->a_.data();
    if (varies_in_time(f)) {
      if (!evaluate_at(f, t_new, x.data(), x.data() + this->size(), spent)) return nullptr;
      acceleration = force_.data();
    }
    for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = h * acceleration[i];
    filter_.keep_forbidden(all(change_));
    return acceleration;
  }

  template <class F> bool step_linearly(F& f, double t_new, double h, const storage& x, run_statistics<std::int64_t>& spent) {
    const std::size_t n = this->size();
    const double *const q = x.data(), *const v = q + n, *const acceleration = prescribe(f, t_new, h, x, spent);
    if (!acceleration) return false;
    const auto right_side = [&] {
      const double* const stiffness_times_velocity = matrix_.stiffness_times_velocity().data();
      for (std::size_t i = 0; i < n; ++i) right_[i] = h * (f.mass(i / 3) * acceleration[i] + h * stiffness_times_velocity[i]);
    };
    if (!solve(f, t_new, h, q, v, settings_.linear, right_side, spent)) return not_solved();
    double *const q_new = this->candidate_.data(), *const v_new = q_new + n;
    for (std::size_t i = 0; i < n; ++i) v_new[i] = v[i] + change_[i], q_new[i] = q[i] + h * v_new[i];
    return true;
  }

  /// The whole step, or, where its equations have no solution that Newton's method finds, as when cloth buckles, steps of a half, a quarter, …
  template <class F> bool step_in_parts(F& f, double t, double t_new, double h, const storage& x, run_statistics<std::int64_t>& spent) {
    const storage* from = &x;
    int reached = 0, length = most_parts;
    while (reached < most_parts) {
      const double part = h * length / most_parts;
      const double end = reached + length == most_parts ? t_new : t + h * (reached + length) / most_parts;
      if (!prescribe(f, end, part, *from, spent)) return false;
      if (iterate(f, end, part, *from, spent)) {
        reached += length;
        if (reached == most_parts) break;
        for_each_element(x, [to = between_.data(), now = this->candidate_.data()](std::size_t i) { to[i] = now[i]; });
        from = &between_;
      } else {
        if (length == 1 || failure_ == outcome::too_many_evaluations) return not_solved();
        length /= 2;
      }
    }
    return true;
  }

  /// The matrix at (t, q, v), the right-hand side that goes with it, and from the change that is there a better one.
  template <class F, class RightSide>
  bool solve(F& f, double t, double h, const double* q, const double* v, double tolerance, const RightSide& right_side,
             run_statistics<std::int64_t>& spent) {
    if (steps_definite_ > 0) --steps_definite_;
    if (steps_definite_ == 0) {
      if (solve_with(f, force_derivatives::exact, t, h, q, v, tolerance, right_side, spent)) return true;
      if (last_solve_.outcome != linear::krylov_outcome::not_positive_definite) return false;
      steps_definite_ = steps_between_exact_ones;
      filter_.keep_forbidden(all(change_));
    }
    return solve_with(f, force_derivatives::definite, t, h, q, v, tolerance, right_side, spent);
  }
  template <class F, class RightSide>
  bool solve_with(F& f, force_derivatives how, double t, double h, const double* q, const double* v, double tolerance,
                  const RightSide& right_side, run_statistics<std::int64_t>& spent) {
    const std::size_t n = this->size();
    ++spent.jacobians;
    matrix_.assemble(f, t, h, {q, n}, {v, n}, how);
    right_side();
    ++spent.factorizations;
    if (!preconditioner_.factor(matrix_.matrix())) {
      last_solve_ = {linear::krylov_outcome::not_positive_definite, 0, 1};
      return false;
    }
    ++spent.linear_solves;
    const auto multiply = [&](std::span<const double> x, std::span<double> y) { product_(hands_, matrix_.matrix(), x, y); };
    const auto precondition = [&](std::span<const double> r, std::span<double> z) {
      constexpr std::size_t rows = 1024;
      const std::size_t particles = n / 3;
      hands_.each((particles + rows - 1) / rows, [&](std::size_t part) {
        preconditioner_.solve_rows(part * rows, std::min(particles, (part + 1) * rows), r, z);
      });
    };
    last_solve_ = gradients_.solve(hands_, multiply, std::span<const double>(right_.data(), n), all(change_), precondition, filter_, {.relative = tolerance});
    return last_solve_.converged();
  }

  /// r = h f − M(v₁ − v) at the candidate, into right_; its size, or no number where there is no force.
  template <class F> double residual(F& f, double t, double h, const storage& x, run_statistics<std::int64_t>& spent) {
    const std::size_t n = this->size();
    const double *const q_new = this->candidate_.data(), *const v_new = q_new + n, *const v = x.data() + n;
    if (!evaluate_at(f, t, q_new, v_new, spent)) return std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < n; ++i) right_[i] = f.mass(i / 3) * (h * force_[i] - (v_new[i] - v[i]));
    return filtered_size(right_);
  }

  /// Newton's method, from where it is, at rest. Where forces have a potential, r is a descent of one, too, that the solution makes least (M. Ortiz &
  /// L. Stainier 1999, Comput. Methods Appl. Mech. Eng. 171, 419–444), and with a definite matrix every change begins downhill.
  template <class F>
  bool iterate(F& f, double t, double h, const storage& x, run_statistics<std::int64_t>& spent) {
    const std::size_t n = this->size();
    const double *const q = x.data(), *const v = q + n;
    double *const q_new = this->candidate_.data(), *const v_new = q_new + n;
    for (std::size_t i = 0; i < n; ++i) right_[i] = v[i];
    filter_(all(right_));
    for (std::size_t i = 0; i < n; ++i) v_new[i] = v[i] - right_[i] + change_[i], q_new[i] = q[i] + h * v_new[i];
    double size = residual(f, t, h, x, spent);
    const double scale = size;
    for (int iteration = 0; iteration < settings_.most_iterations; ++iteration) {
      if (size <= settings_.nonlinear * scale) return true;
      for (std::size_t i = 0; i < n; ++i) change_[i] = 0;
      if (!(size - size == 0) || !solve(f, t, h, q_new, v_new, correction_tolerance, [] {}, spent)) return false;
      if (is_rounding(h)) {  // of the positions; velocities may be all in it
        for (std::size_t i = 0; i < n; ++i) v_new[i] += change_[i], q_new[i] = q[i] + h * v_new[i];
        return true;
      }
      size = take_part_of_change(f, t, h, x, spent);
    }
    return size <= settings_.nonlinear * scale;
  }
  /// Adds to the velocities as much of the change as does not end on the other slope, or not far up: where the slope changes its sign, the false
  /// position between. (|r| itself may have to grow on the way.) Returns |r| there.
  template <class F> double take_part_of_change(F& f, double t, double h, const storage& x, run_statistics<std::int64_t>& spent) {
    const std::size_t n = this->size();
    const double* const q = x.data();
    double *const q_new = this->candidate_.data(), *const v_new = q_new + n;
    const double downhill = slope();
    double part = 1, taken = 0, size = 0;
    double low = 0, slope_at_low = downhill, high = 1, slope_at_high = 0;
    for (int trial = 0; trial <= most_shortenings; ++trial) {
      for (std::size_t i = 0; i < n; ++i) v_new[i] += (part - taken) * change_[i], q_new[i] = q[i] + h * v_new[i];
      taken = part;
      size = residual(f, t, h, x, spent);
      if (failure_ == outcome::too_many_evaluations) break;
      if (!(size - size == 0)) {  // no force so far away
        high = part, slope_at_high = 0;
        part = 0.5 * (low + high);
        continue;
      }
      const double here = slope();
      if (here >= -0.1 * downhill && (trial == 0 || here <= 0.5 * downhill)) break;
      if (here > 0) low = part, slope_at_low = here;
      else high = part, slope_at_high = here;
      const double between = low + (high - low) * slope_at_low / (slope_at_low - slope_at_high);
      part = minimum(maximum(between, low + 0.1 * (high - low)), high - 0.1 * (high - low));
    }
    return size;
  }
  /// Whether the change moves nothing that the numbers can show, as near an equilibrium, where all that is left of forces is their rounding.
  bool is_rounding(double h) const {
    double moved = 0, largest = 0;
    for (std::size_t i = 0; i < change_.size(); ++i) {
      moved = maximum(moved, magnitude(h * change_[i]));
      largest = maximum(largest, magnitude(this->candidate_.data()[i]));
    }
    return moved <= 64 * epsilon<double> * largest;
  }
  double slope() { return linear::inner_product<double>(all(right_), all(change_)); }

  /// Of the linear systems within Newton's iteration: one that is solved better would not take fewer of them.
  static constexpr double correction_tolerance = 1e-4;

  condensed_settings settings_;
  condensed_matrix matrix_;
  linear::constraint_filter<double> filter_;
  linear::block_jacobi<double> preconditioner_;
  linear::conjugate_gradients<double> gradients_;
  linear::crew hands_;
  linear::parted_product<double> product_;
  buffer<double> right_, change_, force_;
  storage between_;  ///< parts of a step
  linear::krylov_result last_solve_;
  outcome failure_ = outcome::finished;
  bool constraints_known_ = false;
  std::int64_t bad_ = report::nowhere, most_evaluations_ = 0;
  int steps_definite_ = 0;  ///< systems to solve before exact derivatives are tried again
};

/// linearly_implicit_euler for models with force blocks.
struct condensed_linearly_implicit_euler : condensed_settings {
  static constexpr const char* name = "linearly-implicit-euler";
  static constexpr const char* citation = "Baraff & Witkin (1998), Large steps in cloth simulation, SIGGRAPH 98, (6)";
  static constexpr bool iterates = false;
  template <state State> using stepper = condensed_stepper<condensed_linearly_implicit_euler, State>;
};

/// backward_euler for models with force blocks.
struct condensed_backward_euler : condensed_settings {
  static constexpr const char* name = "backward-euler";
  static constexpr const char* citation = "Euler (1768), Institutionum calculi integralis; condensed as Baraff & Witkin (1998), SIGGRAPH 98, (6)";
  static constexpr bool iterates = true;
  template <state State> using stepper = condensed_stepper<condensed_backward_euler, State>;
};

}  // namespace ensue
