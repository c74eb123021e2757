/// A stepper behind virtual functions, so that the loop over it is compiled once for many methods.
///
/// `stepper_interface` is the method protocol (step/stepper.hpp) as virtual functions. `stepper_behind` (stepper_behind.hpp) implements
/// it for one method. `erased_stepper` is what the loop gets in place of the method's own stepper. What a loop has to know while it
/// is compiled is its `loop_kind`: methods of one kind share one loop.
///
/// A step costs two virtual calls, `attempt` and `accept`. What the loop reads besides them is kept in `at_hand`.
#pragma once

#include <ensue/control/norm.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/model/system.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/outcome.hpp>

#include <memory>
#include <span>
#include <utility>

namespace ensue {

template <state State> class linearization;  // comes with the methods that solve linear systems

namespace detail {

struct loop_kind {
  system_needed needs = system_needed::any;
  bool adaptive = false;  ///< has the scratch memory that a first step is chosen with
  bool chooses_steps = false;
  bool takes_mass_matrix = false;

  friend constexpr bool operator==(const loop_kind&, const loop_kind&) = default;
};

/// What a method says once and for all.
struct stepper_facts {
  const char* name;
  bool confirms, has_estimate, starts_anew, overlooks_jumps;
  law_digits digits;
  double real_stability;
  int extra_stages_of_dense;
};

/// The dense memory of a method's stepper.
template <state State> class dense_interface {
 public:
  using storage = storage_of<State>;
  virtual ~dense_interface() = default;
  virtual void at(double theta, const double* from, const double* to, const storage& like, double* out) const = 0;
  virtual void keep_first(bool where, const storage& like) = 0;
  virtual std::span<const double> term(std::size_t m) const = 0;
};

/// The same as the integrator expects it. The stepper makes the memory when it first fills it.
template <state State> struct erased_dense_memory {
  using storage = storage_of<State>;
  struct curve_type {
    struct {
      std::unique_ptr<dense_interface<State>> memory;
      std::span<const double> operator[](std::size_t m) const { return memory ? memory->term(m) : std::span<const double>(); }
    } s;
    void at(double theta, const double* from, const double* to, const storage& like, double* out) const { s.memory->at(theta, from, to, like, out); }
    void keep_first(bool where, const storage& like) { s.memory->keep_first(where, like); }
  } curve;
  void allocate(const storage&) {}
};

template <class Model, state State> class stepper_interface {
 public:
  using storage = storage_of<State>;
  using statistics = run_statistics<std::int64_t>;
  using measure = error_measure<State>;

  explicit stepper_interface(const stepper_facts& which) : facts(which) {}
  stepper_interface(const stepper_interface&) = delete;
  stepper_interface& operator=(const stepper_interface&) = delete;
  virtual ~stepper_interface() = default;

  const stepper_facts& facts;

  /// Renewed after every call that may change it, also where f throws.
  struct {
    bool stale = true;
    bool derivative_is_finite = false, derivative_is_fresh = false;  ///< the first one, right after `derivative`
    std::int64_t constant_cost = -1;   ///< evaluations of an attempt where they are always the same; otherwise negative
    double squared_error = 0;          ///< of the last attempt, if it was measured
    bool candidate_is_finite = false;  ///< of the last attempt, if it was not
    bool measured = false;
    double limit = 1;  ///< the largest squared error that is accepted, of methods that choose their steps
  } at_hand;

  virtual int order() const = 0;
  virtual int estimate_order() const = 0;
  virtual std::int64_t evaluations_of_attempt() const = 0;
  virtual std::int64_t evaluations_of_fixed_step() const = 0;
  virtual void restart() = 0;
  virtual void forget(bool where) = 0;
  virtual bool derivative(Model& f, double t, const storage& x) = 0;
  virtual void mark_derivative() = 0;
  virtual std::span<double> first_derivative() = 0;
  virtual const storage& whole_derivative(const storage& x) = 0;

  /// `most_evaluations` are allowed in all. Without a measure the step is a fixed one.
  virtual bool attempt(Model& f, double t, double t_new, double h, const storage& x, std::int64_t most_evaluations, statistics& spent,
                       measure* errors) = 0;
  virtual bool confirm(Model& f, double t_new, bool accepted, std::int64_t& evaluations) = 0;
  virtual void accept(bool accepted, storage& x) = 0;
  virtual const storage& candidate() const = 0;
  virtual bool candidate_is_finite() const = 0;
  virtual storage& scratch() = 0;
  virtual storage& scratch_derivative() = 0;
  virtual std::int64_t bad_component() const = 0;
  virtual outcome failure() const = 0;

  virtual double factor_after_accept(const storage& x, double squared_error, double h, measure& errors, const step_size_settings& s) = 0;
  virtual double factor_after_reject(double squared_error, bool defined, const step_size_settings& s) = 0;
  virtual double squared_stiffness_ratio(const storage& x, measure& errors) = 0;
  virtual double squared_motion_ratio(const storage& x, double h, measure& errors) = 0;

  virtual void compensate(const storage& x) = 0;
  virtual void control_between_steps(bool on) = 0;
  virtual void fit(const Model& f) = 0;
  virtual linearization<State>& linear() = 0;
  virtual void write_mass(const Model& f) = 0;
  virtual void begin_with(const storage& slope) = 0;

  virtual void make_dense(Model& f, double t, double t_new, double h, const storage& x, erased_dense_memory<State>& dense,
                          std::int64_t& evaluations) = 0;
  virtual const storage& before() const = 0;
};

/// The first derivative as the loop sees it, which asks nearly always whether it is finite and nothing else.
template <class Model, state State> struct first_derivative_view {
  stepper_interface<Model, State>* of;

  double* data() const { return of->first_derivative().data(); }
  std::size_t size() const { return of->first_derivative().size(); }

  friend bool finite(const first_derivative_view& view) {
    if (std::exchange(view.of->at_hand.derivative_is_fresh, false)) return view.of->at_hand.derivative_is_finite;
    return ensue::finite(view.of->first_derivative());
  }
};

template <bool> struct chooser_of_steps {};
template <> struct chooser_of_steps<true> {
  static constexpr bool chooses_steps = true;
};

template <loop_kind Kind, class Model, state State>
class erased_stepper : public chooser_of_steps<Kind.chooses_steps> {
  using interface = stepper_interface<Model, State>;

 public:
  using storage = storage_of<State>;
  using measure = error_measure<State>;
  using dense_memory = erased_dense_memory<State>;

  static constexpr system_needed needs = Kind.needs;
  static constexpr bool divides_evenly = false;  // who makes the integrator says how the span is divided
  static constexpr bool may_estimate = Kind.adaptive;
  static constexpr bool confirms = true;
  static constexpr bool solves_linear_systems = true;
  static constexpr bool solves_to_tolerance = true;
  static constexpr bool takes_mass_matrix = Kind.takes_mass_matrix;
  static constexpr law_digits digits_of_law = law_digits::as_told;
  static constexpr bool may_overlook_jumps = Kind.adaptive && !Kind.chooses_steps;

  template <class Method>
  erased_stepper(const Method& method, const storage& like)
      : stepper_(method.make_stepper(like)),
        starts_anew(stepper_->facts.starts_anew),
        extra_stages_of_dense(stepper_->facts.extra_stages_of_dense) {}

  const char* name() const { return stepper_->facts.name; }
  law_digits digits_told() const { return stepper_->facts.digits; }
  bool has_estimate() const { return stepper_->facts.has_estimate; }
  bool overlooks_jumps() const { return stepper_->facts.overlooks_jumps; }
  double limit() const { return stepper_->at_hand.limit; }
  double real_stability() const { return stepper_->facts.real_stability; }
  int order() const { return stepper_->order(); }
  int estimate_order() const { return stepper_->estimate_order(); }

  bool stale() const { return stepper_->at_hand.stale; }
  void restart() { stepper_->restart(); }
  void forget(bool where) { stepper_->forget(where); }
  bool derivative(Model& f, double t, const storage& x) { return stepper_->derivative(f, t, x); }
  void mark_derivative() { stepper_->mark_derivative(); }
  first_derivative_view<Model, State> first_derivative() const { return {stepper_.get()}; }
  const storage& whole_derivative(const storage& x) { return stepper_->whole_derivative(x); }

  void keep_within(std::int64_t evaluations) { most_evaluations_ = evaluations; }
  std::int64_t evaluations_of_attempt() const {
    const std::int64_t constant = stepper_->at_hand.constant_cost;
    return constant >= 0 ? constant : stepper_->evaluations_of_attempt();
  }
  std::int64_t evaluations_of_fixed_step() const {
    const std::int64_t constant = stepper_->at_hand.constant_cost;
    return constant >= 0 ? constant : stepper_->evaluations_of_fixed_step();
  }
  bool attempt(Model& f, double t, double t_new, double h, const storage& x, bool, run_statistics<std::int64_t>& spent, measure* errors) {
    return stepper_->attempt(f, t, t_new, h, x, most_evaluations_, spent, errors);
  }
  double squared_error(const storage&, double, const measure&) const { return stepper_->at_hand.squared_error; }
  bool confirm(Model& f, double t_new, bool accepted, std::int64_t& evaluations) {
    return stepper_->facts.confirms ? stepper_->confirm(f, t_new, accepted, evaluations) : accepted;
  }
  void accept(bool accepted, storage& x) { stepper_->accept(accepted, x); }
  const storage& candidate() const { return stepper_->candidate(); }
  bool candidate_is_finite() const { return stepper_->at_hand.measured ? stepper_->candidate_is_finite() : stepper_->at_hand.candidate_is_finite; }
  storage& scratch() { return stepper_->scratch(); }
  storage& scratch_derivative() { return stepper_->scratch_derivative(); }
  std::int64_t bad_component(int) const { return stepper_->bad_component(); }
  outcome failure() const { return stepper_->failure(); }

  double factor_after_accept(const storage& x, double squared_error, double h, measure& errors, const step_size_settings& s) {
    return stepper_->factor_after_accept(x, squared_error, h, errors, s);
  }
  double factor_after_reject(double squared_error, bool defined, const step_size_settings& s) {
    return stepper_->factor_after_reject(squared_error, defined, s);
  }
  double squared_stiffness_ratio(const storage& x, measure& errors) { return stepper_->squared_stiffness_ratio(x, errors); }
  double squared_motion_ratio(const storage& x, double h, measure& errors) { return stepper_->squared_motion_ratio(x, h, errors); }

  void compensate(const storage& x) { stepper_->compensate(x); }
  void control_between_steps(bool on) { stepper_->control_between_steps(on); }
  void fit(const Model& f) { stepper_->fit(f); }
  linearization<State>& linear()
    requires(Kind.takes_mass_matrix)
  {
    return stepper_->linear();
  }
  void write_mass(const Model& f) { stepper_->write_mass(f); }
  void begin_with(const storage& slope) { stepper_->begin_with(slope); }

  void make_dense(Model& f, double t, double t_new, double h, const storage& x, dense_memory& dense, std::int64_t& evaluations) {
    stepper_->make_dense(f, t, t_new, h, x, dense, evaluations);
  }
  const storage& before() const { return stepper_->before(); }

 private:
  std::unique_ptr<interface> stepper_;
  std::int64_t most_evaluations_ = 0;

 public:
  bool starts_anew;
  int extra_stages_of_dense;
};

/// A method of that kind, which one is known at run time.
template <loop_kind Kind, class Model> struct erased_method {
  using maker = std::unique_ptr<stepper_interface<Model, std::span<double>>> (*)(const storage_of<std::span<double>>& like, unsigned threads);
  template <class State> using stepper = erased_stepper<Kind, Model, State>;

  maker make;
  unsigned threads;

  auto make_stepper(const storage_of<std::span<double>>& like) const { return make(like, threads); }
};

}  // namespace detail
}  // namespace ensue
