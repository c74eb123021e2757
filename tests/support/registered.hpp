/// Tests over the methods of the registry: a run of every method, and none of them compiled again.
///
///     struct first_step_of : testing::TestWithParam<const ensue::method_info*> {};
///     INSTANTIATE_TEST_SUITE_P(method, first_step_of, testing::ValuesIn(registered_adaptive_methods()), name_of_method);
#pragma once

#include <ensue/registry.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ensue::tests {

/// Those that take every system.
inline std::vector<const method_info*> registered_first_order_methods() {
  std::vector<const method_info*> found;
  for (const method_info* method : ensue::all_methods())
    if (method->needs == system_needed::any) found.push_back(method);
  return found;
}

/// Of those, the ones that have an error estimate.
inline std::vector<const method_info*> registered_adaptive_methods() {
  std::vector<const method_info*> found;
  for (const method_info* method : registered_first_order_methods())
    if (method->adaptive) found.push_back(method);
  return found;
}

/// `doubling(rk4)` as gtest allows it: `doubling_rk4`.
inline std::string name_of_method(const testing::TestParamInfo<const method_info*>& info) {
  std::string name;
  for (const char c : info.param->name)
    if (c != ')') name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
  return name;
}

}  // namespace ensue::tests
