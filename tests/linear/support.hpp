/// What the tests of linear solvers share: numbers that look random and are the same everywhere, a solver that is plain enough to be
/// believed, and lattices.
#pragma once

#include <ensue/linear/block_matrix.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ensue::tests {

/// splitmix64 (Steele, Lea & Flood 2014), in [−1, 1).
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((0.5 + 0.5 * (*this)()) * static_cast<double>(n)); }

 private:
  std::uint64_t state_;
};

/// Gauss–Jordan with complete pivoting in long double, a matrix row by row.
inline std::vector<long double> reference_solution(std::vector<long double> a, std::vector<long double> b) {
  const std::size_t n = b.size();
  std::vector<std::size_t> column_of(n, n);
  std::vector<bool> used(n, false);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t row = 0, column = 0;
    long double largest = -1;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (!used[j] && column_of[i] == n && std::fabs(a[i * n + j]) > largest) largest = std::fabs(a[i * n + j]), row = i, column = j;
    column_of[row] = column, used[column] = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == row) continue;
      const long double m = a[i * n + column] / a[row * n + column];
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= m * a[row * n + j];
      b[i] -= m * b[row];
    }
  }
  std::vector<long double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[column_of[i]] = b[i] / a[i * n + column_of[i]];
  return x;
}

template <class T> std::vector<T> random_vector(std::size_t n, std::uint64_t seed) {
  numbers random(seed);
  std::vector<T> v(n);
  for (T& element : v) element = static_cast<T>(random());
  return v;
}

/// ‖b − A x‖∞ ÷ (‖A‖∞‖x‖∞ + ‖b‖∞), the backward error, for anything with multiply and a norm given.
template <class Matrix, class T>
double backward_error(const Matrix& a, double norm_of_a, const std::vector<T>& x, const std::vector<T>& b) {
  std::vector<T> ax(b.size());
  a.multiply(std::span<const T>(x), std::span<T>(ax));
  double residual = 0, size_of_x = 0, size_of_b = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    residual = std::fmax(residual, std::fabs(static_cast<double>(b[i]) - static_cast<double>(ax[i])));
    size_of_x = std::fmax(size_of_x, std::fabs(static_cast<double>(x[i])));
    size_of_b = std::fmax(size_of_b, std::fabs(static_cast<double>(b[i])));
  }
  return residual / (norm_of_a * size_of_x + size_of_b);
}

using edge_list = std::vector<std::pair<std::size_t, std::size_t>>;

/// n×n particles, joined to their neighbours along the axes and, where asked, along the diagonals.
inline edge_list lattice_edges(std::size_t n, bool diagonals) {
  edge_list edges;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t here = i * n + j;
      if (j + 1 < n) edges.emplace_back(here, here + 1);
      if (i + 1 < n) edges.emplace_back(here, here + n);
      if (diagonals && i + 1 < n && j + 1 < n) edges.emplace_back(here, here + n + 1);
      if (diagonals && i + 1 < n && j > 0) edges.emplace_back(here, here + n - 1);
    }
  return edges;
}

/// shift·I and on every edge a block B: with B the identity, three Laplacians side by side.
template <class T> linear::block_matrix3<T> lattice_matrix(std::size_t n, bool diagonals, T shift, const linear::block3<T>& b) {
  const edge_list edges = lattice_edges(n, diagonals);
  linear::block_matrix3<T> a(n * n, edges);
  for (std::size_t i = 0; i < n * n; ++i) a.add_to_diagonal(i, linear::block3<T>::identity(shift));
  for (const auto& [i, j] : edges) a.add_spring(i, j, b);
  return a;
}

}  // namespace ensue::tests
