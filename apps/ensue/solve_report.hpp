/// How `ensue solve` says what a run has given: as a summary to read, and as the JSON object of the command's contract.
#pragma once

#include "check.hpp"

#include <string>

namespace ensue::command {

/// How the run ended, and whether the clock had digits enough for it.
std::string message_of(const file_problem& problem, const run_result& run);

/// What the second run has found that the first one has not: a sentence each.
std::vector<std::string> findings_in_words(const file_problem& problem, const run_result& run, const check_result& checked);

/// `checked` where it was asked for.
std::string summary(const file_problem& problem, const run_result& run,
                    const std::optional<check_result>& checked = {});

/// One object; numbers read back to the same double, those that are not finite are null.
std::string json(const file_problem& problem, const run_result& run, const std::optional<check_result>& checked = {});

}  // namespace ensue::command
