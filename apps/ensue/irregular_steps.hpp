/// A method that looks everywhere: its steps also end at given times, at irregular ones among them, so that nothing of their distance's
/// length is stepped over, and nothing periodic keeps pace with the steps.
///
///     irregular_steps sim(explicit_method, implicit_method, landings);     // functions that make them
///     observe(sim, to, …);
///
/// It begins with one method and changes to another one for good where the first finds the problem stiff, spends its patience, or fails.
#pragma once

#include <ensue/registry.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ensue::command {

/// `others`, which are ordered along the run, and irregular times between `from` and `to`, at most the `parts`-th part of that span apart. Irregular times next
/// to one of `others` are left out: a step from one to the other would be tiny.
std::vector<double> irregular_times(double from, double to, double parts, const std::vector<double>& others);

class irregular_steps final : public any_integrator {
 public:
  /// At a time and state, after so many evaluations.
  using maker = std::function<std::unique_ptr<any_integrator>(double t, std::span<const double> x, std::int64_t spent)>;

  /// `implicit` may be empty. `landings` are ordered along the run, which goes `backwards` or not.
  irregular_steps(std::unique_ptr<any_integrator> first, maker implicit, std::vector<double> landings, bool backwards, std::int64_t patience);

  outcome advance_to(double t) override;
  outcome advance(double dt) override { return advance_to(time() + dt); }
  outcome step(bool goes_back = false) override;
  outcome step_towards(double t) override;

  double time() const override { return now_->time(); }
  std::span<const double> state() const override { return now_->state(); }
  void set_state(std::span<const double> x) override { now_->set_state(x); }
  void set_state(double t, std::span<const double> x) override;
  void interpolate(double t, std::span<double> out) override { now_->interpolate(t, out); }
  bool control_between_steps(bool on) override;
  std::size_t dense_terms() const override { return now_->dense_terms(); }
  const double* dense_term(std::size_t m) override { return now_->dense_term(m); }
  std::span<const double> derivative() override { return now_->derivative(); }
  viewed_buffer<std::span<double>> snapshot() const override { return now_->snapshot(); }
  void end_with(outcome how, int event) override { now_->end_with(how, event); }
  const run_statistics<std::int64_t>& statistics() const override;
  const report& ending() const override { return now_->ending(); }
  std::string message() const override { return failure_.empty() ? now_->message() : failure_; }
  const method_info& info() const override { return now_->info(); }

  /// "vern7", or "vern7, then radau".
  std::string methods() const;

 private:
  bool can_change() const { return implicit_ != nullptr; }
  void change();
  double landing_before(double t) const;

  std::unique_ptr<any_integrator> now_;
  maker implicit_;  ///< empty once it is used
  std::vector<double> landings_;
  bool backwards_, between_steps_ = false, event_was_here_ = false;
  std::int64_t patience_;
  run_statistics<std::int64_t> spent_;  ///< of the method before
  mutable run_statistics<std::int64_t> total_;
  std::string before_, failure_;  ///< the method before, and why it failed where it did
};

}  // namespace ensue::command
