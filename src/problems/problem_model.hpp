/// A problem file's equations as methods want them: with their exact Jacobian where a method asks for one.
#pragma once

#include "problems/file_problem.hpp"

#include <ensue/registry.hpp>

namespace ensue {

/// f of the problem; for a method that differentiates also f' and ∂f/∂t, made now from the expressions. Where those would be too large,
/// differences have to do. (Others do not pay for what they never ask for.)
system_function model_of(const file_problem& problem, const method_info& method);

/// The same with f' in any case: throws std::length_error where it would be too large. Of built-in models not all have one.
system_function differentiated_model_of(const file_problem& problem);

}  // namespace ensue
