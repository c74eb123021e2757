/// A problem of a file followed to its end by a method of the registry, and watched on the way: output points, events,
/// invariants at every accepted step, the distance from an exact solution at the output points, stiffness as soon as it is
/// noticed.
#pragma once

#include "problems/file_problem.hpp"
#include "output_points.hpp"
#include "progress.hpp"

#include <ensue/output/drift.hpp>
#include <ensue/output/extrema.hpp>
#include <ensue/output/phase.hpp>
#include <ensue/registry.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ensue::command {

/// Who changed a quantity by how much.
struct ledger {
  double physics = 0;  ///< ∫ dI/dt along the run: what damping took and motors gave
  double events = 0;   ///< where an event changed the state
};

struct watched_invariant {
  std::string name;
  drift_record seen;
  std::optional<ledger> account;  ///< if asked for

  /// What neither physics nor events have done.
  double by_method() const { return seen.final - seen.initial - account->physics - account->events; }
};

/// The largest of distances between two states, over times and components.
struct largest_distance {
  double largest = 0, at_end = 0;  ///< max over components
  double t = 0;                    ///< where it is largest, and which component
  std::size_t component = 0;
  std::optional<error_parts> parts;  ///< the largest of each, where the whole true state is known

  /// Those of one more time. A distance that is no number stays the largest.
  void begin(double time) { now_ = time, at_end = 0; }
  void take(std::size_t which, double distance);
  void take_apart(std::span<const double> x, std::span<const double> truth, expression_system& f);

 private:
  double now_ = 0;
  std::vector<double> direction_;
};

struct happened_event {
  std::size_t event;  ///< index into the file's
  double t;
};

struct run_result {
  const method_info* method = nullptr;
  report ending;
  std::string message;
  double t = 0;
  std::vector<double> state;
  run_statistics<std::int64_t> statistics;
  double seconds = 0;  ///< by the clock
  std::vector<watched_invariant> invariants;
  std::vector<happened_event> events;
  std::optional<largest_distance> error;  ///< with [exact]
  ensue::extrema<double> extrema;         ///< if asked for
  bool out_of_memory = false;             ///< the run ended because of it; `ending` is then that of the last step

  /// An event that stops the run does what the file asks for.
  bool as_asked() const { return !out_of_memory && (ending.how == outcome::finished || ending.how == outcome::stopped_by_event); }
  /// The same, with no step whose error was larger than the tolerance.
  bool as_promised() const { return as_asked() && !ending.smallest_step_accepted; }
};

/// An output point. Valid during the call.
struct row {
  double t;
  std::span<const double> state, invariants;
};

/// What is to be seen of a run.
struct run_watch {
  output_points points =
      every_step{};  ///< the state reached in the end always comes last, whether it is one of them or not
  std::function<void(const row&)> take = {};
  std::function<void(double t, std::span<const double> x)> each_step = {};  ///< beside the points: the start and the end of every step
  std::function<void(const report&)> when_stiff = {};  ///< called once, when stiffness is noticed
  const std::atomic<bool>* interrupted = nullptr;      ///< looked at after every step
  bool progress = false;                               ///< a line on standard error, where it is a terminal
  bool ledger = false;                                 ///< who changed the invariants; costs three looks into every step
  bool extrema = false;                                ///< of every component; in the place of the points
};

/// How a run ended, with the names of the file.
std::string ending_in_words(const file_problem& problem, const report& ending, const method_info& method);

run_result run_observed(const file_problem& problem, const method_info& method, double to,
                        options<std::span<double>> settings, const run_watch& watch);

/// The same with an integrator that was made before, at the problem's start. `settings.cancel` is its maker's concern.
run_result run_observed(const file_problem& problem, const method_info& method, any_integrator& sim, double to, const run_watch& watch);

}  // namespace ensue::command
