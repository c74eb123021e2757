/// Sums over long vectors that come out the same, bit for bit, in every run: eight partial sums in a fixed order, block by block.
///
///     inner_product<double>(x, y), euclidean_norm<double>(x)       // of spans
///
/// A compiler may not reorder a plain sum, which makes it wait four cycles for each addition; eight independent ones vectorise. Blocks
/// keep the error of a long sum in single precision at that of a short one: (4096/8 + n/4096)·ε instead of n·ε.
#pragma once

#include <ensue/numbers/config.hpp>

#include <cmath>
#include <cstddef>
#include <span>

namespace ensue::linear {
namespace detail {

inline constexpr std::size_t sum_block = 4096;

/// Σ term(i) over a block, term(i) being called once for each i, in ascending order; it may write.
template <class T, class Term> ENSUE_INLINE T block_sum(std::size_t begin, std::size_t end, const Term& term) {
  constexpr std::size_t lanes = 8;
  const std::size_t whole = end - (end - begin) % lanes;
  T partial[lanes] = {};
  for (std::size_t i = begin; i < whole; i += lanes) {
    ENSUE_INDEPENDENT
    for (std::size_t k = 0; k < lanes; ++k) partial[k] += term(i + k);
  }
  for (std::size_t i = whole; i < end; ++i) partial[i - whole] += term(i);
  return ((partial[0] + partial[4]) + (partial[2] + partial[6])) + ((partial[1] + partial[5]) + (partial[3] + partial[7]));
}

template <class T, class Term> ENSUE_INLINE T ordered_sum(std::size_t n, const Term& term) {
  T total = T(0);
  for (std::size_t begin = 0; begin < n; begin += sum_block) total += block_sum<T>(begin, n - begin < sum_block ? n : begin + sum_block, term);
  return total;
}

}  // namespace detail

template <class T> T inner_product(std::span<const T> x, std::span<const T> y) {
  const T *const a = x.data(), *const b = y.data();
  return detail::ordered_sum<T>(x.size(), [a, b](std::size_t i) ENSUE_INLINE_LAMBDA { return a[i] * b[i]; });
}
template <class T> T euclidean_norm(std::span<const T> x) { return std::sqrt(inner_product(x, x)); }

}  // namespace ensue::linear
