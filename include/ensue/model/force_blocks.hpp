/// How a model hands over the derivatives of its forces: block by block, to whoever receives them.
///
/// A *receiver* has two members. A model calls them as often as it likes, with the same places in the same order at every state (places on the
/// diagonal may come and go, as what a particle touches does); contributions to one place add up.
///
///     couple(i, j, K, D)     ∂f_i/∂x_j has K, ∂f_i/∂v_j has D: the force on particle i, the position and velocity of particle j
///     spring(i, j, K, D)     a force on i and its opposite on j that depend on x_i − x_j, v_i − v_j: four places in one call
///
/// One source of derivatives serves matrices that are written element by element (below), the blocks of the condensed step (methods/implicit/condensed.hpp) and tests.
#pragma once

#include <ensue/linear/block.hpp>
#include <ensue/linear/filter.hpp>
#include <ensue/linear/pattern.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ensue {

using force_block = linear::block3<double>;

/// Whether derivatives are asked for as they are, or so that −∂f/∂x and −∂f/∂v are positive semidefinite, whatever that takes: a compressed
/// spring, which would give way to the side, has directions in which its stiffness is negative, and conjugate gradients cannot go on there.
enum class force_derivatives : unsigned char { exact, definite };

namespace detail {
struct any_receiver {
  void couple(std::size_t, std::size_t, const force_block&, const force_block&) {}
  void spring(std::size_t, std::size_t, const force_block&, const force_block&) {}
};
}  // namespace detail

/// A model of particles in space (three numbers each, x = (q, v)) that has accelerations, masses, the derivatives of its forces (mass times
/// acceleration where nothing is constrained) and its constraints as projections.
template <class F>
concept has_force_blocks = requires(const F& f, std::size_t i, double t, std::span<const double> q, detail::any_receiver& out,
                                    linear::constraint_filter<double>& filter) {
  { f.particles() } -> std::convertible_to<std::size_t>;
  { f.mass(i) } -> std::convertible_to<double>;
  f.blocks(t, q, q, force_derivatives::exact, out);
  f.constrain(filter);
};

/// Where force blocks have places beside the diagonal, as pairs of particles, one for each call.
struct edge_receiver {
  std::vector<std::pair<std::size_t, std::size_t>> edges = {};

  void couple(std::size_t i, std::size_t j, const force_block&, const force_block&) {
    if (i != j) edges.emplace_back(i, j);
  }
  void spring(std::size_t i, std::size_t j, const force_block&, const force_block&) { edges.emplace_back(i, j); }

  /// Of a model: its places are the same at every state, and so the state with all particles at the origin will do.
  template <has_force_blocks F> static edge_receiver of(const F& f) {
    edge_receiver found;
    const std::vector<double> origin(3 * f.particles(), 0.);
    f.blocks(0, origin, origin, force_derivatives::exact, found);
    return found;
  }
};

/// f' of the state x = (q, v), x' = (v, m⁻¹f), element by element. `mobility(i, block)` is the block with m⁻¹ of particle i before it, and
/// what constraints leave of that.
template <class Matrix, class Mobility> class matrix_receiver {
 public:
  matrix_receiver(Matrix& j, std::size_t particles, const Mobility& mobility) : j_(j), mobility_(mobility), n_(3 * particles) {
    for (std::size_t i = 0; i < n_; ++i) j_(i, n_ + i) = 1;
  }

  void couple(std::size_t i, std::size_t j, const force_block& by_position, const force_block& by_velocity) {
    add(i, 3 * j, mobility_(i, by_position));
    add(i, n_ + 3 * j, mobility_(i, by_velocity));
  }
  void spring(std::size_t i, std::size_t j, force_block by_position, force_block by_velocity) {
    couple(i, i, by_position, by_velocity);
    couple(j, j, by_position, by_velocity);
    by_position *= -1, by_velocity *= -1;
    couple(i, j, by_position, by_velocity);
    couple(j, i, by_position, by_velocity);
  }

 private:
  void add(std::size_t particle, std::size_t column, const force_block& b) {
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) j_(n_ + 3 * particle + r, column + c) += b(r, c);
  }

  Matrix& j_;
  const Mobility& mobility_;
  std::size_t n_;
};

/// Where that f' has elements.
template <has_force_blocks F> linear::sparsity_pattern jacobian_pattern_of(const F& f) {
  const std::size_t n = 3 * f.particles();
  std::vector<linear::sparsity_pattern::entry> entries;
  for (std::size_t i = 0; i < n; ++i) entries.emplace_back(i, n + i);
  const auto add = [&](std::size_t i, std::size_t j) {
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 6; ++c) entries.emplace_back(n + 3 * i + r, c / 3 * n + 3 * j + c % 3);
  };
  for (std::size_t i = 0; i < f.particles(); ++i) add(i, i);
  for (const auto& [i, j] : edge_receiver::of(f).edges) add(i, j), add(j, i);
  return linear::sparsity_pattern::from_entries(2 * n, 2 * n, entries);
}

}  // namespace ensue
