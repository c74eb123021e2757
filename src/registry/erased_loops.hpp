/// The loops over erased steppers (erased_stepper.hpp): every kind listed here is compiled once, in erased_loops_*.cpp.
#pragma once

#include "registry/erased_stepper.hpp"
#include "registry/model_by_name.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace ensue::detail {

namespace loops {
/// Explicit, Rosenbrock and diagonally implicit methods.
inline constexpr loop_kind adaptive{.needs = system_needed::any, .adaptive = true};
/// Rosenbrock methods for M x' = f.
inline constexpr loop_kind adaptive_with_mass{.needs = system_needed::any, .adaptive = true, .takes_mass_matrix = true};
/// Radau IIA, BDF, the automatic choice.
inline constexpr loop_kind choosing_with_mass{.needs = system_needed::any, .adaptive = true, .chooses_steps = true, .takes_mass_matrix = true};
/// Collocation.
inline constexpr loop_kind fixed{.needs = system_needed::any};
/// Implicit methods condensed to the velocities of particles.
inline constexpr loop_kind particles{.needs = system_needed::acceleration};
inline constexpr loop_kind splitting{.needs = system_needed::position_force};
inline constexpr loop_kind nystrom{.needs = system_needed::position_force, .adaptive = true};

inline constexpr std::array all{adaptive, adaptive_with_mass, choosing_with_mass, fixed, particles, splitting, nystrom};
}  // namespace loops

template <loop_kind Kind> inline constexpr bool is_compiled = std::ranges::find(loops::all, Kind) != loops::all.end();

/// An integrator over the loop of that kind. `settings.divide` is not `automatic`.
template <loop_kind Kind>
std::unique_ptr<any_integrator> make_over_loop(const method_info& info, std::size_t dense_terms, const system_function& f, std::span<const double> x0,
                                               double t0, const erased_method<Kind, model_for<Kind.needs>>& method,
                                               const options<std::span<double>>& settings);

}  // namespace ensue::detail
