/// What erased_loops_*.cpp instantiate, once for each kind of loop.
#pragma once

#include "registry/erased_loops.hpp"
#include "registry/registered_integrator.hpp"

namespace ensue::detail {

template <loop_kind Kind>
std::unique_ptr<any_integrator> make_over_loop(const method_info& info, std::size_t dense_terms, const system_function& f, std::span<const double> x0,
                                               double t0, const erased_method<Kind, model_for<Kind.needs>>& method,
                                               const options<std::span<double>>& settings) {
  using model = model_for<Kind.needs>;
  return std::make_unique<registered_integrator<model, std::span<double>, erased_method<Kind, model>>>(info, dense_terms, model{f}, x0, t0, method,
                                                                                                        settings);
}

}  // namespace ensue::detail

#define ENSUE_COMPILE_LOOP(kind)                                                                                                                 \
  template std::unique_ptr<ensue::any_integrator> ensue::detail::make_over_loop<(kind)>(                                                         \
      const ensue::method_info&, std::size_t, const ensue::system_function&, std::span<const double>, double,                                   \
      const ensue::detail::erased_method<(kind), ensue::detail::model_for<(kind).needs>>&, const ensue::options<std::span<double>>&)
