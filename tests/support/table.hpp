/// A CSV file, read back.
#pragma once

#include "support/command.hpp"

#include <charconv>
#include <sstream>
#include <string>
#include <vector>

namespace ensue::tests {

struct table {
  std::string header;
  std::vector<std::vector<double>> rows;

  std::vector<double> column(std::size_t k) const {
    std::vector<double> out;
    for (const auto& row : rows) out.push_back(row.at(k));
    return out;
  }
};

inline table read_csv(const std::string& file) {
  std::istringstream lines(content_of(file));
  table result;
  std::getline(lines, result.header);
  for (std::string line; std::getline(lines, line);) {
    auto& row = result.rows.emplace_back();
    const char *at = line.data(), *const end = at + line.size();
    while (at < end) {
      const auto [next, error] = std::from_chars(at, end, row.emplace_back());
      if (error != std::errc()) throw std::runtime_error("no number: " + line);
      at = next + 1;
    }
  }
  return result;
}

/// A place for one, gone at the end of the scope.
struct scratch_table {
  temporary_folder folder;
  std::string csv = folder.file("out.csv");
};

}  // namespace ensue::tests
