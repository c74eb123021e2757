/// Eigen's sparse LU for every implicit method of the program: include this in one of its files. Without Eigen it does nothing.
///
///     #include <ensue/linear/eigen_solver.hpp>                     // double; `ensue::linear::use_eigen<float>()` for others
#pragma once

#include <ensue/linear/eigen_lu.hpp>
#include <ensue/linear/sparse_solver.hpp>

#if defined(ENSUE_HAS_EIGEN_LU)

namespace ensue::linear {

template <plain_scalar T> class eigen_solver final : public sparse_solver<T> {
 public:
  explicit eigen_solver(const sparsity_pattern& p) : lu_(p) {}
  bool factor(const sparse_matrix<T>& a) override { return lu_.factor(a); }
  void solve(std::span<T> b) override { lu_.solve(b); }

  static std::unique_ptr<sparse_solver<T>> make(const sparsity_pattern& p) { return std::make_unique<eigen_solver>(p); }

 private:
  sparse_lu<T> lu_;
};

/// Makes it the program's for numbers of type T; returns true.
template <plain_scalar T> bool use_eigen() {
  make_sparse_solver<T> = eigen_solver<T>::make;
  return true;
}

/// For double. Others a compiler takes seconds for, each.
inline const bool uses_eigen = use_eigen<double>();

}  // namespace ensue::linear
#endif
