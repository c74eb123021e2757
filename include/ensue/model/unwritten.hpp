/// A mark in the memory that f is to write: what still holds it after a call was not written by f.
///
/// The mark is a NaN with digits that no arithmetic makes (0/0, ∞ − ∞ and std::numeric_limits have other ones), so that an unwritten
/// element ends the run as any other NaN does, and yet is told apart. What f computes from such an element holds the mark as well.
#pragma once

#include <ensue/outcome.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ensue {

namespace detail {
template <class T> ENSUE_HD T unwritten_number() {
  if constexpr (sizeof(T) <= 4) return static_cast<T>(std::bit_cast<float>(std::uint32_t(0x7fc15eed)));
  else return static_cast<T>(std::bit_cast<double>(std::uint64_t(0x7ff80015eedca5e0)));
}
/// The same digits: of 80 bits, the first 64 are looked at, which are the mantissa.
template <class T> ENSUE_HD bool is_unwritten(const T& number) {
  const T mark = unwritten_number<T>();
  const auto *const a = reinterpret_cast<const unsigned char*>(&number), *const b = reinterpret_cast<const unsigned char*>(&mark);
  bool same = number != number;
  for (std::size_t i = 0; i < (sizeof(T) < 8 ? sizeof(T) : 8); ++i) same = same && a[i] == b[i];
  return same;
}
}  // namespace detail

/// Every element is the mark.
template <class Storage> ENSUE_COLD ENSUE_HD void mark_unwritten(Storage& dx) {
  using scalar = element_of<Storage>;
  for (std::size_t i = 0; i < static_cast<std::size_t>(dx.size()); ++i) dx.data()[i] = scalar(detail::unwritten_number<base_of<scalar>>());
}

/// The first element of a lane that still is the mark, or report::nowhere.
template <class Storage> ENSUE_COLD ENSUE_HD std::int64_t first_unwritten(const Storage& dx, int which) {
  using base = base_of<element_of<Storage>>;
  for (std::size_t i = 0; i < static_cast<std::size_t>(dx.size()); ++i)
    if (detail::is_unwritten<base>(lane(value_of(dx.data()[i]), which))) return static_cast<std::int64_t>(i);
  return report::nowhere;
}

}  // namespace ensue
