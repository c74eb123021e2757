/// Every `new` of this program (allocation_test.cpp): how many there were, which one finds no memory, what has not been given back.
#pragma once

#include <cstdint>

namespace ensue::tests {

extern std::int64_t allocations;
extern std::int64_t failing_allocation;  ///< its number; 0: none
extern std::int64_t blocks_in_use;

}  // namespace ensue::tests
