/// M x' = f(t, x): models whose derivatives have a constant matrix before them, which may be singular.
///
///     void mass_matrix(M) const                           M(i, j), where it is not zero; M arrives cleared, in the form that f' has
///     linear::sparsity_pattern mass_pattern() const       where f' has a pattern: that of M, if M is not diagonal
///
/// Written over `auto& M`, as the model's own Jacobian is (linearization.hpp); in a band, M lies in that of f'. A row without elements is
/// an algebraic equation, 0 = f_i(t, x):
///
///     struct model {                                      // y' = −z, 0 = z − y³
///       void operator()(double, const auto& x, auto& f) const { f[0] = -x[1], f[1] = x[1] - x[0] * x[0] * x[0]; }
///       void mass_matrix(auto& M) const { M(0, 0) = 1; }
///     };
///     ensue::solve(model{}, ensue::vec{1., 1.}, {0, 1}, ensue::radau{});
///
/// It is solved where the problem is of index 1: where the algebraic equations can be solved for their variables. A method says that it
/// takes such models (`takes_mass_matrix`): rodas5p, radau and bdf do. A start that does not solve the algebraic equations to within the
/// tolerance ends the run before it begins, or is replaced by one that does (`options::find_consistent_start`): consistent_start.hpp.
#pragma once

#include <ensue/model/by_value.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <stdexcept>

namespace ensue {

namespace linear {  // named only, so that a program without linear systems need not read them
template <class T, std::size_t N> class dense_matrix;
template <plain_scalar T> class banded_matrix;
template <plain_scalar T> class sparse_matrix;
}  // namespace linear

template <class F, class Matrix>
concept writes_mass_matrix = requires(const F& f, Matrix& m) { f.mass_matrix(m); };

/// In one of the forms.
template <class F, class S>
concept has_mass_matrix = writes_mass_matrix<F, linear::dense_matrix<element_of<S>, extent_of<S>>> ||
                          writes_mass_matrix<F, linear::banded_matrix<element_of<S>>> || writes_mass_matrix<F, linear::sparse_matrix<element_of<S>>>;

namespace detail {
/// A model whose type leaves it open says `bool offers_mass_matrix() const`.
template <class F, class S> ENSUE_HD bool offers_mass_matrix([[maybe_unused]] const F& f) {
  if constexpr (!has_mass_matrix<F, S>) return false;
  else if constexpr (requires { f.offers_mass_matrix(); }) return f.offers_mass_matrix();
  else return true;
}

template <class F, class Matrix> ENSUE_HD void write_mass_matrix([[maybe_unused]] const F& f, [[maybe_unused]] Matrix& m) {
  static_assert(!writes_mass_matrix<F, Matrix> || !mass_matrix_takes_by_value<F, Matrix, bool>(),
                "ensue: this model's mass_matrix(M) takes M by value, so that what it writes is lost with the copy: take it by reference, as in auto& M");
  if constexpr (writes_mass_matrix<F, Matrix>) f.mass_matrix(m);
#if !defined(__CUDA_ARCH__)
  else throw std::invalid_argument("ensue: the model's mass_matrix does not take the form that its f' has; write it over `auto& M`");
#endif
}
}  // namespace detail

/// What to say where a method takes no mass matrix, to a compiler and at run time.
#define ENSUE_NEEDS_NO_MASS_MATRIX                                                                                  \
  "solves x' = f(t, x), and this model has a mass matrix or equations without a derivative: auto, rodas5p, radau and bdf take it"

}  // namespace ensue
