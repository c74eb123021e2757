/// The problem files of tests/reference/files: every problem of reference/ivp as a user would write it. They state the problems of
/// models/ and src/published/ a second time, on purpose: files_test.cpp compares the two statements.
#pragma once

#include <filesystem>
#include <string>

namespace ensue::tests {

inline const std::filesystem::path reference_files = std::filesystem::path(__FILE__).parent_path() / "files";

/// Of "pleiades" or "detest_stiff_a1".
inline std::string reference_file(const std::string& name) { return (reference_files / (name + ".toml")).string(); }

/// Of a problem of reference/problems.hpp: "A1" or "pleiades".
inline std::string nonstiff_file(std::string name) {
  if (name.size() == 2) name = std::string("detest_nonstiff_") + static_cast<char>(name[0] - 'A' + 'a') + name[1];
  return reference_file(name);
}

}  // namespace ensue::tests
