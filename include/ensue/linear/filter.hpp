/// Constraints as projections: Baraff & Witkin (1998), "Large steps in cloth simulation", SIGGRAPH 98, §5.1–5.3.
///
/// A particle that may move in a plane, along a line or not at all has a 3×3 projection S onto what is left to it: I − p pᵀ,
/// I − p pᵀ − q qᵀ, 0. Instead of taking rows out of the matrix, which would change its structure, conjugate gradients pass every
/// residual and direction through S, and what the start of the iteration has along the forbidden directions stays there unchanged.
///
///     constraint_filter<double> filter(particles);
///     filter.fix(0);                                    // a corner is pinned
///     filter.keep_in_plane(7, normal);                  // slides on a table
///     cg.solve(A, b, x, preconditioner, filter, {});    // x enters with the velocity changes that are prescribed
#pragma once

#include <ensue/linear/block.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ensue::linear {

template <plain_scalar T> class constraint_filter {
 public:
  /// Memory for as many constraints as there may be (at most one a particle).
  explicit constraint_filter(std::size_t particles) : place_(particles, none) { constraints_.reserve(particles); }

  void clear() {
    for (const auto& c : constraints_) place_[c.particle] = none;
    constraints_.clear();
  }
  void release(std::size_t particle) { set(particle, block3<T>::identity()); }
  void fix(std::size_t particle) { set(particle, {}); }
  /// No motion along `normal`, which need not have length one.
  void keep_in_plane(std::size_t particle, const T (&normal)[3]) {
    const T square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    block3<T> s = block3<T>::identity();
    s += block3<T>::outer(normal, T(-1) / square);
    set(particle, s);
  }
  /// Motion along `direction` only.
  void keep_on_line(std::size_t particle, const T (&direction)[3]) {
    const T square = direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
    set(particle, block3<T>::outer(direction, T(1) / square));
  }
  /// A symmetric projection of the caller's.
  void set(std::size_t particle, const block3<T>& projection) {
    if (place_[particle] == none) {
      place_[particle] = constraints_.size();
      constraints_.push_back({particle, projection});
    } else {
      constraints_[place_[particle]].projection = projection;
    }
  }
  std::size_t count() const { return constraints_.size(); }

  void operator()(std::span<T> v) const {
    for (const auto& c : constraints_) {
      T* const own = v.data() + 3 * c.particle;
      T result[3] = {};
      add_product(c.projection, own, result);
      for (std::size_t k = 0; k < 3; ++k) own[k] = result[k];
    }
  }
  /// The rest: v − S v, which is zero where a particle is free.
  void keep_forbidden(std::span<T> v) const {
    for (std::size_t particle = 0; particle < place_.size(); ++particle) {
      T* const own = v.data() + 3 * particle;
      T allowed[3] = {own[0], own[1], own[2]};
      if (place_[particle] != none) {
        allowed[0] = allowed[1] = allowed[2] = T(0);
        add_product(constraints_[place_[particle]].projection, own, allowed);
      }
      for (std::size_t k = 0; k < 3; ++k) own[k] -= allowed[k];
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct constraint {
    std::size_t particle;
    block3<T> projection;
  };
  std::vector<constraint> constraints_;
  std::vector<std::size_t> place_;
};

/// Nothing is constrained.
struct no_filter {
  template <class T> void operator()(std::span<T>) const {}
};

}  // namespace ensue::linear
