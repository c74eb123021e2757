/// The files that a run of the command reads or writes, so that none of them is written over.
///
///     claim_input("the problem file", asked.file);
///     claimed_output claim("--plot", "a.svg", place);    // throws wrong_input where the file is an input or another output
#pragma once

#include "output_place.hpp"

#include <string>
#include <string_view>

namespace ensue::command {

/// `what` names the file in messages.
void claim_input(std::string_view what, const std::string& path);

/// Claims a file for the life of this object. Devices and pipes may be claimed many times.
class claimed_output {
 public:
  /// Throws wrong_input (endings.hpp).
  claimed_output(std::string_view option, const std::string& path, const output_place& place);
  claimed_output(const claimed_output&) = delete;
  claimed_output& operator=(const claimed_output&) = delete;
  ~claimed_output();

 private:
  int number_;
};

}  // namespace ensue::command
