/// What the iterative solvers have in common: what they are told, how they end; and conjugate gradients.
///
///     conjugate_gradients<double> cg(n);                                    // memory, once
///     auto end = cg.solve(A, b, x, preconditioner);                         // x enters as a guess and leaves as the solution
///     if (!end.converged()) puts(describe(end.outcome));
///
/// An operator is a callable A(x, y) for y = A x, a preconditioner one for z = M⁻¹ r, both over spans; a block_matrix3 is one. For
/// operators that are not symmetric: gmres.hpp, bicgstab.hpp.
#pragma once

#include <ensue/linear/crew.hpp>
#include <ensue/linear/filter.hpp>
#include <ensue/linear/preconditioners.hpp>
#include <ensue/linear/sums.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace ensue::linear {

enum class krylov_outcome {
  converged,
  not_positive_definite,  ///< a direction p with pᵀA p ≤ 0, or a residual with rᵀM⁻¹r ≤ 0; x is the best before it
  out_of_iterations,
  breakdown  ///< a quotient of zeros, no progress (gmres), or a number that is not one: a NaN in A, in b or in M
};

inline const char* describe(krylov_outcome outcome) {
  switch (outcome) {
    case krylov_outcome::converged: return "converged";
    case krylov_outcome::not_positive_definite:
      return "the matrix or the preconditioner is not positive definite: take a smaller step, drop negative stiffness, or use gmres";
    case krylov_outcome::out_of_iterations: return "out of iterations: allow more, take a better preconditioner or a smaller step";
    case krylov_outcome::breakdown: return "broke down or stands still: the matrix is singular, or something in it is not a finite number";
  }
  return "";
}

struct krylov_options {
  double relative = 1e-8;           ///< ends where ‖b − A x‖ ≤ relative·‖b‖ …
  double absolute = 0;              ///< … or ≤ absolute, in the Euclidean norm
  std::size_t max_iterations = 10'000;
};

struct krylov_result {
  krylov_outcome outcome = krylov_outcome::converged;
  std::size_t iterations = 0;  ///< products with A, but for the one that makes the first residual and those that check the last
  double residual = 0;         ///< ‖b − A x‖ ÷ ‖b‖, as the iteration carries it along
  bool converged() const { return outcome == krylov_outcome::converged; }
};

namespace detail {

/// When an iteration is over. Relative to ‖b‖, and to the first residual where b is zero.
template <class T> struct krylov_target {
  double reference = 0, threshold = 0;
  krylov_target(const krylov_options& options, T b, T first_residual)
      : reference(b > T(0) ? static_cast<double>(b) : static_cast<double>(first_residual)),
        threshold(std::max(options.relative * reference, options.absolute)) {}
  bool reached(T residual) const { return static_cast<double>(residual) <= threshold; }
  double relative(T residual) const { return reference > 0 ? static_cast<double>(residual) / reference : static_cast<double>(residual); }
};

template <class T> std::span<T> all(buffer<T>& b) { return {b.data(), b.size()}; }
template <class T> std::span<const T> read(const buffer<T>& b) { return {b.data(), b.size()}; }

}  // namespace detail

/// Preconditioned conjugate gradients, for symmetric positive definite A and M (Hestenes & Stiefel 1952; Golub & Van Loan §11.5.2), in
/// Baraff & Witkin's modification for constraints (1998, §5.3) where a filter is given.
///
/// Four vectors of memory. An iteration reads and writes, beside what A and M take, 12 numbers an unknown: the update of x, of r and the
/// sum of r's squares are one pass.
template <plain_scalar T> class conjugate_gradients {
 public:
  conjugate_gradients() = default;
  explicit conjugate_gradients(std::size_t size)
      : r_(size), z_(size), p_(size), q_(size), sums_((size + detail::sum_block - 1) / detail::sum_block) {}

  std::size_t bytes() const { return 4 * r_.size() * sizeof(T); }

  template <class Operator, class Preconditioner = no_preconditioner, class Filter = no_filter>
  krylov_result solve(const Operator& a, std::span<const T> b, std::span<T> x, const Preconditioner& m = {}, const Filter& filter = {},
                      const krylov_options& options = {}) {
    crew alone;
    return solve(alone, a, b, x, m, filter, options);
  }
  /// With its sums by threads (A and M are the caller's matter): the same bits for any number of them.
  template <class Operator, class Preconditioner, class Filter>
  krylov_result solve(crew& hands, const Operator& a, std::span<const T> b, std::span<T> x, const Preconditioner& m, const Filter& filter,
                      const krylov_options& options) {
    const std::size_t n = r_.size();
    const std::span<T> r = detail::all(r_), z = detail::all(z_), p = detail::all(p_), q = detail::all(q_);
    std::copy(b.begin(), b.end(), z.begin());
    filter(z);
    const T size_of_b = euclidean_norm<T>(z);
    a(std::span<const T>(x), q);
    for (std::size_t i = 0; i < n; ++i) r_[i] = b[i] - q_[i];
    filter(r);
    T squares = inner_product<T>(r, r);
    const detail::krylov_target<T> target(options, size_of_b, std::sqrt(squares));
    krylov_result result;
    const auto end = [&](krylov_outcome outcome) {
      result.outcome = outcome;
      result.residual = target.relative(std::sqrt(squares));
      return result;
    };
    if (!std::isfinite(squares)) return end(krylov_outcome::breakdown);
    T previous = T(0);
    while (!target.reached(std::sqrt(squares))) {
      if (result.iterations == options.max_iterations) return end(krylov_outcome::out_of_iterations);
      m(std::span<const T>(r), z);
      filter(z);
      const T rz = product(hands, r_, z_);
      if (!std::isfinite(rz)) return end(krylov_outcome::breakdown);
      if (!(rz > T(0))) return end(krylov_outcome::not_positive_definite);
      turn(hands, result.iterations == 0 ? T(0) : rz / previous);
      previous = rz;
      a(std::span<const T>(p), q);
      filter(q);
      const T curvature = product(hands, p_, q_);
      ++result.iterations;
      if (!std::isfinite(curvature)) return end(krylov_outcome::breakdown);
      if (!(curvature > T(0))) return end(krylov_outcome::not_positive_definite);
      squares = advance(hands, rz / curvature, x.data());
      if (!std::isfinite(squares)) return end(krylov_outcome::breakdown);
    }
    return end(krylov_outcome::converged);
  }

 private:
  /// Σ term(i) as ordered_sum has it, its blocks by threads.
  template <class Term> T sum(crew& hands, const Term& term) {
    const std::size_t n = r_.size();
    if (hands.threads() == 1) return detail::ordered_sum<T>(n, term);
    hands.each(sums_.size(), [&](std::size_t block) {
      const std::size_t begin = block * detail::sum_block;
      sums_[block] = detail::block_sum<T>(begin, std::min(n, begin + detail::sum_block), term);
    });
    T total = T(0);
    for (std::size_t block = 0; block < sums_.size(); ++block) total += sums_[block];
    return total;
  }
  T product(crew& hands, const buffer<T>& x, const buffer<T>& y) {
    return sum(hands, [a = x.data(), b = y.data()](std::size_t i) ENSUE_INLINE_LAMBDA { return a[i] * b[i]; });
  }
  /// p = z + βp
  void turn(crew& hands, T beta) {
    hands.each(sums_.size(), [this, beta](std::size_t block) {
      const T* const ENSUE_RESTRICT z = z_.data();
      T* const ENSUE_RESTRICT p = p_.data();
      const std::size_t begin = block * detail::sum_block, end = std::min(p_.size(), begin + detail::sum_block);
      if (beta == T(0)) {  // the first p is whatever the last solve left, and may not be a number
        for (std::size_t i = begin; i < end; ++i) p[i] = z[i];
      } else {
        for (std::size_t i = begin; i < end; ++i) p[i] = z[i] + beta * p[i];
      }
    });
  }
  /// x += αp, r −= αq; returns rᵀr
  T advance(crew& hands, T alpha, T* x) {
    const T *const p = p_.data(), *const q = q_.data();
    T* const r = r_.data();
    return sum(hands, [=](std::size_t i) ENSUE_INLINE_LAMBDA {
      x[i] += alpha * p[i];
      const T changed = r[i] - alpha * q[i];
      r[i] = changed;
      return changed * changed;
    });
  }

  buffer<T> r_, z_, p_, q_, sums_;
};

}  // namespace ensue::linear
