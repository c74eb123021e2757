/// Everything: the solvers, every method, and what watches a run.
#pragma once

#include <ensue/dual.hpp>
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/invariant.hpp>
#include <ensue/output/save.hpp>
#include <ensue/output/trajectory.hpp>
#include <ensue/pack.hpp>
#include <ensue/problem.hpp>
#include <ensue/solve.hpp>
#include <ensue/version.hpp>
