/// The documents of the tree as tests read them: pages, and the commands and programs they show with what those print.
///
///     for (const shown_command& each : commands_of(text)) …      // each.line, each.printed, each.plot
///     for (const shown_program& each : programs_of(text)) …      // each.source, each.printed
#pragma once

#include "support/files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace ensue::tests {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A line `./ensue …` of a block of code, continued behind `\\`; in a `console` block behind `$ ` and with what it prints.
struct shown_command {
  std::string line;
  bool has_output = false;
  std::vector<std::string> printed;  ///< without empty ones; `…` stands for lines, or the rest of a line, left out
  /// The file behind --plot.
  std::string plot() const {
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (word == "--plot" && words >> word) return word;
    return "";
  }
};

inline std::vector<shown_command> commands_of(const std::string& page) {
  std::vector<shown_command> found;
  bool in_code = false, in_console = false, goes_on = false;
  for (const std::string& line : lines_of(page)) {
    if (goes_on) {
      found.back().line += '\n' + line;
    } else if (line.starts_with("```")) {
      in_code = !in_code;
      in_console = line == "```console";
    } else if (in_console && line.starts_with("$ ")) {
      found.push_back({line.substr(2), true, {}});
    } else if (in_console && !line.empty()) {
      found.back().printed.push_back(line);
    } else if (in_code && !in_console && line.starts_with("./ensue ")) {
      found.push_back({line, false, {}});
    }
    goes_on = in_code && line.ends_with('\\');
  }
  return found;
}

/// The pages, CHANGELOG.md among them.
inline std::vector<std::filesystem::path> all_pages() {
  std::vector<std::filesystem::path> pages{tree / "README.md", tree / "CHANGELOG.md"};
  for (const auto& file : std::filesystem::recursive_directory_iterator(tree / "docs"))
    if (file.path().extension() == ".md") pages.push_back(file.path());
  std::sort(pages.begin(), pages.end());
  return pages;
}

/// A `cpp` block with a main function, and what the `text` block after it says that it prints.
struct shown_program {
  std::string source = {};
  bool has_output = false;
  std::vector<std::string> printed = {};  ///< as of a command
};

inline std::vector<shown_program> programs_of(const std::string& page) {
  std::vector<shown_program> found;
  std::string opening, block;
  bool in_block = false, follows_program = false;
  for (const std::string& line : lines_of(page)) {
    if (in_block && line == "```") {
      in_block = false;
      if (follows_program && opening == "```text") {
        found.back().has_output = true;
        found.back().printed = lines_of(block);
        std::erase(found.back().printed, "");
      }
      follows_program = opening == "```cpp" && block.find("int main(") != std::string::npos;
      if (follows_program) found.push_back({block});
    } else if (in_block) {
      block += line + '\n';
    } else if (line.starts_with("```")) {
      in_block = true;
      opening = line;
      block.clear();
    } else if (!line.empty()) {
      follows_program = false;
    }
  }
  return found;
}

/// Word by word; numbers to five per cent, since the last digits differ between compilers; times not at all.
inline bool says_the_same(const std::string& shown, const std::string& printed) {
  std::istringstream left(shown), right(printed);
  std::string a, b;
  const auto number = [](const std::string& word, std::string& rest) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    rest = end;
    return end == word.c_str() ? std::nan("") : value;
  };
  bool differed = false;  // in the number before, which may be a time
  while (left >> a) {
    if (a == "…") return !differed;
    if (!(right >> b)) return false;
    const bool is_unit = (a == "µs" || a == "ms" || a == "s") && (b == "µs" || b == "ms" || b == "s");
    if (differed && !is_unit) return false;
    differed = false;
    if (a == b || is_unit) continue;
    std::string rest_a, rest_b;
    const double x = number(a, rest_a), y = number(b, rest_b);
    if (std::isnan(x) || std::isnan(y) || rest_a != rest_b) return false;
    differed = !(std::abs(x - y) <= 0.05 * std::abs(y));
  }
  return !differed && !(right >> b);
}

/// What of `shown` is not in `printed`, in this order; empty if all is.
inline std::string missing(const std::vector<std::string>& shown, const std::string& printed) {
  std::vector<std::string> lines = lines_of(printed);
  std::erase(lines, "");
  std::size_t at = 0;
  bool skipping = false;
  for (const std::string& line : shown) {
    if (line == "…") {
      skipping = true;
      continue;
    }
    while (skipping && at < lines.size() && !says_the_same(line, lines[at])) ++at;
    if (at == lines.size() || !says_the_same(line, lines[at])) return line;
    skipping = false;
    ++at;
  }
  return skipping || at == lines.size() ? "" : "what comes last: " + lines[at];
}

}  // namespace ensue::tests
