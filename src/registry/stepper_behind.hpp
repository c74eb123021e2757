/// One method's stepper behind the virtual functions of erased_stepper.hpp.
#pragma once

#include "registry/erased_stepper.hpp"

#include <ensue/control/caution.hpp>
#include <ensue/step/stepper.hpp>

#include <stdexcept>
#include <utility>

namespace ensue::detail {

template <class Stepper> inline constexpr bool stepper_chooses_steps = requires { Stepper::chooses_steps; };

template <class Stepper>
inline constexpr loop_kind kind_of = {.needs = Stepper::needs,
                                      .adaptive = requires(Stepper& s) { s.scratch_derivative(); },
                                      .chooses_steps = stepper_chooses_steps<Stepper>,
                                      .takes_mass_matrix = takes_mass_matrix<Stepper>};

template <class Stepper> constexpr stepper_facts facts_of() {
  stepper_facts facts = {.name = Stepper::name(),
                         .confirms = Stepper::confirms,
                         .has_estimate = Stepper::has_estimate(),
                         .starts_anew = requires { Stepper::starts_anew; },
                         .overlooks_jumps = may_overlook_jumps<Stepper>,
                         .digits = digits_of_law<Stepper>,
                         .real_stability = 0,
                         .extra_stages_of_dense = 0};
  if constexpr (requires { Stepper::real_stability(); }) facts.real_stability = Stepper::real_stability();
  if constexpr (requires { Stepper::extra_stages_of_dense; }) facts.extra_stages_of_dense = Stepper::extra_stages_of_dense;
  return facts;
}
template <class Stepper> inline constexpr stepper_facts stepper_facts_of = facts_of<Stepper>();

template <class Memory, state State> class dense_behind final : public dense_interface<State> {
 public:
  using storage = storage_of<State>;
  Memory memory;

  void at(double theta, const double* from, const double* to, const storage& like, double* out) const override {
    memory.curve.at(theta, from, to, like, out);
  }
  void keep_first(bool where, const storage& like) override { memory.curve.keep_first(where, like); }
  std::span<const double> term(std::size_t m) const override { return {memory.curve.s[m].data(), memory.curve.s[m].size()}; }
};

/// (A method that sets its own pace has a loop of its own.)
template <class Stepper, class Model, state State>
  requires(!requires { Stepper::sets_pace; })
class stepper_behind final : public stepper_interface<Model, State> {
  using interface = stepper_interface<Model, State>;

 public:
  using typename interface::measure;
  using typename interface::statistics;
  using typename interface::storage;

  template <class Method> stepper_behind(const Method& method, const storage& like) : interface(stepper_facts_of<Stepper>), stepper_(method, like) {
    renew();
    if constexpr (has_constant_cost) at_hand.constant_cost = Stepper::evaluations_of_attempt();
  }

  int order() const override { return stepper_.order(); }
  int estimate_order() const override { return stepper_.estimate_order(); }
  std::int64_t evaluations_of_attempt() const override { return stepper_.evaluations_of_attempt(); }
  std::int64_t evaluations_of_fixed_step() const override {
    if constexpr (requires { stepper_.evaluations_of_fixed_step(); }) return stepper_.evaluations_of_fixed_step();
    else return stepper_.evaluations_of_attempt();
  }
  void restart() override {
    stepper_.restart();
    renew();
  }
  void forget(bool where) override {
    stepper_.forget(where);
    renew();
  }
  bool derivative(Model& f, double t, const storage& x) override {
    const renewal after(*this);
    const bool defined = stepper_.derivative(f, t, x);
    at_hand.derivative_is_finite = finite(stepper_.first_derivative());
    at_hand.derivative_is_fresh = true;
    return defined;
  }
  void mark_derivative() override { stepper_.mark_derivative(); }
  std::span<double> first_derivative() override {
    const auto& first = stepper_.first_derivative();
    return {const_cast<double*>(first.data()), first.size()};  // the loop's functions take states, which can be written, and only read it
  }
  const storage& whole_derivative(const storage& x) override { return stepper_.whole_derivative(x); }

  ENSUE_SINGLE_TRAJECTORY bool attempt(Model& f, double t, double t_new, double h, const storage& x, std::int64_t most_evaluations, statistics& spent,
                                       measure* errors) override {
    const renewal after(*this);
    at_hand.measured = errors != nullptr;
    const bool defined = attempt_of_method(f, t, t_new, h, x, most_evaluations, spent, errors);
    if (errors) measure_error(x, h, *errors);
    else at_hand.candidate_is_finite = stepper_.candidate_is_finite();
    return defined;
  }
  bool confirm(Model& f, double t_new, bool accepted, std::int64_t& evaluations) override {
    if constexpr (Stepper::confirms) {
      const renewal after(*this);
      return stepper_.confirm(f, t_new, accepted, evaluations);
    } else return accepted;
  }
  void accept(bool accepted, storage& x) override {
    stepper_.accept(accepted, x);
    renew();
  }
  const storage& candidate() const override { return stepper_.candidate(); }
  bool candidate_is_finite() const override { return stepper_.candidate_is_finite(); }
  storage& scratch() override {
    if constexpr (requires { stepper_.scratch(); }) return stepper_.scratch();
    else throw std::logic_error(no_first_step);
  }
  storage& scratch_derivative() override {
    if constexpr (requires { stepper_.scratch_derivative(); }) return stepper_.scratch_derivative();
    else throw std::logic_error(no_first_step);
  }
  std::int64_t bad_component() const override { return stepper_.bad_component(0); }
  outcome failure() const override {
    if constexpr (requires { stepper_.failure(); }) return stepper_.failure();
    else if constexpr (requires { stepper_.unsolved(0); }) return stepper_.unsolved(0) ? outcome::equations_not_solved : outcome::finished;
    else return outcome::finished;
  }

  double factor_after_accept(const storage& x, double squared_error, double h, measure& errors, const step_size_settings& s) override {
    if constexpr (stepper_chooses_steps<Stepper>) {
      const renewal after(*this);
      return stepper_.factor_after_accept(x, squared_error, h, errors, s);
    } else return 1;
  }
  double factor_after_reject(double squared_error, bool defined, const step_size_settings& s) override {
    if constexpr (stepper_chooses_steps<Stepper>) {
      const renewal after(*this);
      return stepper_.factor_after_reject(squared_error, defined, s);
    } else return 1;
  }
  double squared_stiffness_ratio(const storage& x, measure& errors) override {
    if constexpr (requires { stepper_.squared_stiffness_ratio(x, errors); }) return stepper_.squared_stiffness_ratio(x, errors);
    else return 0;
  }
  /// Of a method that does not know it, less than any stiffness ratio.
  double squared_motion_ratio(const storage& x, double h, measure& errors) override {
    if constexpr (requires { stepper_.squared_motion_ratio(x, h, errors); }) return stepper_.squared_motion_ratio(x, h, errors);
    else return -infinity<double>;
  }

  void compensate(const storage& x) override {
    if constexpr (requires { stepper_.compensate(x); }) stepper_.compensate(x);
  }
  void control_between_steps(bool on) override {
    if constexpr (requires { stepper_.control_between_steps(on); }) stepper_.control_between_steps(on);
    renew();
  }
  void fit(const Model& f) override {
    if constexpr (requires { stepper_.fit(f); }) stepper_.fit(f);
    renew();
  }
  linearization<State>& linear() override {
    if constexpr (takes_mass_matrix<Stepper>) return stepper_.linear();
    else throw std::logic_error("ensue: a method that takes no mass matrix was asked for one");
  }
  void write_mass(const Model& f) override {
    if constexpr (takes_mass_matrix<Stepper>) {
      if constexpr (requires { stepper_.write_mass(f); }) stepper_.write_mass(f);
      else stepper_.linear().write_mass(f);
    }
  }
  void begin_with(const storage& slope) override {
    if constexpr (requires { stepper_.begin_with(slope); }) stepper_.begin_with(slope);
    renew();
  }

  void make_dense(Model& f, double t, double t_new, double h, const storage& x, erased_dense_memory<State>& dense,
                  std::int64_t& evaluations) override {
    auto* const memory = room_for(dense, x);
    stepper_.make_dense(f, t, t_new, h, x, *memory, evaluations);
  }
  const storage& before() const override { return stepper_.before(); }

 private:
  using interface::at_hand;
  static constexpr const char* no_first_step = "ensue: a method with fixed steps was asked to choose one";
  using dense_memory = typename Stepper::dense_memory;

  bool attempt_of_method(Model& f, double t, double t_new, double h, const storage& x, [[maybe_unused]] std::int64_t most_evaluations,
                         statistics& spent, [[maybe_unused]] measure* errors) {
    if constexpr (requires { stepper_.keep_within(most_evaluations); }) stepper_.keep_within(most_evaluations);
    if constexpr (requires { Stepper::solves_to_tolerance; }) return stepper_.attempt(f, t, t_new, h, x, true, spent, errors);
    else if constexpr (requires { Stepper::solves_linear_systems; }) return stepper_.attempt(f, t, t_new, h, x, true, spent);
    else return stepper_.attempt(f, t, t_new, h, x, true, spent.evaluations);
  }

  /// (Inlined, it takes registers from the sums over stages: 14 % of a step of tsit5 with 100 components.)
  [[gnu::noinline]] void measure_error(const storage& x, double h, measure& errors) {
    if constexpr (Stepper::may_estimate) at_hand.squared_error = stepper_.squared_error(x, h, errors);
  }

  dense_memory* room_for(erased_dense_memory<State>& dense, const storage& x) {
    using behind = dense_behind<dense_memory, State>;
    auto& held = dense.curve.s.memory;
    if (!held) {
      auto fresh = std::make_unique<behind>();
      fresh->memory.allocate(x);
      held = std::move(fresh);
    }
    return &static_cast<behind&>(*held).memory;
  }

  /// Whether a step costs the same whatever came before.
  static constexpr bool has_constant_cost = requires { typename std::bool_constant<(Stepper::evaluations_of_attempt(), true)>; } &&
                                            !requires(const Stepper& s) { s.evaluations_of_fixed_step(); };

  void renew() {
    at_hand.stale = stepper_.stale();
    if constexpr (requires { stepper_.limit(); }) at_hand.limit = stepper_.limit();
  }
  struct renewal {
    stepper_behind& of;
    explicit renewal(stepper_behind& which) : of(which) {}
    ~renewal() { of.renew(); }
  };

  Stepper stepper_;
};

}  // namespace ensue::detail
