/// A Butcher table as somebody types it (TOML):
///
///     name = "Heun-Euler"           # may be left out
///     c = [0, 1]
///     a = [[], [1]]                 # row i holds a_ij for j < i; trailing zeros may be left out
///     b = ["1/2", "1/2"]            # numbers, or fractions and long decimals in quotes
///     embedded = [[1, 0]]           # may be left out; one row for each embedded solution
///
/// Numbers without quotes have the digits of a double, those in quotes those of a long double.
#pragma once

#include <ensue/methods/explicit/runtime_tableau.hpp>

#include <string>

namespace ensue::command {

struct typed_tableau {
  std::string name;  ///< the file's name where it states none
  runtime_tableau table;
};

/// Throws wrong_input (endings.hpp) with the place in the file.
typed_tableau read_tableau(const std::string& file);

/// Reads a table and prints its orders, residuals, stability and what is suspicious about it, as text or JSON.
void report_tableau(const std::string& file, bool as_json);

}  // namespace ensue::command
