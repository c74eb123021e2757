/// Which ensue this is.
#pragma once

/// The version of these headers; CMake reads it from here.
#define ENSUE_VERSION "0.1.0"

namespace ensue {

/// The version of the compiled library that a program runs with: differs from `ENSUE_VERSION` if headers and library were
/// mixed up.
const char* compiled_version() noexcept;

}  // namespace ensue
