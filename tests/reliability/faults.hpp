/// Something that goes wrong in a model at its n-th call: what the tests of faults share.
#pragma once

#include <ensue/outcome.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>

namespace ensue::tests {

enum class fault { nan, infinity, exception, no_memory, undefined };
inline constexpr fault every_fault[] = {fault::nan, fault::infinity, fault::exception, fault::no_memory, fault::undefined};
constexpr const char* name_of(fault what) {
  constexpr const char* names[] = {"NaN", "infinity", "an exception", "bad_alloc", "return false"};
  return names[static_cast<int>(what)];
}
constexpr bool throws(fault what) { return what == fault::exception || what == fault::no_memory; }

struct trouble : std::runtime_error {
  trouble() : std::runtime_error("trouble") {}
};

/// Which call of a model goes wrong, and how; its copies share it.
struct diary {
  fault what = fault::nan;
  int at = 0;  ///< 0: never
  int calls = 0;
};

/// What a model returns; the number is one of those that it has just written.
inline bool misbehave(diary& log, double& written) {
  if (++log.calls != log.at) return true;
  switch (log.what) {
    case fault::nan: written = std::numeric_limits<double>::quiet_NaN(); return true;
    case fault::infinity: written = std::numeric_limits<double>::infinity(); return true;
    case fault::exception: throw trouble();
    case fault::no_memory: throw std::bad_alloc();
    case fault::undefined: return false;
  }
  return true;
}

/// Runs the body. Whether it threw what such a fault throws.
template <class Body> bool threw_as_told(fault what, Body body) {
  try {
    body();
  } catch (const trouble&) {
    return what == fault::exception;
  } catch (const std::bad_alloc&) {
    return what == fault::no_memory;
  }
  return false;
}

/// How a run may end for which f, f' or the equations of a step are not to be had.
inline bool is_documented(outcome how) {
  for (const outcome each : {outcome::derivative_not_finite, outcome::state_not_finite, outcome::derivative_failed, outcome::equations_not_solved,
                             outcome::jacobian_not_finite, outcome::matrix_singular, outcome::start_not_consistent})
    if (how == each) return true;
  return false;
}

/// The largest difference, relative to b where that is more than 1.
inline double distance(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  return std::isfinite(most) ? most : std::numeric_limits<double>::infinity();
}

}  // namespace ensue::tests
