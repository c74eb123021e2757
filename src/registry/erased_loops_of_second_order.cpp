#include "registry/compiled_loop.hpp"

ENSUE_COMPILE_LOOP(ensue::detail::loops::particles);
ENSUE_COMPILE_LOOP(ensue::detail::loops::splitting);
ENSUE_COMPILE_LOOP(ensue::detail::loops::nystrom);
