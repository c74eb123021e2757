/// What a command writes. Every file goes through `written_file`:
///
///     written_file picture("--plot", "a.svg");        // before the run: throws wrong_input where it cannot be written
///     picture.write(text);
///     const bool written = picture.finish();
///
/// A file is whole or not there at all: it is written under another name beside its place, and renamed in the end. An existing file keeps
/// its mode and owner. One with several names (hard links), or whose folder cannot be written, is written over in the end. Links are
/// followed. Devices, pipes and /dev/stdout are written as the text comes.
#pragma once

#include "claimed_files.hpp"
#include "interrupt.hpp"
#include "output_place.hpp"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace ensue::command {

class written_file {
 public:
  /// `option` asks for the file. Throws wrong_input (endings.hpp) where it cannot be written, is an input or another output.
  written_file(std::string_view option, const std::string& path);
  written_file(const written_file&) = delete;
  written_file& operator=(const written_file&) = delete;
  ~written_file();  ///< removes what was written of an unfinished file

  /// The first failure is reported on standard error; from then on nothing is written.
  void write(std::string_view text);
  bool failed() const { return failed_; }
  /// Puts the file in its place. False where something could not be written, which is reported on standard error.
  [[nodiscard]] bool finish();

 private:
  void open_beside(std::string_view option);
  bool take_over_owner_and_mode(int descriptor) const;
  bool put_in_place();
  bool write_over(std::FILE* from) const;
  void fail(int error, const std::string& more = "");

  std::string path_;
  output_place place_;
  claimed_output claim_;
  std::string beside_;  ///< the name under which it is written; empty: it has none
  std::optional<unfinished_file> removed_by_signals_;
  std::FILE* stream_ = nullptr;
  bool replaces_ = false;  ///< is renamed in the end
  bool failed_ = false;
};

/// Throws ended_early where it cannot be written; main says why.
void write_to_standard_output(std::string_view text);

/// Writes a whole file, or to standard output where there is no name. Throws ended_early where it cannot be written, after a report.
void write_out(const std::optional<std::string>& file, std::string_view option, const std::string& text);

}  // namespace ensue::command
