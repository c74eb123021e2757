/// Where a path for output leads: to a file, to the place of a new one, or to what is not a file: a device, a pipe, /dev/stdout.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ensue::command {

struct output_place {
  enum class kind { new_file, existing_file, stream };
  kind what = kind::new_file;
  std::filesystem::path file = {};  ///< links are followed
  struct stat there = {};           ///< of an existing file
  int descriptor = -1;              ///< of a stream, open for writing; it belongs to the caller
};

/// `option` asks for the output. A named pipe is waited for until somebody reads it. Throws wrong_input (endings.hpp) where nothing can be
/// written, ended_early where a signal ends the waiting.
output_place place_of_output(std::string_view option, const std::string& path);

/// The folder that a path is in.
std::filesystem::path folder_of(const std::filesystem::path& file);

}  // namespace ensue::command
