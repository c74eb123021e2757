/// The registered methods that add numbers: all but those on groups, which tests/rotation is about.
#pragma once

#include <ensue/registry.hpp>

#include <vector>

namespace ensue::tests {

inline std::vector<const method_info*> registered_on_numbers() {
  std::vector<const method_info*> found;
  for (const method_info* method : ensue::all_methods())
    if (!is_for_groups(method->needs)) found.push_back(method);
  return found;
}

}  // namespace ensue::tests
