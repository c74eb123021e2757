/// The derivatives of one element's force, by dual numbers.
#pragma once

#include <ensue/numbers/dual.hpp>
#include <ensue/model/force_blocks.hpp>
#include <ensue/models/points.hpp>

#include <cstddef>
#include <span>

namespace ensue::models {

/// The blocks of one element with N particles whose force is a template over the scalar, by dual numbers: force(x, v, f) with arrays of N.
template <std::size_t N, class Force, class Receiver>
void couple_by_duals(const std::size_t (&nodes)[N], std::span<const double> q, std::span<const double> v, const Force& force, Receiver& out) {
  constexpr int count = static_cast<int>(3 * N);
  using number = dual<double, count>;
  vec<number, 3> by_position[N], by_velocity[N];
  const auto differentiate = [&](bool moved, vec<number, 3>(&f)[N]) {
    vec<number, 3> x[N], u[N];
    for (std::size_t a = 0; a < N; ++a)
      for (std::size_t c = 0; c < 3; ++c) {
        const double position = q[3 * nodes[a] + c], velocity = v[3 * nodes[a] + c];
        const int index = static_cast<int>(3 * a + c);
        x[a][c] = moved ? number::variable(position, index) : number(position);
        u[a][c] = moved ? number(velocity) : number::variable(velocity, index);
      }
    force(x, u, f);
  };
  differentiate(true, by_position);
  differentiate(false, by_velocity);
  for (std::size_t a = 0; a < N; ++a)
    for (std::size_t b = 0; b < N; ++b) {
      block k, d;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) k(i, j) = by_position[a][i].derivative[3 * b + j], d(i, j) = by_velocity[a][i].derivative[3 * b + j];
      out.couple(nodes[a], nodes[b], k, d);
    }
}

}  // namespace ensue::models
