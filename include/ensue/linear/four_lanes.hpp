/// Four numbers that are multiplied and added together. They are a `pack` where the compiler has vector extensions, and four
/// plain numbers where it has none (nvcc), so that the solvers of blocks compile everywhere.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/pack.hpp>

namespace ensue::linear {

#if defined(ENSUE_HAS_PACK)

template <class T> using four_lanes = pack<T, 4>;

#else

template <class T> struct four_lanes {
  T numbers[4];

  four_lanes() = default;
  four_lanes(T all) : numbers{all, all, all, all} {}
  template <class U> explicit four_lanes(const four_lanes<U>& x) {
    for (int i = 0; i < 4; ++i) numbers[i] = static_cast<T>(x.numbers[i]);
  }
  static four_lanes load(const T* from) {
    four_lanes loaded;
    for (int i = 0; i < 4; ++i) loaded.numbers[i] = from[i];
    return loaded;
  }

  friend four_lanes operator+(const four_lanes& a, const four_lanes& b) {
    four_lanes sum;
    for (int i = 0; i < 4; ++i) sum.numbers[i] = a.numbers[i] + b.numbers[i];
    return sum;
  }
  friend four_lanes operator*(const four_lanes& a, const four_lanes& b) {
    four_lanes product;
    for (int i = 0; i < 4; ++i) product.numbers[i] = a.numbers[i] * b.numbers[i];
    return product;
  }
  friend T lane(const four_lanes& x, int i) { return x.numbers[i]; }
};

#endif

}  // namespace ensue::linear
