/// What every benchmark can be told.
///
///     bench_NAME [--quick] [--only PART] [--into FOLDER] […]
///
/// --quick: fewer rounds, smaller sizes, of a table errors of 1e-3 and 1e-6. --only: of a table, the problems whose name has PART. --into:
/// figures are written to FOLDER/NAME.csv too (figures.hpp).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

struct arguments {
  std::string program;  ///< its name without `bench_`
  bool quick = false;
  std::string only;
  std::string into;               ///< a folder; empty: none
  std::vector<std::string> rest;  ///< the program's own

  arguments(int count, char** given) : program(given[0]) {
    program.erase(0, program.find_last_of('/') + 1);
    if (program.starts_with("bench_")) program.erase(0, 6);
    for (int i = 1; i < count; ++i) {
      const std::string word = given[i];
      if (word == "--quick") quick = true;
      else if (word == "--only" && i + 1 < count) only = given[++i];
      else if (word == "--into" && i + 1 < count) into = given[++i];
      else if (word.starts_with('-')) std::fprintf(stderr, "usage: [--quick] [--only PART] [--into FOLDER] […]\n"), std::exit(2);
      else rest.push_back(word);
    }
  }

  double number(std::size_t place, double otherwise) const {
    return place < rest.size() ? std::strtod(rest[place].c_str(), nullptr) : otherwise;
  }
  int rounds(int all, int when_quick) const { return static_cast<int>(number(0, quick ? when_quick : all)); }
  std::vector<std::size_t> sizes(std::vector<std::size_t> all, std::vector<std::size_t> when_quick) const {
    if (rest.empty()) return quick ? when_quick : all;
    std::vector<std::size_t> given;
    for (const std::string& word : rest) given.push_back(std::strtoul(word.c_str(), nullptr, 10));
    return given;
  }
  /// FOLDER/NAME.csv, or FOLDER/NAME-part.csv.
  std::string file(const std::string& part = "") const {
    return into.empty() ? "" : into + '/' + program + (part.empty() ? "" : '-' + part) + ".csv";
  }
};

}  // namespace bench
