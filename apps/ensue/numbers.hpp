/// Numbers of the command line: each is a number, or an expression of numbers (`--to 2*pi`), and finite.
///
///     const double to = number_of("--to", *asked.to);
///
/// All of them throw wrong_input (endings.hpp), with the option that it was.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ensue::command {

double number_of(std::string_view option, const std::string& text);
double number_from(double least, std::string_view option, const std::string& text);
double positive_number_of(std::string_view option, const std::string& text);

/// From 1 on.
std::size_t whole_number_of(std::string_view option, const std::string& text, double most);

/// `a..b` with a < b.
std::pair<double, double> range_of(std::string_view option, const std::string& text);

}  // namespace ensue::command
