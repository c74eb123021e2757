/// An `integrator` as an `any_integrator`: what a method chosen by name runs in.
#pragma once

#include <ensue/integrator.hpp>
#include <ensue/registry.hpp>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace ensue::detail {

/// A state's elements can be written, by its concept; those of a start are copied and never are.
inline std::span<double> viewed(std::span<const double> x) { return {const_cast<double*>(x.data()), x.size()}; }

/// A state as a loop keeps it: a view, or a fixed number of elements.
template <class State> State state_from(std::span<const double> x) {
  if constexpr (extent_of<State> == 0) {
    return viewed(x);
  } else {
    State copy;
    std::copy_n(x.data(), copy.size(), copy.data());
    return copy;
  }
}

template <class Model, state State, class Method> class registered_integrator final : public any_integrator {
 public:
  registered_integrator(const method_info& info, std::size_t dense_terms, const Model& model, std::span<const double> x0, double t0,
                        const Method& method, const options<State>& settings)
      : info_(info), dense_terms_(dense_terms), integrator_(problem<Model, State>{model, state_from<State>(x0), {t0, t0}}, method, settings) {}

  outcome advance_to(double t) override { return integrator_.advance_to(t); }
  outcome advance(double dt) override { return integrator_.advance(dt); }
  outcome step(bool backwards) override { return integrator_.step(backwards); }
  outcome step_towards(double t) override { return integrator_.step_towards(t); }
  double time() const override { return integrator_.time(); }
  std::span<const double> state() const override { return {integrator_.state().data(), integrator_.state().size()}; }
  void set_state(std::span<const double> x) override { set_state(time(), x); }
  void set_state(double t, std::span<const double> x) override {
    require_length(x.size());
    integrator_.set_state(t, state_from<State>(x));
  }
  void interpolate(double t, std::span<double> out) override {
    require_length(out.size());
    if constexpr (extent_of<State> == 0) {
      integrator_.interpolate(t, out);
    } else {
      State there;
      integrator_.interpolate(t, there);
      std::copy_n(there.data(), there.size(), out.data());
    }
  }
  bool control_between_steps(bool on) override { return integrator_.control_between_steps(on); }
  std::size_t dense_terms() const override { return dense_terms_; }
  const double* dense_term(std::size_t m) override { return integrator_.dense_term(m); }
  std::span<const double> derivative() override {
    const auto& now = integrator_.derivative();
    return {now.data(), now.size()};
  }
  viewed_buffer<std::span<double>> snapshot() const override { return viewed(state()); }
  void end_with(outcome how, int event) override { integrator_.end_with(how, event); }
  const run_statistics<std::int64_t>& statistics() const override { return integrator_.statistics(); }
  const report& ending() const override { return integrator_.ending(); }
  std::string message() const override { return integrator_.message(); }
  const method_info& info() const override { return info_; }

 private:
  void require_length(std::size_t length) const {
    if (length != state().size())
      throw std::length_error("ensue: " + std::to_string(length) + " numbers for a state of " + std::to_string(state().size()));
  }

  const method_info& info_;
  std::size_t dense_terms_;
  integrator<Model, State, Method> integrator_;
};

}  // namespace ensue::detail
