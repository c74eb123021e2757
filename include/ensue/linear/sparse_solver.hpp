/// A sparse direct solver behind a pointer, so that implicit methods need not be compiled with the library that brings it.
///
/// Eigen's headers cost a second or two in every file that includes them. So they are included in one: who links ensue::ensue has it in the
/// library already, if Eigen was there when it was built; who uses the headers alone writes `#include <ensue/linear/eigen_solver.hpp>` into
/// one file of the program. Where nobody brings a solver, sparse matrices are solved as bands, in the order that makes them narrow.
#pragma once

#include <ensue/linear/sparse.hpp>

#include <memory>
#include <span>

namespace ensue::linear {

template <plain_scalar T> class sparse_solver {
 public:
  virtual ~sparse_solver() = default;
  virtual bool factor(const sparse_matrix<T>& a) = 0;
  virtual void solve(std::span<T> b) = 0;
};

/// Makes a solver for matrices of a pattern: its structure is analysed then.
template <plain_scalar T> using sparse_solver_maker = std::unique_ptr<sparse_solver<T>> (*)(const sparsity_pattern&);

/// The maker of this program; nullptr: there is none.
template <plain_scalar T> inline constinit sparse_solver_maker<T> make_sparse_solver = nullptr;

}  // namespace ensue::linear
