/// What the commands that take a problem file share: numbers of the command line, and the problem with what it sets.
#pragma once

#include "../../src/problem_file.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ensue::command {

/// A number, or an expression of numbers: `--to 2*pi`. This and all below throw wrong_input with the option's name.
double number_of(std::string_view option, const std::string& text);

double positive_number_of(std::string_view option, const std::string& text);

/// `a..b` with a < b.
std::pair<double, double> range_of(std::string_view option, const std::string& text);

/// The problem of a file, with the numbers of --set (name=value each) and --to in the place of the file's.
file_problem problem_of(const std::string& file, const std::vector<std::string>& set,
                        const std::optional<std::string>& to);

/// Writes to a file, or to standard output where there is no name. Throws wrong_input if the file cannot be written,
/// ended_early, after it has said so, if standard output cannot.
void write_out(const std::optional<std::string>& file, std::string_view option, const std::string& text);

}  // namespace ensue::command
