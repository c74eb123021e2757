/// Step doubling: an error estimate for a method that has none, by doing the step twice.
///
/// From the same x take one step h, giving x_a, and two steps h/2, giving x_b. A method of order p errs by C h^(p+1) in
/// a step, with nearly the same C in each of the three, so for the true solution x*
///
///     x* = x_a +   C h^(p+1)          + O(h^(p+2))
///     x* = x_b + 2 C (h/2)^(p+1)      + O(h^(p+2))  =  x_b + C h^(p+1) / 2^p + O(h^(p+2)).
///
/// Subtracting, x_b − x_a = C h^(p+1) (1 − 1/2^p), and what is missing from x_b is
///
///     e = C h^(p+1) / 2^p = (x_b − x_a) / (2^p (1 − 1/2^p)) = (x_b − x_a) / (2^p − 1),
///
/// 1/15 of the difference for a method of order 4. Adding it, x_b + e is of order p + 1: local extrapolation.
/// (Richardson 1911; Hairer, Nørsett & Wanner, Solving ODEs I, II.4, theorem 4.1. The signs are kept:
/// |x_b − x_a| would do for an estimate, not for extrapolation.)
///
/// All of it is linear in the slopes k_i, so the three steps together are one explicit Runge–Kutta step and need no
/// driver of their own: here their table is made from the method's. The first evaluation is common to the full step and
/// the first half: doubling<rk4> takes 11 evaluations, not 12. Between the ends of a step the state is a quartic, which goes
/// through the end of the first half.
#pragma once

#include <ensue/methods/explicit/quartic_interpolant.hpp>
#include <ensue/methods/explicit/tableau.hpp>
#include <ensue/methods/joined_text.hpp>

namespace ensue {
namespace detail {

/// Stages as they are collected, before their number is known.
template <int Most> struct stage_list {
  int count = 0;
  long double c[Most] = {};
  long double a[Most][Most] = {};
  long double full_step[Most] = {};   ///< weights of x_a
  long double first_half[Most] = {};  ///< weights of the state at the end of the first half
  long double half_steps[Most] = {};  ///< weights of x_b

  /// The number of the stage evaluated at row `count`, just filled: an earlier one if that is the same, else a new one.
  constexpr int settle() {
    for (int i = 0; i < count; ++i) {
      bool same = c[i] == c[count];
      for (int j = 0; same && j < count; ++j) same = a[i][j] == a[count][j];
      if (!same) continue;
      for (int j = 0; j < count; ++j) a[count][j] = 0;
      return i;
    }
    return count++;
  }
};

/// The stages that x_new depends on, directly or through other stages: not those that serve the embedded rows, the
/// dense output or (FSAL) the next step only.
template <class Table> constexpr void mark_needed(const Table& table, bool (&needed)[Table::stages]) {
  for (int i = Table::stages - 1; i >= 0; --i) {
    needed[i] = table.b[i] != 0;
    for (int m = i + 1; m < Table::stages; ++m) needed[i] = needed[i] || (needed[m] && table.a[m][i] != 0);
  }
}

/// One step of length `scale`·h that starts at c = `start` with x + h Σ before_j k_j: its stages join the list, and
/// `weights` gets what it adds to x, over the list's stages.
template <class Table, int Most>
constexpr void append_step(const Table& table, const bool (&needed)[Table::stages], long double scale,
                           long double start, const long double (&before)[Most], stage_list<Most>& list,
                           long double (&weights)[Most]) {
  int number[Table::stages] = {};
  for (int i = 0; i < Table::stages; ++i) {
    if (!needed[i]) continue;
    const int row = list.count;
    list.c[row] = start + scale * table.c[i];
    for (int j = 0; j < row; ++j) list.a[row][j] = before[j];
    for (int j = 0; j < i; ++j)
      if (table.a[i][j] != 0) list.a[row][number[j]] += scale * table.a[i][j];
    number[i] = list.settle();
    weights[number[i]] += scale * table.b[i];
  }
}

template <class Table> constexpr auto three_steps(const Table& table) {
  constexpr int most = 3 * Table::stages;
  stage_list<most> list;
  bool needed[Table::stages] = {};
  mark_needed(table, needed);
  constexpr long double half = 0.5L;
  const long double nothing[most] = {};
  append_step(table, needed, 1, 0, nothing, list, list.full_step);
  append_step(table, needed, half, 0, nothing, list, list.first_half);
  append_step(table, needed, half, half, list.first_half, list, list.half_steps);
  for (int i = 0; i < list.count; ++i) list.half_steps[i] += list.first_half[i];
  return list;
}

/// The list with its exact number of stages, and e's weights added to x_b's once or not at all.
template <int Stages, int Most>
constexpr explicit_tableau<Stages, 1> doubled(const stage_list<Most>& list, int order, bool extrapolated) {
  explicit_tableau<Stages, 1> table;
  table.order = extrapolated ? order + 1 : order;
  table.embedded[0].order = order;
  const long double divisor = static_cast<long double>((1LL << order) - 1);
  for (int i = 0; i < Stages; ++i) {
    table.c[i] = list.c[i];
    for (int j = 0; j < i; ++j) table.a[i][j] = list.a[i][j];
    const long double error = (list.half_steps[i] - list.full_step[i]) / divisor;
    table.b[i] = list.half_steps[i] + (extrapolated ? error : 0);
    table.embedded[0].weights[i] = list.half_steps[i] - (extrapolated ? 0 : error);
  }
  return table;
}

/// The interpolant: through the end of the first half, whose error is half of what two halves lack.
template <int Stages, int Most>
constexpr auto inside_of_doubled(const explicit_tableau<Stages, 1>& table, const stage_list<Most>& list, bool extrapolated) {
  long double middle[Stages] = {};
  for (int i = 0; i < Stages; ++i)
    middle[i] = list.first_half[i] + (extrapolated ? (table.b[i] - table.embedded[0].weights[i]) / 2 : 0);
  return with_value_inside(table, 0.5L, middle);
}

}  // namespace detail

/// Any method as an adaptive one, by step doubling: `doubling<rk4>` keeps x_b (order p) and estimates its error by e;
/// `doubling<rk4, true>` keeps x_b + e (order p + 1) with the same estimate. A method like any other: `name`,
/// `citation`, `table`. Evaluations a step: three times those that the method's x_new needs, less one.
///
///     ensue::solve(f, x0, {0, 1}, ensue::doubling<ensue::rk4>{}, {.rtol = 1e-8});
///
/// The method's own embedded rows and dense output are not used. In the plain case the embedded solution is x_b − e, so
/// that x_new − x̂ = e for the driver; with extrapolation it is x_b, for the same reason.
template <class Method, bool Extrapolated = false> struct doubling {
 private:
  static constexpr auto list = detail::three_steps(Method::table);
  static constexpr const char* ending = Extrapolated ? ", extrapolated)" : ")";
  static constexpr const char* source = "Richardson (1911); Hairer, Norsett & Wanner, Solving ODEs I, II.4; of: ";
  static constexpr detail::joined_text<detail::length("doubling(") + detail::length(Method::name) +
                                       detail::length(ending)>
      whole_name{"doubling(", Method::name, ending};
  static constexpr detail::joined_text<detail::length(source) + detail::length(Method::citation)> whole_citation{
      source, Method::citation, ""};

 public:
  static constexpr const char* name = whole_name.characters;
  static constexpr const char* citation = whole_citation.characters;
  static constexpr explicit_tableau<list.count, 1> table =
      detail::doubled<list.count>(list, Method::table.order, Extrapolated);
  static constexpr auto dense_table = detail::inside_of_doubled(table, list, Extrapolated);
};

}  // namespace ensue
