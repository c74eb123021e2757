/// Banded matrices: what lies no further than `lower` below and `upper` above the diagonal; solved in time linear in n.
///
///     ensue::linear::banded_matrix<double> J(n, 2, 2);   // the 1-D Brusselator, unknowns interleaved
///     J(i, j) = …;                                       // |i − j| within the band
///     ensue::linear::banded_lu<double> W(n, 2, 2);       // all memory is taken here
///     if (!W.factor_shifted(J, 1 / (h * gamma))) …;      // I/(hγ) − J; false: singular, W.singular_at() says where
///     W.solve(b);                                        // in place
///
/// Factoring takes about 2n·lower·(lower + upper) operations, solving 2n·(2·lower + upper).
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace ensue::linear {

/// Where a factorisation found nothing to divide by: nowhere, or the column.
inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// Row i holds the columns i − lower … i + upper, contiguous; those outside the matrix are there, and zero.
template <plain_scalar T> class banded_matrix {
 public:
  using value_type = T;
  banded_matrix() = default;
  banded_matrix(std::size_t size, std::size_t lower, std::size_t upper)
      : size_(size), lower_(lower), upper_(upper), values_(size * (lower + upper + 1)) {}

  std::size_t size() const { return size_; }
  std::size_t lower() const { return lower_; }
  std::size_t upper() const { return upper_; }
  std::size_t width() const { return lower_ + upper_ + 1; }
  bool holds(std::size_t i, std::size_t j) const { return j + lower_ >= i && j <= i + upper_; }

  T& operator()(std::size_t i, std::size_t j) { return values_[i * width() + (j + lower_ - i)]; }
  const T& operator()(std::size_t i, std::size_t j) const { return values_[i * width() + (j + lower_ - i)]; }
  T* row(std::size_t i) { return values_.data() + i * width(); }  ///< its first element is column i − lower
  const T* row(std::size_t i) const { return values_.data() + i * width(); }
  void clear() {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = T(0);
  }

  /// y = A x
  void multiply(std::span<const T> x, std::span<T> y) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t first = i > lower_ ? i - lower_ : 0;
      const std::size_t last = i + upper_ < size_ ? i + upper_ : size_ - 1;
      const T* const a = row(i) + (first + lower_ - i);
      T sum = T(0);
      for (std::size_t j = first; j <= last; ++j) sum += a[j - first] * x[j];
      y[i] = sum;
    }
  }

 private:
  std::size_t size_ = 0, lower_ = 0, upper_ = 0;
  buffer<T> values_;
};

/// LU with partial pivoting (Golub & Van Loan, Matrix Computations, 4th ed., §4.3.3; LAPACK's gbtrf). Exchanges of rows make U wider
/// by `lower`: the memory for that is part of a row.
///
/// Singular means a pivot that is zero or not finite. A matrix that is singular but for rounding passes, as in LAPACK: how small is too
/// small depends on the scales of its rows and columns, which only the caller knows.
template <plain_scalar T> class banded_lu {
 public:
  using value_type = T;
  banded_lu() = default;
  banded_lu(std::size_t size, std::size_t lower, std::size_t upper)
      : size_(size), lower_(lower), upper_(upper), values_((size + lower) * width()), exchanged_(size) {}

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return values_.size() * sizeof(T) + size_ * sizeof(unsigned); }
  std::size_t singular_at() const { return singular_at_; }

  /// A = P L U. False where A is singular; then nothing may be solved with it.
  bool factor(const banded_matrix<T>& a) { return assemble(a, T(0), T(1)) && complete(); }

  /// shift·I − J, the matrix of every implicit method, with shift = 1/(hγ). J may have a narrower band.
  bool factor_shifted(const banded_matrix<T>& jacobian, T shift) { return assemble(jacobian, shift, T(-1)) && complete(); }
  /// shift·M − J. M may have a narrower band as well.
  bool factor_shifted(const banded_matrix<T>& jacobian, T shift, const banded_matrix<T>& mass) {
    return assemble(jacobian, T(0), T(-1)) && add(mass, shift) && complete();
  }

  /// x = A⁻¹ b in b's memory.
  void solve(std::span<T> b) const {
    with_fixed_band([&](auto lower, auto upper) ENSUE_INLINE_LAMBDA { substitute(b.data(), lower, upper); });
  }

 private:
  template <std::size_t N> using fixed = std::integral_constant<std::size_t, N>;

  std::size_t width() const { return 2 * lower_ + upper_ + 1; }

  /// The narrow bands of chains and of reaction and diffusion in one dimension, unrolled: solving takes a quarter to a half of the time.
  template <class Body> decltype(auto) with_fixed_band(const Body& body) const {
    if (lower_ == 1 && upper_ == 1) return body(fixed<1>{}, fixed<1>{});
    if (lower_ == 2 && upper_ == 2) return body(fixed<2>{}, fixed<2>{});
    if (lower_ == 3 && upper_ == 3) return body(fixed<3>{}, fixed<3>{});
    if (lower_ == 4 && upper_ == 4) return body(fixed<4>{}, fixed<4>{});
    return body(lower_, upper_);
  }

  bool fits(const banded_matrix<T>& a) {
    if (a.size() == size_ && a.lower() <= lower_ && a.upper() <= upper_) return true;
    return singular_at_ = 0, false;
  }

  /// scale·A + shift·I into the factors' memory.
  bool assemble(const banded_matrix<T>& a, T shift, T scale) {
    if (!fits(a)) return false;
    const std::size_t before = lower_ - a.lower(), w = width(), aw = a.width();
    for (std::size_t i = 0; i < size_; ++i) {
      T* const to = values_.data() + i * w;
      const T* const from = a.row(i);
      for (std::size_t j = 0; j < before; ++j) to[j] = T(0);
      for (std::size_t j = 0; j < aw; ++j) to[before + j] = scale * from[j];
      for (std::size_t j = before + aw; j < w; ++j) to[j] = T(0);
      to[lower_] += shift;
    }
    return true;
  }
  /// scale·A added to what is there.
  bool add(const banded_matrix<T>& a, T scale) {
    if (!fits(a)) return false;
    for (std::size_t i = 0; i < size_; ++i) {
      T* const to = values_.data() + i * width() + (lower_ - a.lower());
      const T* const from = a.row(i);
      for (std::size_t j = 0; j < a.width(); ++j) to[j] += scale * from[j];
    }
    return true;
  }

  /// The `lower` rows after the last are zero: elimination need not ask where the matrix ends.
  bool complete() {
    const std::size_t w = width();
    // What a caller has left outside the matrix, in the corners of the band, must not come in by an exchange.
    for (std::size_t i = 0; i < lower_ && i < size_; ++i)
      for (std::size_t j = 0; j < lower_ - i; ++j) values_[i * w + j] = T(0);
    for (std::size_t i = size_ > upper_ ? size_ - upper_ : 0; i < size_; ++i)
      for (std::size_t j = lower_ + size_ - i; j < w; ++j) values_[i * w + j] = T(0);
    for (std::size_t j = size_ * w; j < values_.size(); ++j) values_[j] = T(0);
    return eliminate();
  }

  bool eliminate() {
    return with_fixed_band([&](auto lower, auto upper) ENSUE_INLINE_LAMBDA { return eliminate(lower, upper); });
  }

  /// Row i, column j is at i·w + (j − i + lower): one row down, the same column is w − 1 further.
  template <class Lower, class Upper> ENSUE_INLINE bool eliminate(Lower lower, Upper upper) {
    const std::size_t reach = lower + upper, below = 2 * lower + upper;
    singular_at_ = nowhere;
    for (std::size_t k = 0; k < size_; ++k) {
      T* const ENSUE_RESTRICT pivot_row = values_.data() + k * (below + 1) + lower;  // its element 0 is column k
      std::size_t best = 0;
      T largest = magnitude(pivot_row[0]);
      for (std::size_t r = 1; r <= lower; ++r) {
        const T candidate = magnitude(pivot_row[r * below]);
        if (candidate > largest) largest = candidate, best = r;
      }
      if (!(largest > T(0) && largest <= std::numeric_limits<T>::max())) return singular_at_ = k, false;
      exchanged_[k] = static_cast<unsigned>(best);
      if (best != 0) {
        T* const other = pivot_row + best * below;
        for (std::size_t j = 0; j <= reach; ++j) std::swap(pivot_row[j], other[j]);
      }
      const T inverse = T(1) / pivot_row[0];
      for (std::size_t r = 1; r <= lower; ++r) {
        T* const ENSUE_RESTRICT row = pivot_row + r * below;
        const T multiplier = row[0] * inverse;
        row[0] = multiplier;
        ENSUE_INDEPENDENT
        for (std::size_t j = 1; j <= reach; ++j) row[j] -= multiplier * pivot_row[j];
      }
      pivot_row[0] = inverse;
    }
    return true;
  }

  /// Multipliers stay where they were made, as in LAPACK: exchanges and eliminations of b alternate as those of A did.
  template <class Lower, class Upper> ENSUE_INLINE void substitute(T* b, Lower lower, Upper upper) const {
    if constexpr (requires { Lower::value; }) return substitute_in_registers<Lower::value, Upper::value>(b);
    const std::size_t reach = lower + upper, below = 2 * lower + upper;
    for (std::size_t k = 0; k < size_; ++k) {
      const T* const column = values_.data() + k * (below + 1) + lower;
      if (exchanged_[k] != 0) std::swap(b[k], b[k + exchanged_[k]]);
      const T value = b[k];
      const std::size_t rows = size_ - 1 - k < lower ? size_ - 1 - k : static_cast<std::size_t>(lower);
      for (std::size_t r = 1; r <= rows; ++r) b[k + r] -= column[r * below] * value;
    }
    for (std::size_t k = size_; k-- > 0;) {
      const T* const row = values_.data() + k * (below + 1) + lower;
      std::size_t j = size_ - 1 - k < reach ? size_ - 1 - k : reach;
      // The nearest unknown is the newest: it comes last, so that the others need not wait for it. Long rows in four sums.
      T sum = b[k];
      if (j >= 12) {
        T partial[4] = {};
        for (; j > 4; j -= 4)
          for (std::size_t c = 0; c < 4; ++c) partial[c] += row[j - c] * b[k + j - c];
        sum -= (partial[0] + partial[2]) + (partial[1] + partial[3]);
      }
      for (; j > 0; --j) sum -= row[j] * b[k + j];
      b[k] = sum * row[0];
    }
  }

  /// The same with the unknowns in reach kept out of memory. There, compilers join the updates of two or four of them into one vector,
  /// whose load has to wait until the single stores before it are done: 16 against 4 ns a row for 2 + 2.
  template <std::size_t lower, std::size_t upper> ENSUE_INLINE void substitute_in_registers(T* b) const {
    constexpr std::size_t reach = lower + upper, below = 2 * lower + upper;
    T open[lower + 1];  // b[k] … b[k + lower]
    for (std::size_t r = 0; r <= lower; ++r) open[r] = r < size_ ? b[r] : T(0);
    for (std::size_t k = 0; k < size_; ++k) {
      const T* const column = values_.data() + k * (below + 1) + lower;
      const unsigned partner = exchanged_[k];
      if (partner != 0)
        for (std::size_t r = 1; r <= lower; ++r)
          if (partner == r) std::swap(open[0], open[r]);
      const T value = open[0];
      b[k] = value;
      for (std::size_t r = 1; r <= lower; ++r) open[r - 1] = open[r] - column[r * below] * value;
      open[lower] = k + lower + 1 < size_ ? b[k + lower + 1] : T(0);
    }
    T known[reach] = {};  // x[k + 1] … x[k + reach]; beyond the end zeros, times zeros
    for (std::size_t k = size_; k-- > 0;) {
      const T* const row = values_.data() + k * (below + 1) + lower;
      T sum = b[k];
      for (std::size_t j = reach; j > 0; --j) sum -= row[j] * known[j - 1];
      for (std::size_t j = reach - 1; j > 0; --j) known[j] = known[j - 1];
      b[k] = known[0] = sum * row[0];
    }
  }

  std::size_t size_ = 0, lower_ = 0, upper_ = 0, singular_at_ = nowhere;
  buffer<T> values_;
  buffer<unsigned> exchanged_;
};

}  // namespace ensue::linear
