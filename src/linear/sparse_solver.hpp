/// The sparse solver that methods chosen by name use (linear/sparse_solver.hpp), compiled once.
#pragma once

namespace ensue {

/// Whether there is one: Eigen's, if Eigen was there when this was built.
bool bring_sparse_solver();

}  // namespace ensue
