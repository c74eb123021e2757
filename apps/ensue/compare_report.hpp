/// How `ensue compare` says what it found: as a table, as JSON, as a picture.
#pragma once

#include "comparison.hpp"

#include <string>

namespace ensue::command {

/// A table to read, at most 120 columns wide.
std::string work_precision_table(const laboratory& lab, const comparison& compared, const goal& asked);

/// The method, its setting, what it gives, why, and the command that runs it; `solve` is how that begins, "ensue solve FILE".
std::string advice_in_words(const std::string& solve, const laboratory& lab, const goal& asked, const comparison& compared);

/// One object; numbers read back to the same double, those that are not finite are null.
std::string comparison_json(const std::string& solve, const laboratory& lab, const comparison& compared, const goal& asked);
/// The object where nothing was compared.
std::string refusal_json(const file_problem& problem, const goal& asked, const std::string& failure);

/// Error against evaluations, as SVG.
std::string work_precision_picture(const laboratory& lab, const comparison& compared);

}  // namespace ensue::command
