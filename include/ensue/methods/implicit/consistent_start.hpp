/// A model with algebraic equations at its start: whether x solves them, an x that does, and x' there.
///
/// With the matrix K that has the rows of M where there are derivatives and those of −f' where there are none (regular where the problem is
/// of index 1):
///
///     K Δ = (0, f)              is Newton's step towards x + Δ with f = 0 there and M x as it was; measured as errors are, it says how far
///                               a start is from being consistent
///     K x' = (f, ∂f/∂t)         is the slope of the solution, in all components: M x' = f, and 0 = d/dt f for the others
#pragma once

#include <ensue/control/norm.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/implicit/linearization.hpp>
#include <ensue/outcome.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>

#include <cmath>

namespace ensue {

template <state State> class consistent_start {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using real = real_of<scalar>;
  using base = base_of<scalar>;
  using count = count_of<scalar>;

  /// The linearization is one that has been fitted; its f' is given up. `slope` receives f, then x'; the others are scratch.
  ENSUE_HD consistent_start(linearization<State>& linear, storage& slope, storage& argument, storage& result)
      : linear_(linear), slope_(slope), argument_(argument), result_(result) {}

  /// Evaluations of f in one iteration at most.
  ENSUE_HD static std::int64_t most_evaluations(const linearization<State>& linear) { return linear.most_evaluations() + 1; }
  static constexpr int most_iterations = 50;

  /// x' at (t, x), found after x was changed where `may_change` allows it and a start is not consistent. `h` is about as long as steps
  /// will be, towards where f is defined.
  template <class F, class Measure>
  ENSUE_HD outcome settle(F& f, const real& t, const real& h, storage& x, bool may_change, Measure& measure,
                          run_statistics<count>& spent, std::int64_t most) {
    real before(infinity<real>);
    for (int i = 0; i < most_iterations; ++i) {
      if (spent.evaluations + count(most_evaluations(linear_)) > count(most)) return outcome::too_many_evaluations;
      spent.evaluations = spent.evaluations + count(1);
      if (!evaluate(f, t, x, slope_)) return outcome::derivative_failed;
      component_ = first_not_finite(slope_, 0);
      if (component_ != report::nowhere) return outcome::derivative_not_finite;
      component_ = linear_.compute(f, t, h, x, slope_, spent, argument_, result_);
      if (component_ != report::nowhere) return linear_.why_unsound();
      spent.factorizations = spent.factorizations + count(1);
      if (!linear_.factor_start()) {
        component_ = linear_.singular_at();
        return outcome::matrix_singular;
      }
      const real distance = newton_step(x, measure, spent);
      if (!(distance - distance == real(0)) || (distance > real(1) && (!may_change || distance >= real(1e3) * before)))
        return inconsistent(x);
      if (distance <= real(1) && (!may_change || distance <= real(base(1e-3)) || distance >= before)) {
        find_slope(spent);
        return outcome::finished;
      }
      before = distance;
      for_each_element(x, [to = x.data(), by = result_.data()](std::size_t e) { to[e] = to[e] + by[e]; });
    }
    return inconsistent(x);
  }

  /// The equation or the component that something is wrong with, and what is left of the equation.
  ENSUE_HD std::int64_t component() const { return component_; }
  ENSUE_HD double residual() const { return residual_; }

 private:
  /// Δ into result_; its length in units of the tolerance.
  template <class Measure> ENSUE_HD real newton_step(const storage& x, Measure& measure, run_statistics<count>& spent) {
    using std::sqrt;
    for_each_element(x, [this, to = result_.data(), f = slope_.data()](std::size_t i) {
      to[i] = linear_.is_algebraic(i) ? f[i] : scalar(0);
    });
    solve(result_, spent);
    return sqrt(measure.squared_norm(x, [by = result_.data()](std::size_t i) { return by[i]; }));
  }
  ENSUE_HD void find_slope(run_statistics<count>& spent) {
    for_each_element(slope_, [this, f = slope_.data(), by_time = linear_.time_derivative().data()](std::size_t i) {
      if (linear_.is_algebraic(i)) f[i] = linear_.varies_in_time() ? by_time[i] : scalar(0);
    });
    solve(slope_, spent);
  }
  ENSUE_HD void solve(storage& b, run_statistics<count>& spent) {
    spent.linear_solves = spent.linear_solves + count(1);
    linear_.solve({b.data(), static_cast<std::size_t>(b.size())});
  }

  /// The algebraic equation with the largest residual.
  ENSUE_HD outcome inconsistent(const storage& x) {
    component_ = report::nowhere;
    real most(-1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
      if (linear_.is_algebraic(i) && magnitude(slope_.data()[i]) > most) {
        most = magnitude(slope_.data()[i]);
        component_ = static_cast<std::int64_t>(i);
        residual_ = static_cast<double>(slope_.data()[i]);
      }
    return outcome::start_not_consistent;
  }

  linearization<State>& linear_;
  storage &slope_, &argument_, &result_;
  std::int64_t component_ = report::nowhere;
  double residual_ = 0;
};

}  // namespace ensue
