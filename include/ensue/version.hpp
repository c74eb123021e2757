/// Which ensue this is.
///
///     std::puts(ensue::compiled_version());      // of the library that was linked; ENSUE_VERSION is that of the headers
#pragma once

/// The version of these headers; CMake reads it from here.
#define ENSUE_VERSION "0.1.0"

namespace ensue {

/// The version of the compiled library that a program runs with: differs from `ENSUE_VERSION` if headers and library were
/// mixed up.
const char* compiled_version() noexcept;

}  // namespace ensue
