#include "registry/compiled_loop.hpp"

#include <ensue/methods/implicit/consistent_start.hpp>
#include <ensue/methods/implicit/linearization.hpp>

ENSUE_COMPILE_LOOP(ensue::detail::loops::adaptive_with_mass);
ENSUE_COMPILE_LOOP(ensue::detail::loops::choosing_with_mass);
