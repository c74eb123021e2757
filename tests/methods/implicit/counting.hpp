/// A stiff model whose calls are counted, with an f' of its own or without.
#pragma once

#include <ensue/linear/dense.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>

namespace ensue::tests {

struct counting {
  std::int64_t *calls, *jacobians;
  bool has_jacobian;
  void operator()(double t, std::span<const double> x, std::span<double> dx) const {
    ++*calls;
    dx[0] = -50 * (x[0] - std::cos(t)) + (t > 1 ? x[1] : 0), dx[1] = -x[1] * x[0];
  }
  bool offers_jacobian() const { return has_jacobian; }
  void jacobian(double t, std::span<const double> x, linear::dense_matrix<double>& j) const {
    ++*jacobians;
    EXPECT_EQ(j(1, 1), 0) << "it arrives cleared";
    j(0, 0) = -50, j(0, 1) = t > 1 ? 1 : 0, j(1, 0) = -x[1], j(1, 1) = -x[0];
  }
};

}  // namespace ensue::tests
