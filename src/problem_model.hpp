/// A problem file's equations as methods want them: with their exact Jacobian where a method asks for one.
#pragma once

#include "problem_file.hpp"

#include <ensue/registry.hpp>

namespace ensue {

/// f of the problem; for a method that differentiates also f' and ∂f/∂t, made now from the expressions. Where those would be too large,
/// differences have to do. (Others do not pay for what they never ask for.)
system_function model_of(const file_problem& problem, const method_info& method);

}  // namespace ensue
