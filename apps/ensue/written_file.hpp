/// What a command writes: a file that is there whole or not at all, which is written beside its place, under another name, and moved there
/// in the end; or a text at once.
///
///     written_file picture("--plot", "a.svg");
///     picture.write(text);
///     const bool written = picture.finish();
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ensue::command {

class written_file {
 public:
  /// `option` is what asked for it. Throws wrong_input (endings.hpp) where it cannot be written.
  written_file(std::string_view option, const std::string& path);
  written_file(const written_file&) = delete;
  written_file& operator=(const written_file&) = delete;
  ~written_file();  ///< not finished: nothing is left

  void write(std::string_view text);
  /// Moves it to its place. False: that, or the writing, has failed; it is said on standard error.
  [[nodiscard]] bool finish();

 private:
  std::filesystem::path place_;
  std::string beside_;
  std::FILE* stream_ = nullptr;
};

/// At once. Throws ended_early where it cannot be written; main says why.
void write_to_standard_output(std::string_view text);

/// Writes to a file, or to standard output where there is no name. Throws wrong_input if the file cannot be written.
void write_out(const std::optional<std::string>& file, std::string_view option, const std::string& text);

}  // namespace ensue::command
