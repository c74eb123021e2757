/// Splitting methods for q'' = a(t, q) as data: kicks v += h·kᵢ·a(q) and drifts q += h·dᵢ·v in turn, a kick first.
///
///     kick k₁, drift d₁, kick k₂, drift d₂, …
///
/// Each of them is the exact flow of a part of the Hamiltonian, so that any such sequence is symplectic. Time goes with the positions.
/// A table whose last drift is 0 ends with a kick at the new positions: its acceleration is the one that the next step begins with.
#pragma once

#include <ensue/numbers/config.hpp>

namespace ensue {

template <int Kicks> struct splitting_table {
  static constexpr int kicks = Kicks;

  int order;
  long double kick[Kicks];
  long double drift[Kicks];

  constexpr bool ends_with_kick() const { return drift[Kicks - 1] == 0; }

  /// The same forwards and backwards: reversing the steps reverses the motion.
  constexpr bool symmetric() const {
    if (!ends_with_kick()) return false;
    for (int i = 0; i < Kicks; ++i)
      if (!same(kick[i], kick[Kicks - 1 - i]) || (i + 1 < Kicks && !same(drift[i], drift[Kicks - 2 - i]))) return false;
    return true;
  }

  /// Whether a force that changes with time is asked for at times before or after the step.
  constexpr bool leaves_the_step() const {
    long double c = 0;
    for (int i = 0; i < Kicks; ++i) {
      c += drift[i];
      if (c < -1e-15L || c > 1 + 1e-15L) return true;
    }
    return false;
  }

  constexpr bool consistent() const {
    long double kicked = 0, drifted = 0;
    for (int i = 0; i < Kicks; ++i) kicked += kick[i], drifted += drift[i];
    return same(kicked, 1) && same(drifted, 1);
  }

 private:
  static constexpr bool same(long double a, long double b) { return a - b < 1e-14L && b - a < 1e-14L; }
};

/// x'' = −ω²x is stable for h·ω up to this: there the step's matrix has a trace beyond ±2 for the first time.
template <int Kicks> constexpr double imaginary_stability_interval(const splitting_table<Kicks>& table) {
  const auto unstable = [&](long double z) {
    long double q[2] = {1, 0}, v[2] = {0, 1};  // the columns of the matrix, velocities in units of ω
    for (int i = 0; i < Kicks; ++i)
      for (int j = 0; j < 2; ++j) {
        v[j] -= z * table.kick[i] * q[j];
        q[j] += z * table.drift[i] * v[j];
      }
    const long double trace = q[0] + v[1];
    return trace > 2 + 1e-9L || trace < -2 - 1e-9L;
  };
  constexpr long double stride = 1.0L / 64;
  long double low = 0, high = stride;
  while (!unstable(high)) low = high, high += stride;
  for (int i = 0; i < 60; ++i) {
    const long double middle = (low + high) / 2;
    (unstable(middle) ? high : low) = middle;
  }
  return static_cast<double>(low);
}

/// A symmetric composition of Verlet steps of lengths γ₁h, γ₂h, …, γ_m h, …, γ₂h, γ₁h from its first m, where the middle one is what
/// remains of 1. Kicks that meet are one.
template <int Half> constexpr auto composed_of_verlet(int order, const long double (&first)[Half]) {
  constexpr int stages = 2 * Half + 1;
  long double gamma[stages] = {}, middle = 1;
  for (int i = 0; i < Half; ++i) {
    gamma[i] = gamma[stages - 1 - i] = first[i];
    middle -= 2 * first[i];
  }
  gamma[Half] = middle;
  splitting_table<stages + 1> table{order, {}, {}};
  for (int i = 0; i < stages; ++i) {
    table.kick[i] += gamma[i] / 2;
    table.kick[i + 1] += gamma[i] / 2;
    table.drift[i] = gamma[i];
  }
  return table;
}

/// A symmetric table of `Kicks` kicks, a kick first and last, from the first half of them and of the drifts; those in the middle
/// are what remains of 1.
template <int Kicks, int K, int D> constexpr auto symmetric_splitting(int order, const long double (&kick)[K], const long double (&drift)[D]) {
  constexpr int drifts = Kicks - 1;
  static_assert(K == (Kicks - 1) / 2 && D == (drifts - 1) / 2);
  splitting_table<Kicks> table{order, {}, {}};
  long double kicked = 1, drifted = 1;
  for (int i = 0; i < K; ++i) table.kick[i] = table.kick[Kicks - 1 - i] = kick[i], kicked -= 2 * kick[i];
  for (int i = 0; i < D; ++i) table.drift[i] = table.drift[drifts - 1 - i] = drift[i], drifted -= 2 * drift[i];
  for (int i = K; i < Kicks - K; ++i) table.kick[i] = kicked / (Kicks - 2 * K);
  for (int i = D; i < drifts - D; ++i) table.drift[i] = drifted / (drifts - 2 * D);
  return table;
}

}  // namespace ensue
