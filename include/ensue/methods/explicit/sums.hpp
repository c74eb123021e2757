/// Rows of a table, and sums over a step's stages with a row's weights.
#pragma once

#include <ensue/methods/explicit/tableau.hpp>
#include <ensue/methods/weighted_terms.hpp>
#include <ensue/numbers/state.hpp>

#include <utility>

namespace ensue {

/// A method that is a table of coefficients.
template <class Method>
concept has_explicit_table = requires {
  Method::table.order;
  Method::table.b;
  Method::table.fsal();
};

namespace detail {
/// Rows of a method's table as types: what the driver sums over. Every coefficient is rounded once, to the scalar's base.
template <class Method, int I> struct stage_row {
  static constexpr int terms = I, number = I;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.a[I][J]);
};
template <class Method> struct solution_row {
  static constexpr int terms = Method::table.stages, number = terms;
  template <class Base, int J> static constexpr Base weight = static_cast<Base>(Method::table.b[J]);
};
template <class Method, int R> struct error_row {
  static constexpr int terms = Method::table.stages;
  template <class Base, int J>
  static constexpr Base weight = static_cast<Base>(Method::table.b[J] - Method::table.embedded[R].weights[J]);
};

/// How many coefficients of a table are not zero before this one; rows of the stages, then the solution's.
template <class Table> constexpr int nonzero_before(const Table& table, int row, int column) {
  int found = 0;
  for (int i = 0; i <= row; ++i)
    for (int j = 0; j < (i == row ? column : i); ++j) found += (i == Table::stages ? table.b[j] : table.a[i][j]) != 0;
  return found;
}

/// Whether Σ w_j k_j is no larger than the largest k_j, so that where they are finite it is.
template <class Row> constexpr bool sums_without_overflow() {
  return []<int... J>(std::integer_sequence<int, J...>) {
    long double sum = 0;
    ((sum += Row::template weight<long double, J> < 0 ? -Row::template weight<long double, J> : Row::template weight<long double, J>), ...);
    return sum <= 1;
  }(std::make_integer_sequence<int, Row::terms>{});
}

/// Whether the error is h Σ w_j k_j of one row.
template <class Method> constexpr bool has_one_plain_error() {
  if constexpr (Method::table.embedded_rows == 1) return sums_without_overflow<error_row<Method, 0>>();
  else return false;
}

template <class Row> constexpr int first_nonzero() {
  return []<int... J>(std::integer_sequence<int, J...>) {
    int found = 0;
    ((Row::template weight<long double, J> == 0 && found == J ? void(++found) : void()), ...);
    return found;
  }(std::make_integer_sequence<int, Row::terms>{});
}

/// A row in units of its first weight that is not zero: Σ_j w_j k_j = unit · (k_first + Σ_j weight_j k_j).
template <class Row> struct row_in_units {
  static constexpr int first = first_nonzero<Row>();
  template <class Base> static constexpr Base unit = Row::template weight<Base, first>;
  template <class Base, int J>
  static constexpr Base weight = static_cast<Base>(Row::template weight<long double, J> / Row::template weight<long double, first>);
};

/// Σ_j w_j k_j of one element
template <class Row, class Storage> ENSUE_HD ENSUE_INLINE element_of<Storage> combined(const Storage* k, std::size_t i) {
  using base = base_of<element_of<Storage>>;
  element_of<Storage> sum(0);
  [&]<int... J>(std::integer_sequence<int, J...>) ENSUE_INLINE_LAMBDA {
    ((Row::template weight<base, J> != 0 ? void(sum = sum + Row::template weight<base, J> * k[J].data()[i]) : void()), ...);
  }(std::make_integer_sequence<int, Row::terms>{});
  return sum;
}

/// The same in the row's unit: a product less.
template <class Row, class Storage> ENSUE_HD ENSUE_INLINE element_of<Storage> combined_in_units(const Storage* k, std::size_t i) {
  using base = base_of<element_of<Storage>>;
  using row = row_in_units<Row>;
  element_of<Storage> sum = k[row::first].data()[i];
  [&]<int... J>(std::integer_sequence<int, J...>) ENSUE_INLINE_LAMBDA {
    ((J > row::first && Row::template weight<base, J> != 0 ? void(sum = sum + row::template weight<base, J> * k[J].data()[i]) : void()), ...);
  }(std::make_integer_sequence<int, Row::terms>{});
  return sum;
}

/// The products h·w_j of all rows that lead to a state. Most steps are as long as the one before.
template <class Method, class Scalar> class kept_products {
  static constexpr int stages = Method::table.stages, count = nonzero_before(Method::table, stages, stages);
  using base = base_of<Scalar>;
  using real = real_of<Scalar>;

 public:
  ENSUE_HD ENSUE_INLINE void prepare(const real& length) {
    if (h_ == length) return;
    h_ = length;
    [&]<int... I>(std::integer_sequence<int, I...>) ENSUE_INLINE_LAMBDA {
      (set_row<stage_row<Method, I>>(std::make_integer_sequence<int, I>{}), ...);
    }(std::make_integer_sequence<int, stages>{});
    if constexpr (Method::table.end() != end_derivative::last_stage) set_row<solution_row<Method>>(std::make_integer_sequence<int, stages>{});
  }

  template <class Row, int J> ENSUE_HD ENSUE_INLINE Scalar added_to(const Scalar& sum, const Scalar& k) const {
    if constexpr (Row::template weight<base, J> == 0) return sum;
    else return sum + each_[place<Row, J>] * k;
  }

 private:
  template <class Row, int J> static constexpr int place = nonzero_before(Method::table, Row::number, J);
  template <class Row, int... J> ENSUE_HD ENSUE_INLINE void set_row(std::integer_sequence<int, J...>) {
    ((Row::template weight<base, J> != 0 ? void(each_[place<Row, J>] = Row::template weight<base, J> * h_) : void()), ...);
  }

  real h_ = real(0);
  real each_[count > 0 ? count : 1] = {};
};

}  // namespace detail
}  // namespace ensue
