/// A problem of a file followed to its end by a method of the registry, and watched on the way: invariants and the distance
/// from an exact solution at every accepted step, stiffness as soon as it is noticed.
#pragma once

#include "../../src/problem_file.hpp"

#include <ensue/registry.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ensue::command {

struct watched_invariant {
  std::string name;
  double initial = 0, final = 0;
  double largest_drift = 0;  ///< max |I(t) − I(start)|; NaN if it was ever undefined
};

struct measured_error {
  double largest = 0, at_end = 0;  ///< max over components |x − exact|
  double t = 0;                    ///< where it is largest, and which component
  std::size_t component = 0;
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
  std::optional<measured_error> error;  ///< with [exact]
};

/// `interrupted` is looked at after every step. `when_stiff` is called once, when stiffness is noticed.
run_result run_observed(const file_problem& problem, const method_info& method, double to,
                        options<std::span<double>> settings, const std::atomic<bool>& interrupted,
                        const std::function<void(const report&)>& when_stiff);

}  // namespace ensue::command
