/// What the tests of models of particles share: states that look random, forces against the gradient of the energy, blocks against the
/// derivative of the forces, all by dual numbers.
#pragma once

#include "linear/support.hpp"

#include <ensue/numbers/dual.hpp>
#include <ensue/model/force_blocks.hpp>
#include <ensue/models/points.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ensue::tests {

/// x = (q, v): positions moved by up to `by`, velocities up to one.
inline std::vector<double> disturbed(std::span<const models::point> positions, double by, std::uint64_t seed) {
  numbers random(seed);
  std::vector<double> x = models::at_rest(positions);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i < x.size() / 2 ? x[i] + by * random() : random();
  return x;
}

inline double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

/// Forces, masses times accelerations, of a model without constraints.
template <class Model> std::vector<double> forces_of(const Model& model, const std::vector<double>& x, double t = 0) {
  const std::size_t n = x.size() / 2;
  std::vector<double> f(n);
  std::span<double> a(f);
  model.acceleration(t, std::span<const double>(x.data(), n), std::span<const double>(x.data() + n, n), a);
  for (std::size_t i = 0; i < n; ++i) f[i] *= model.mass(i / 3);
  return f;
}

/// The largest difference between the force and −∂(potential energy)/∂q, as a part of the largest force. For models without damping.
template <class Model> double gradient_mismatch(const Model& model, const std::vector<double>& x) {
  using number = dual<double, 1>;
  const std::vector<double> f = forces_of(model, x);
  std::vector<number> moved(x.begin(), x.end());
  double worst = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    moved[i].derivative[0] = 1;
    worst = std::max(worst, std::fabs(f[i] + model.potential_energy(moved).derivative[0]));
    moved[i].derivative[0] = 0;
  }
  return worst / largest_of(f);
}

/// Adds up K dq + D dv.
struct directional_receiver {
  std::span<const double> dq, dv;
  std::vector<double> change;

  void couple(std::size_t i, std::size_t j, const force_block& by_position, const force_block& by_velocity) {
    linear::add_product(by_position, dq.data() + 3 * j, change.data() + 3 * i);
    linear::add_product(by_velocity, dv.data() + 3 * j, change.data() + 3 * i);
  }
  void spring(std::size_t i, std::size_t j, force_block by_position, force_block by_velocity) {
    couple(i, i, by_position, by_velocity), couple(j, j, by_position, by_velocity);
    by_position *= -1, by_velocity *= -1;
    couple(i, j, by_position, by_velocity), couple(j, i, by_position, by_velocity);
  }
};

/// The largest difference between the blocks and the derivative of the force along a direction that looks random, as a part of the largest
/// derivative.
template <class Model> double block_mismatch(const Model& model, const std::vector<double>& x, std::uint64_t seed, double t = 0) {
  using number = dual<double, 1>;
  const std::size_t n = x.size() / 2;
  const std::vector<double> d = random_vector<double>(2 * n, seed);
  std::vector<number> moved(x.begin(), x.end()), a(n);
  for (std::size_t i = 0; i < 2 * n; ++i) moved[i].derivative[0] = d[i];
  std::span<number> out(a);
  model.acceleration(t, std::span<const number>(moved.data(), n), std::span<const number>(moved.data() + n, n), out);
  directional_receiver blocks{{d.data(), n}, {d.data() + n, n}, std::vector<double>(n, 0.)};
  model.blocks(t, std::span<const double>(x.data(), n), std::span<const double>(x.data() + n, n), force_derivatives::exact, blocks);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double exact = model.mass(i / 3) * a[i].derivative[0];
    worst = std::max(worst, std::fabs(exact - blocks.change[i]));
    largest = std::max(largest, std::fabs(exact));
  }
  return worst / largest;
}

/// −dᵀ(∂f/∂x)d or, along velocities, −dᵀ(∂f/∂v)d of the definite derivatives: the least of a few directions, as a part of the largest.
template <class Model> double least_curvature(const Model& model, const std::vector<double>& x, bool along_positions) {
  const std::size_t n = x.size() / 2;
  double least = 1e300, largest = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<double> d = random_vector<double>(n, seed), none(n, 0.);
    for (std::size_t i = 0; i < n; ++i)
      if (seed > 10 && i / 3 != (seed * 7) % (n / 3)) d[i] = 0;  // one particle alone
    directional_receiver blocks{along_positions ? d : none, along_positions ? none : d, std::vector<double>(n, 0.)};
    model.blocks(0, std::span<const double>(x.data(), n), std::span<const double>(x.data() + n, n), force_derivatives::definite, blocks);
    double curvature = 0;
    for (std::size_t i = 0; i < n; ++i) curvature -= d[i] * blocks.change[i];
    least = std::min(least, curvature), largest = std::max(largest, curvature);
  }
  return least / largest;
}

/// Sum of forces and of torques about the origin, as parts of the largest force.
template <class Model> double momentum_change(const Model& model, const std::vector<double>& x) {
  using namespace models;
  const std::vector<double> f = forces_of(model, x);
  point force = {0, 0, 0}, torque = {0, 0, 0};
  for (std::size_t i = 0; i < f.size() / 3; ++i) {
    force = force + at<double>(f, i);
    torque = torque + cross(at<double>(std::span<const double>(x), i), at<double>(f, i));
  }
  return std::max(largest_of(force), largest_of(torque)) / largest_of(f);
}

/// What is said of a scene that is wrong; nothing of one that is not.
template <class Make> std::string complaint(const Make& make) {
  try {
    make();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace ensue::tests
