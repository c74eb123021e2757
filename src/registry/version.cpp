#include <ensue/version.hpp>

namespace ensue {

const char* compiled_version() noexcept { return ENSUE_VERSION; }

}  // namespace ensue
