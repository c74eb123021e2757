/// Everything that a program on one trajectory needs: the solvers, every method, and what watches a run.
///
///     #include <ensue/ensue.hpp>
///     auto run = ensue::solve([](double, const auto& x, auto& dx) { dx[0] = -x[0]; }, ensue::vec{1.}, {0, 5}, ensue::tsit5{});
///
/// Beside it: many trajectories (batch/batch.hpp), methods by name (registry.hpp), models (models/). All of it in docs/library.md.
#pragma once

#include <ensue/numbers/dual.hpp>
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/invariant.hpp>
#include <ensue/output/save.hpp>
#include <ensue/output/trajectory.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/problem.hpp>
#include <ensue/solve.hpp>
#include <ensue/version.hpp>
