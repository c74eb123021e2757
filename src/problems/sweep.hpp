/// Trajectories of a problem file side by side, in lanes and threads.
#pragma once

#include "problems/swept_problem.hpp"

#include <ensue/batch/trajectories.hpp>
#include <ensue/options.hpp>

#include <span>
#include <string>

namespace ensue {

enum class sweep_backend : unsigned char { scalar, lanes, threads };

/// Advances states, one after another in memory, over a span, each with its row of parameters. `method` is an explicit one, by name
/// (explicit_tables.hpp). What comes out does not depend on the backend.
batch_report sweep(const swept_problem& of, const std::string& method, sweep_backend backend, const options<std::span<double>>& settings,
                   interval<double> span, std::span<double> states, std::span<const double> parameters,
                   std::span<trajectory_ending> endings);

}  // namespace ensue
