#include "registry/compiled_loop.hpp"

ENSUE_COMPILE_LOOP(ensue::detail::loops::adaptive);
ENSUE_COMPILE_LOOP(ensue::detail::loops::fixed);
