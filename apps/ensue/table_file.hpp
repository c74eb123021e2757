/// The rows of a run as a file for other programs: CSV, or JSON with names and rows. Numbers read back to the same double.
///
///     t,x,x',energy                   {"title":"…","names":["t","x","x'","energy"],
///     0,1,0,0.5                        "rows":[[0,1,0,0.5],
///     …                                …]}
///
/// In JSON, numbers that are not finite are null.
#pragma once

#include "observed_run.hpp"
#include "written_file.hpp"

#include <fmt/format.h>

namespace ensue::command {

/// A name as CSV has it: with a comma or a quotation mark, in quotation marks (RFC 4180).
std::string csv_field(const std::string& name);

class table_file {
 public:
  /// CSV or JSON by the end of the name. Throws wrong_input (endings.hpp) for another end, or where it cannot be written.
  table_file(const std::string& path, const file_problem& problem);

  void write(const row& each);
  [[nodiscard]] bool finish();  ///< as of a written_file

 private:
  bool json_;
  written_file file_;
  fmt::memory_buffer line_;
  bool first_ = true;
};

}  // namespace ensue::command
