/// What an implicit method asks of a linear solver: the contract that dense, banded and sparse ones fulfil.
///
/// A step's equations are solved with the matrix s·I − f', where s = 1/(hγ), once for every stage. So a solver comes as a pair of types:
///
/// A *matrix* holds f' over whatever pattern it has. It is made once, with its memory; `clear()` sets what is in the pattern to zero, and
/// `matrix(i, j) = value` writes an entry (row i: component of f, column j: component of x), as a model's `jacobian(t, x, J)` does.
/// `size()` is the number of rows.
///
/// A *solver* is made for a size (and a pattern), with all memory that it needs, and then allocates nothing:
///
///     bool factor(const matrix& a)                        of a; false where a is singular, and then nothing may be solved
///     bool factor_shifted(const matrix& a, scalar s)      of s·I − a, in one pass and without a third matrix
///     bool factor_shifted(const matrix& a, scalar s, const matrix& m)   of s·m − a
///     void solve(std::span<scalar> b) const               b becomes the solution, in place
///     std::size_t singular_at() const                     the column in which the last one found no pivot; −1: it found all
///
/// "Singular" means that no pivot was left, or one that is no finite number: a matrix that is nearly singular is factored, and what its
/// solutions are worth shows in the step's error. `a` is only read.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace ensue::linear {

template <class Solver, class Matrix>
concept solver_of = requires(Solver& solver, const Solver& factored, const Matrix& a, typename Solver::value_type s,
                             std::span<typename Solver::value_type> b) {
  { a.size() } -> std::convertible_to<std::size_t>;
  { solver.factor(a) } -> std::same_as<bool>;
  { solver.factor_shifted(a, s) } -> std::same_as<bool>;
  { solver.factor_shifted(a, s, a) } -> std::same_as<bool>;
  factored.solve(b);
  { factored.singular_at() } -> std::convertible_to<std::size_t>;
};

}  // namespace ensue::linear
