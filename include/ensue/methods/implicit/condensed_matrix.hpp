/// The matrix of an implicit step for particles, condensed to velocities: M − h ∂f/∂v − h² ∂f/∂x, in 3×3 blocks.
#pragma once

#include <ensue/model/force_blocks.hpp>
#include <ensue/linear/block_matrix.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace ensue {

/// A receiver of force blocks (force_blocks.hpp). Conjugate gradients need a symmetric matrix: of derivatives that are not, which damping and
/// some fields have, the symmetric part is taken, as D. Baraff & A. Witkin (1998), "Large steps in cloth simulation", §4.5, leave out
/// what is not symmetric. Beside the matrix it adds up (∂f/∂x) v, of all of ∂f/∂x.
class condensed_matrix {
 public:
  /// Memory for the blocks that this model has: all that is ever allocated.
  template <has_force_blocks F> void fit(const F& f) {
    const auto edges = edge_receiver::of(f).edges;
    matrix_ = linear::block_matrix3<double>(f.particles(), edges);
    stiffness_times_velocity_ = buffer<double>(3 * f.particles());
    places_.clear();
    for (const auto& [i, j] : edges) places_.push_back(matrix_.position(i < j ? i : j, i < j ? j : i));
  }

  /// At (t, q, v), for a step of length h.
  template <has_force_blocks F>
  void assemble(const F& f, double t, double h, std::span<const double> q, std::span<const double> v, force_derivatives how) {
    h_ = h, velocity_ = v.data(), next_ = 0;
    matrix_.clear();
    for (std::size_t i = 0; i < f.particles(); ++i) matrix_.diagonal(i) = force_block::identity(f.mass(i));
    for (std::size_t i = 0; i < stiffness_times_velocity_.size(); ++i) stiffness_times_velocity_[i] = 0;
    f.blocks(t, q, v, how, *this);
  }

  std::size_t bytes() const {
    return matrix_.bytes() + stiffness_times_velocity_.size() * sizeof(double) + places_.size() * sizeof(std::size_t);
  }
  const linear::block_matrix3<double>& matrix() const { return matrix_; }
  const buffer<double>& stiffness_times_velocity() const { return stiffness_times_velocity_; }

  void couple(std::size_t i, std::size_t j, const force_block& by_position, const force_block& by_velocity) {
    linear::add_product(by_position, velocity_ + 3 * j, stiffness_times_velocity_.data() + 3 * i);
    force_block b = weighted(by_position, by_velocity);
    b *= 0.5;
    if (i == j) {
      matrix_.diagonal(i) += b;
      matrix_.diagonal(i) += b.transposed();
    } else {
      matrix_.above(places_[next_++]) += i < j ? b : b.transposed();
    }
  }
  void spring(std::size_t i, std::size_t j, const force_block& by_position, const force_block& by_velocity) {
    double relative[3], change[3] = {};
    for (std::size_t c = 0; c < 3; ++c) relative[c] = velocity_[3 * i + c] - velocity_[3 * j + c];
    linear::add_product(by_position, relative, change);
    for (std::size_t c = 0; c < 3; ++c) stiffness_times_velocity_[3 * i + c] += change[c], stiffness_times_velocity_[3 * j + c] -= change[c];
    force_block b = weighted(by_position, by_velocity);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t r = (c + 1) % 3;
      b(c, r) = b(r, c) = 0.5 * (b(c, r) + b(r, c));
    }
    matrix_.diagonal(i) += b;
    matrix_.diagonal(j) += b;
    b *= -1;
    matrix_.above(places_[next_++]) += b;
  }

 private:
  force_block weighted(const force_block& by_position, const force_block& by_velocity) const {
    force_block b;
    for (std::size_t k = 0; k < 9; ++k) b.elements[k] = -h_ * (by_velocity.elements[k] + h_ * by_position.elements[k]);
    return b;
  }

  linear::block_matrix3<double> matrix_;
  buffer<double> stiffness_times_velocity_;
  std::vector<std::size_t> places_;  ///< where blocks beside the diagonal go, in the order in which they come
  std::size_t next_ = 0;
  double h_ = 0;
  const double* velocity_ = nullptr;
};

}  // namespace ensue
