/// Many trajectories of one system at once, each with its own time, step size, parameters and ending.
///
///     ensue::batch move{field, ensue::dp54{}, {.atol = 1.3e-4}};
///     move.advance(vertices, {0.f, 1.f});                           // std::vector<ensue::vec<float, 3>>
///
///     ensue::batch family{[](auto t, const auto& x, auto& dx, const auto& p) { … }, ensue::tsit5{}};
///     family.threads = 0;                                           // as many as there are
///     auto report = family.advance_with(numbers, states, spans, endings);   // spans and endings: one a trajectory
///
/// They run in the lanes of packs, four packs in turn (one would wait for its own results), with the same steps and the
/// same tables as a trajectory alone; a lane whose trajectory has ended takes the next one. The system is called with packs and is written over
/// any scalar. What comes out for a trajectory does not depend on the number of lanes, on the threads or on the other trajectories: with
/// -ffp-contract=off it is, bit for bit, what `solve` gives. (With contraction a compiler may round a product differently in lanes and alone.)
///
/// Explicit methods; fixed steps too. No events and no dense output.
#pragma once

#include <ensue/batch/lane_feed.hpp>
#include <ensue/control/spread_options.hpp>
#include <ensue/numbers/pack.hpp>

#include <memory>
#include <mutex>
#include <stdexcept>

namespace ensue {

/// How many trajectories go side by side where nothing else is said: those of two registers. An f of ten operations, of which a processor can look ahead to the next
/// step's, is a tenth faster in those of one: advance<lanes_of_register<double>>(…).
#if defined(ENSUE_HAS_PACK)
template <class T> inline constexpr int lanes_of_register = ENSUE_PACK_REGISTER / static_cast<int>(sizeof(T));
template <class T> inline constexpr int preferred_lanes = 2 * lanes_of_register<T>;
template <class T, int Lanes> using number_of_lanes = std::conditional_t<Lanes == 1, T, pack<T, Lanes>>;
#else
template <class T> inline constexpr int lanes_of_register = 1;
template <class T> inline constexpr int preferred_lanes = 1;
template <class T, int> using number_of_lanes = T;
#endif

namespace detail {

/// What stands in for a table where there are none.
struct no_parameters {
  static constexpr std::size_t extent = 0, count = 0;
  static constexpr std::size_t components() { return 0; }
};

template <class States> auto table_of(States&& states) {
  if constexpr (requires { states.first, states.stride; }) return states;
  else return rows_of(states);
}
template <class States> using number_in = std::remove_const_t<typename decltype(table_of(std::declval<States&>()))::value_type>;

/// N numbers, or so many as are there when it runs.
template <class Number, std::size_t N> using state_over = std::conditional_t<N == 0, std::vector<Number>, vec<Number, (N > 0 ? N : 1)>>;

template <class State> State zero_state(std::size_t size) {
  if constexpr (extent_of<State> == 0) return State(size, element_of<State>(0));
  else return State{};
}

template <class System, class Number, class Table> struct system_in_lanes {
  using type = with_parameters<System, state_over<Number, Table::extent>>;
};
template <class System, class Number> struct system_in_lanes<System, Number, no_parameters> {
  using type = System;
};
template <class System, class Number, class Table> using system_over = typename system_in_lanes<System, Number, Table>::type;

template <class Wanted, class System> Wanted make_system(const System& system, [[maybe_unused]] std::size_t parameters) {
  if constexpr (std::is_same_v<Wanted, System>) return system;
  else return Wanted{system, zero_state<decltype(Wanted::p)>(parameters)};
}

/// Trajectories that a thread takes at once: enough that threads seldom meet, few enough that they end together.
inline constexpr std::size_t trajectories_at_once = 256;

}  // namespace detail

/// Which steps a batch is compiled for: those that its settings ask for, or only those that the error chooses, which takes a compiler less time.
enum class batch_steps : unsigned char { as_set, adaptive };

/// One thread's share of a batch, in lanes of this number: takes from `work` what is left. (Beside the class, and with the number among its template
/// arguments, so that it can be compiled for several instruction sets in one program: see pack_registers.hpp.)
template <class Number, batch_steps Steps = batch_steps::as_set, class System, class Method, class Task>
batch_report advance_share(const System& system, const Method& method, const options<std::span<double>>& settings, const Task& task,
                           shared_work& work) {
  using State = detail::state_over<Number, decltype(task.states)::extent>;
  using loop_system = detail::system_over<System, Number, decltype(task.parameters)>;
  using loop = stepping_loop<loop_system, State, Method>;
  (void)require_system<loop_system, State>{};
  const auto block = std::make_unique<loop>(detail::make_system<loop_system>(system, task.parameters.components()),
                                            detail::zero_state<State>(task.states.components()), real_type<State>(0), method,
                                            detail::spread_options<State>(settings, task.states.components()));
  lane_feed<Task, loop_system, State, Method> feed(task, work, *block);
  if constexpr (Steps == batch_steps::adaptive) {
    return feed.run_adaptive();
  } else {
    if constexpr (loop::stepper::may_estimate)
      if (!(settings.step > 0)) return feed.run_adaptive();
    return feed.run_fixed(block->settings.step);
  }
}

/// Throws where a batch was told something that it cannot do.
template <class Task> void check_batch(const Task& task, const options<std::span<double>>& settings, const char* method,
                                       bool has_estimate) {
  const std::size_t count = task.states.count, size = task.states.components();
  if (!task.spans.fits(count)) throw std::length_error("ensue: a batch needs one span, or one a trajectory");
  if (!task.endings.empty() && task.endings.size() != count)
    throw std::length_error("ensue: a batch needs room for the ending of every trajectory, or none");
  if (count > 0 && (!settings.rtol.fits(size) || !settings.atol.fits(size)))
    throw std::invalid_argument("ensue: " + detail::input_sentence(input_fault::tolerance_count, method));
  if (settings.norm.kind == norm_kind::custom)
    throw std::invalid_argument("ensue: a batch measures errors with one of the norms that have a name");
  if (!(settings.step > 0) && !has_estimate)
    throw std::invalid_argument("ensue: " + detail::input_sentence(input_fault::no_error_estimate, method));
}

/// Shares work among threads: each calls share(work), and what they report is added up.
template <class Share> batch_report share_batch(std::size_t trajectories, unsigned threads, const char* method, const Share& share) {
  shared_work work(trajectories, detail::trajectories_at_once);
  std::mutex together;
  batch_report all;
  all.method = method;
  on_threads(threads, [&](unsigned) {
    try {
      const batch_report mine = share(work);
      const std::lock_guard lock(together);
      all.add(mine);
    } catch (...) {
      work.stop();
      throw;
    }
  });
  return all;
}

template <class System, class Method> class batch {
 public:
  /// Tolerances that are not named are those of double.
  explicit batch(const System& f, const Method& with = {}, const options<std::span<double>>& s = {})
      : system(f), method(with), settings(s) {}

  System system;
  Method method;
  options<std::span<double>> settings;
  unsigned threads = 1;  ///< 0: as many as the machine has

  /// All of them, in place, over one span, {from, to}, or each over its own. `states` are a range of states of fixed size, or a table
  /// (rows_of, columns_of). With `endings`, one a trajectory, it is written there how each ended.
  template <int Lanes = 0, class States>
  batch_report advance(States&& states, const batch_spans<detail::number_in<States>>& spans, std::span<trajectory_ending> endings = {}) {
    return run<Lanes>(batch_task{detail::table_of(states), detail::no_parameters{}, spans, endings});
  }

  /// The same where each has parameters of its own, p in f(t, x, dx, p): a range of states again, or a table.
  template <int Lanes = 0, class Parameters, class States>
  batch_report advance_with(const Parameters& parameters, States&& states, const batch_spans<detail::number_in<States>>& spans,
                            std::span<trajectory_ending> endings = {}) {
    const batch_task task{detail::table_of(states), detail::table_of(parameters), spans, endings};
    if (task.parameters.count != task.states.count) throw std::length_error("ensue: a batch needs the parameters of every trajectory");
    return run<Lanes>(task);
  }

 private:
  template <int Lanes, class Task> batch_report run(const Task& task) {
    using base = typename Task::base;
    using number = number_of_lanes<base, Lanes == 0 ? preferred_lanes<base> : Lanes>;
    using stepper = stepper_of<Method, detail::state_over<number, decltype(task.states)::extent>>;
    check_batch(task, settings, stepper::name(), stepper::has_estimate());
    return share_batch(task.states.count, threads, stepper::name(),
                       [&](shared_work& work) { return advance_share<number>(system, method, settings, task, work); });
  }
};

}  // namespace ensue
