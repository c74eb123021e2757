/// How the components' errors, each in units of its tolerance, become one number.
///
///     {.norm = ensue::norms::maximum}
///     {.norm = +[](const double* errors, std::size_t n) { return errors[0]; }}   // the first component counts
#pragma once

#include <ensue/control/tolerance.hpp>
#include <ensue/numbers/state.hpp>

namespace ensue {

/// The norms there are. `rms` is the root of the mean square, so that a tolerance means the same for 3 components and for
/// 3 million.
enum class norm_kind : unsigned char { rms, maximum, euclidean, manhattan, custom };

/// A norm: one of the four, or the caller's own function of the weighted errors' sizes.
template <class real> struct error_norm {
  using function = real (*)(const real* weighted, std::size_t count);
  norm_kind kind = norm_kind::rms;
  function custom = nullptr;

  error_norm() = default;
  ENSUE_HD constexpr error_norm(norm_kind which) : kind(which) {}
  ENSUE_HD constexpr error_norm(function own) : kind(norm_kind::custom), custom(own) {}
};

namespace norms {
inline constexpr norm_kind rms = norm_kind::rms;
inline constexpr norm_kind maximum = norm_kind::maximum;
inline constexpr norm_kind euclidean = norm_kind::euclidean;
inline constexpr norm_kind manhattan = norm_kind::manhattan;
}  // namespace norms

/// Tolerances and norm together: what turns a vector of errors into "so many times what is allowed".
///
/// Results are squares, because the Euclidean norms then need no root and the step-size law takes a square with half the
/// exponent.
template <state S> class error_measure {
 public:
  using real = real_type<S>;

  ENSUE_HD error_measure(const tolerance<S>& rtol, const tolerance<S>& atol, const error_norm<real>& norm,
                         std::size_t size)
      : rtol_(rtol), atol_(atol), norm_(norm) {
    // 0/0 would be an error that is no number
    for (std::size_t i = 0; i < atol_.size(); ++i) atol_[i] = maximum(atol_[i], real(least_normal<real>));
    for (std::size_t i = 0; i < rtol_.size(); ++i) below_rounding_ = below_rounding_ || any(rtol_[i] < real(epsilon<real>));
    if constexpr (extent_of<S> == 0)
      if (norm.kind == norm_kind::custom) weighted_ = buffer<real>(size);
    if constexpr (extent_of<S> > 0) (void)size;
  }

  /// ‖error(i)/(atol_i + rtol_i·max(|x_i|, |x_new_i|))‖². NaN where an error or an element of x_new is not finite, whatever the
  /// norm: 0·x_new and 0·error are added to the result, where no `max` can lose them.
  template <bool Euclidean = false, class Storage, class Error>
  ENSUE_HD ENSUE_INLINE real squared_norm(const Storage& x, const Storage& x_new, Error error) {
    const auto *const before = x.data(), *const after = x_new.data();
    const auto weigh = [before, after, error](std::size_t i, const real& atol, const real& rtol) ENSUE_INLINE_LAMBDA {
      return error_ratio<real>(error(i), error_scale(atol, rtol, real(value_of(before[i])), real(value_of(after[i]))));
    };
    // on a unit that does not multiply, on a GPU in one instruction
    const auto nothing_of = [](const auto& value) ENSUE_INLINE_LAMBDA { return on_device ? real(0) * value : value - value; };
    const auto weighted = [this, weigh](std::size_t i) ENSUE_INLINE_LAMBDA { return weigh(i, atol_[i], rtol_[i]); };
    const auto sound = [after](std::size_t i) ENSUE_INLINE_LAMBDA { return real(0) * value_of(after[i]); };
    if constexpr (extent_of<Storage> > few) {
      return norm_by_blocks(x.size(),
                            [weighted, sound](std::size_t i) ENSUE_INLINE_LAMBDA { return weighted(i) + sound(i); });
    } else if constexpr (extent_of<Storage> == 0) {
      if (static_cast<std::size_t>(x.size()) > few) {
        if (atol_.size() == 1 && rtol_.size() == 1)  // nothing to look up, so that a compiler can do several at once
          return norm_by_blocks(x.size(), [weigh, sound, atol = atol_[0], rtol = rtol_[0]](std::size_t i)
                                              ENSUE_INLINE_LAMBDA { return weigh(i, atol, rtol) + sound(i); });
        return norm_by_blocks(x.size(),
                              [weighted, sound](std::size_t i) ENSUE_INLINE_LAMBDA { return weighted(i) + sound(i); });
      }
    }
    real sum(0), unsound(0);
    if (Euclidean || is_euclidean()) [[likely]] {
      for_each_in_order(x, [&sum, &unsound, weighted, nothing_of, after](std::size_t i) ENSUE_INLINE_LAMBDA {
        const real e = weighted(i);
        sum = sum + e * e;
        unsound = unsound + nothing_of(value_of(after[i]));
      });
      if (norm_.kind == norm_kind::rms && x.size() > 0)
        sum = sum * (base_of<real>(1) / static_cast<base_of<real>>(x.size()));
      return sum + unsound;
    }
    real errors[few];
    for_each_in_order(x, [&errors, &unsound, weighted, after](std::size_t i) ENSUE_INLINE_LAMBDA {
      errors[i] = magnitude(weighted(i));
      unsound = unsound + real(0) * value_of(after[i]) + real(0) * errors[i];
    });
    return squared_rare_norm(errors, x.size()) + unsound;
  }

  /// The same with errors that are not a step's: `x` alone sets the scale.
  template <class Storage, class Error> ENSUE_HD ENSUE_INLINE real squared_norm(const Storage& x, Error error) {
    return squared_norm(x, x, error);
  }

  /// Σ e(i)² over the elements of x, in the order in which squared_norm adds them up.
  template <class Storage, class Ratio> ENSUE_HD ENSUE_INLINE static real sum_of_squares(const Storage& x, Ratio e) {
    if constexpr (extent_of<Storage> > 0 && extent_of<Storage> <= few) return sum_in_order(x, e);
    else {
      const std::size_t size = static_cast<std::size_t>(x.size());
      if (size <= few) return sum_in_order(x, e);
      real sum[parts];
      for (std::size_t j = 0; j < parts; ++j) sum[j] = real(0);
      for (std::size_t first = 0; first < size; first += block) {
        const std::size_t count = size - first < block ? size - first : block, whole = count - count % parts;
        for (std::size_t i = 0; i < count; ++i) {
          const real each = e(first + i);
          real& part = sum[i < whole ? i % parts : 0];
          part = part + each * each;
        }
      }
      return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }

  ENSUE_HD ENSUE_INLINE bool is_euclidean() const { return norm_.kind == norm_kind::rms || norm_.kind == norm_kind::euclidean; }
  /// The same measure, for who knows that it is Euclidean.
  struct euclidean_measure {
    error_measure& whole;
    template <class Storage, class Error> ENSUE_HD ENSUE_INLINE real squared_norm(const Storage& x, const Storage& x_new, Error error) {
      return whole.template squared_norm<true>(x, x_new, error);
    }
    template <class Storage, class Error> ENSUE_HD ENSUE_INLINE real squared_norm(const Storage& x, Error error) { return squared_norm(x, x, error); }
  };
  ENSUE_HD ENSUE_INLINE euclidean_measure euclidean() { return {*this}; }

  /// Whether there are states for which it asks for more digits than their numbers have.
  ENSUE_HD ENSUE_INLINE bool may_be_below_rounding() const { return below_rounding_; }

  ENSUE_HD ENSUE_INLINE const tolerance<S>& rtol() const { return rtol_; }
  ENSUE_HD ENSUE_INLINE const tolerance<S>& atol() const { return atol_; }

 private:
  static constexpr std::size_t few = 8, parts = 4, block = extent_of<S> > 0 && extent_of<S> < 64 ? extent_of<S> : 64;

  template <class Storage, class Ratio> ENSUE_HD ENSUE_INLINE static real sum_in_order(const Storage& x, Ratio e) {
    real sum(0);
    for_each_in_order(x, [&sum, e](std::size_t i) ENSUE_INLINE_LAMBDA {
      const real each = e(i);
      sum = sum + each * each;
    });
    return sum;
  }

  /// A norm that is not a Euclidean one, of a few errors.
  ENSUE_COLD ENSUE_HD real squared_rare_norm(const real* errors, std::size_t size) const {
    real norm(0);
    if (norm_.kind == norm_kind::custom) norm = norm_.custom(errors, size);
    else if (norm_.kind == norm_kind::maximum)
      for (std::size_t i = 0; i < size; ++i) norm = maximum(norm, errors[i]);
    else
      for (std::size_t i = 0; i < size; ++i) norm = norm + errors[i];
    return norm * norm;
  }

  /// Many elements: first the weighted errors of a block, which a compiler can compute side by side, then their sum in four parts,
  /// so that no addition waits for the one before. The order depends on nothing but the number of elements.
  template <class Weighted> ENSUE_HD real norm_by_blocks(std::size_t size, Weighted weighted) {
    real e[block], sum[parts], unsound(0);
    for (std::size_t j = 0; j < parts; ++j) sum[j] = real(0);
    for (std::size_t first = 0; first < size; first += block) {
      const std::size_t count = size - first < block ? size - first : block;
      ENSUE_INDEPENDENT
      for (std::size_t i = 0; i < count; ++i) e[i] = weighted(first + i);
      if (norm_.kind == norm_kind::rms || norm_.kind == norm_kind::euclidean) {
        std::size_t i = 0;
        for (; i + parts <= count; i += parts)
          for (std::size_t j = 0; j < parts; ++j) sum[j] = sum[j] + e[i + j] * e[i + j];
        for (; i < count; ++i) sum[0] = sum[0] + e[i] * e[i];
        continue;
      }
      for (std::size_t i = 0; i < count; ++i) {
        const real size_of_e = magnitude(e[i]);
        if (norm_.kind == norm_kind::maximum) sum[0] = maximum(sum[0], size_of_e);
        else if (norm_.kind == norm_kind::manhattan) sum[0] = sum[0] + size_of_e;
        else weighted_[first + i] = size_of_e;
        unsound = unsound + real(0) * e[i];
      }
    }
    real total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    if (norm_.kind == norm_kind::rms && size > 0) return total * (base_of<real>(1) / static_cast<base_of<real>>(size));
    if (norm_.kind == norm_kind::euclidean) return total;
    if (norm_.kind == norm_kind::custom) total = norm_.custom(&weighted_[0], size);
    return total * total + unsound;
  }

  tolerance<S> rtol_, atol_;
  error_norm<real> norm_;
  bool below_rounding_ = false;
  std::conditional_t<(extent_of<S> > 0), vec<real, (extent_of<S> > 0 ? extent_of<S> : 1)>, buffer<real>> weighted_ = {};
};

}  // namespace ensue
