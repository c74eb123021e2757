/// Sums of stages with the weights of one row of a table.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <utility>

namespace ensue::detail {

template <class T> ENSUE_HD ENSUE_INLINE const T& element_of_stage(const T* stage, std::size_t i) { return stage[i]; }
template <class Storage> ENSUE_HD ENSUE_INLINE const auto& element_of_stage(const Storage& stage, std::size_t i) { return stage.data()[i]; }

/// Σ_j (h·w_j) k_j over the nonzero weights of a row. The products h·w_j are formed once for all elements. `Stages` is what k is
/// indexed in: k[j] is a state or a pointer to numbers.
template <class Row, class Storage, class Stages = const Storage*, class = std::make_integer_sequence<int, Row::terms>> struct weighted_terms;
template <class Row, class Storage, class Stages, int... J> struct weighted_terms<Row, Storage, Stages, std::integer_sequence<int, J...>> {
  using scalar = element_of<Storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;

  Stages k;
  real weights[Row::terms];

  ENSUE_HD ENSUE_INLINE weighted_terms(const Stages& stages, const real& h) : k(stages), weights{Row::template weight<base, J> * h...} {}

  ENSUE_HD ENSUE_INLINE scalar at(std::size_t i) const { return added_to(scalar(0), i); }
  ENSUE_HD ENSUE_INLINE scalar added_to(scalar sum, std::size_t i) const {
    ((sum = plus_term<J>(sum, i)), ...);
    return sum;
  }

 private:
  template <int I> ENSUE_HD ENSUE_INLINE scalar plus_term(const scalar& sum, std::size_t i) const {
    if constexpr (Row::template weight<base, I> == 0) return sum;
    else return sum + weights[I] * element_of_stage(k[I], i);
  }
};

}  // namespace ensue::detail
