/// Eigenvalues of small symmetric matrices, and the positive semidefinite matrix next to one.
///
///     make_positive_semidefinite(a);                               // double a[9][9]; of its eigenvalues none is negative then
#pragma once

#include <cmath>
#include <cstddef>

namespace ensue::models {

/// Cyclic Jacobi rotations (Golub & Van Loan, Matrix Computations, §8.5): the diagonal of `a` becomes its eigenvalues, and the columns of `vectors`
/// what belongs to them, of length one.
template <std::size_t N> void diagonalise(double (&a)[N][N], double (&vectors)[N][N]) {
  double size = 0;
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < N; ++j) size += a[i][j] * a[i][j], vectors[i][j] = i == j;
  const auto beside_diagonal = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < i; ++j) sum += a[i][j] * a[i][j];
    return sum;
  };
  constexpr int most_sweeps = 30;  // they converge quadratically: six or seven do
  for (int sweep = 0; sweep < most_sweeps && beside_diagonal() > 1e-32 * size; ++sweep)
    for (std::size_t p = 0; p + 1 < N; ++p)
      for (std::size_t q = p + 1; q < N; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1)), c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < N; ++k) {
          const double kp = a[k][p], kq = a[k][q], vp = vectors[k][p], vq = vectors[k][q];
          a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
          vectors[k][p] = c * vp - s * vq, vectors[k][q] = s * vp + c * vq;
        }
        for (std::size_t k = 0; k < N; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
        }
      }
}

/// Negative eigenvalues become zero: N. J. Higham (1988), "Computing a nearest symmetric positive semidefinite matrix", Linear Algebra Appl. 103,
/// 103–118.
template <std::size_t N> void make_positive_semidefinite(double (&a)[N][N]) {
  double vectors[N][N];
  diagonalise(a, vectors);
  double values[N];
  for (std::size_t k = 0; k < N; ++k) values[k] = a[k][k] > 0 ? a[k][k] : 0;
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < N; ++j) {
      a[i][j] = 0;
      for (std::size_t k = 0; k < N; ++k) a[i][j] += values[k] * vectors[i][k] * vectors[j][k];
    }
}

}  // namespace ensue::models
