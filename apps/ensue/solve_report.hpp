/// How `ensue solve` says what a run has given: as a summary to read, and as the JSON object of the command's contract.
#pragma once

#include "check.hpp"

#include <string>

namespace ensue::command {


/// `checked` where it was asked for.
std::string summary(const file_problem& problem, const run_result& run,
                    const std::optional<check_result>& checked = {});

/// One object; numbers read back to the same double, those that are not finite are null.
std::string json(const file_problem& problem, const run_result& run, const std::optional<check_result>& checked = {});

}  // namespace ensue::command
