/// Everything: the solvers and every method.
#pragma once

#include <ensue/dual.hpp>
#include <ensue/integrator.hpp>
#include <ensue/methods.hpp>
#include <ensue/pack.hpp>
#include <ensue/problem.hpp>
#include <ensue/solve.hpp>
#include <ensue/version.hpp>
