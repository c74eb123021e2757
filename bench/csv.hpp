/// Tables as the benchmarks keep them in files: a row a line, commas between the cells, names of the columns in the first row. A cell with a
/// comma or a quotation mark stands in quotation marks, its own ones doubled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

using csv_cells = std::vector<std::string>;

inline std::string csv_line(const csv_cells& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != cells.data()) line += ',';
    if (cell.find_first_of(",\"") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + '\n';
}

inline csv_cells cells_of(const std::string& line) {
  csv_cells cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[i++];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) cells.emplace_back();
    else cells.back() += line[i];
  }
  return cells;
}

/// Four digits unless said: more are noise, where times are measured.
inline std::string short_number(double value, int digits = 4) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  std::string text = buffer;
  if (const std::size_t at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
  return text;
}

/// A table that was read.
class csv_table {
 public:
  csv_table() = default;
  explicit csv_table(std::istream& from) {
    std::string line;
    if (std::getline(from, line)) names_ = cells_of(line);
    while (std::getline(from, line)) {
      if (line.empty()) continue;
      rows_.push_back(cells_of(line));
      if (rows_.back().size() != names_.size()) throw std::runtime_error("another number of cells than columns: " + line);
    }
  }
  /// Empty where there is no such file.
  static csv_table of_file(const std::string& path) {
    std::ifstream file(path);
    return csv_table(file);
  }

  std::size_t size() const { return rows_.size(); }
  const std::string& text(std::size_t row, const char* column) const {
    const auto found = std::find(names_.begin(), names_.end(), column);
    if (found == names_.end()) throw std::runtime_error(std::string("no column ") + column);
    return rows_.at(row)[static_cast<std::size_t>(found - names_.begin())];
  }
  /// NaN where there is none.
  double number(std::size_t row, const char* column) const {
    const std::string& cell = text(row, column);
    return cell.empty() ? std::nan("") : std::stod(cell);
  }

 private:
  csv_cells names_;
  std::vector<csv_cells> rows_;
};

/// A table that is being written, a row at a time. Without a path nothing is.
class csv_file {
 public:
  csv_file(const std::string& path, const csv_cells& names) {
    if (path.empty()) return;
    file_.open(path);
    if (!file_) throw std::runtime_error("cannot write " + path);
    add(names);
  }
  void add(const csv_cells& cells) {
    if (file_.is_open()) file_ << csv_line(cells) << std::flush;
  }

 private:
  std::ofstream file_;
};

}  // namespace bench
