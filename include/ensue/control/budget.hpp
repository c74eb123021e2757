/// The promise that a run ends: how small a step may get, and what happens then.
///
///     {.min_step = 1e-6, .when_too_small = ensue::at_min_step::accept_and_mark, .max_evaluations = 100'000}
#pragma once

#include <ensue/numbers/scalar.hpp>

#include <cstdint>

namespace ensue {

/// What happens when even the smallest step is too wrong.
enum class at_min_step : unsigned char {
  end_the_run,     ///< the outcome is `step_too_small`
  accept_and_mark  ///< always finish: the step is taken, and the answer says so
};

/// The smallest step worth trying at time t: the caller's, but never so small that t + h is t or that the stages' times
/// fall together. Four spacings of the numbers near t; near t = 0 the smallest normal numbers.
template <class real> ENSUE_HD ENSUE_INLINE real step_floor(const real& t, const real& min_step) {
  constexpr base_of<real> spacings = 4 * epsilon<real>;
  constexpr base_of<real> tiny = 1024 * least_normal<real>;
  return maximum(min_step, spacings * magnitude(t) + real(tiny));
}

/// Evaluations allowed where the caller names no number: minutes of work, not days.
inline constexpr std::int64_t default_max_evaluations = 100'000'000;

}  // namespace ensue
