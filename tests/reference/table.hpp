/// docs/reference-errors.md: what the tests of this program measured, written when the program ends if ENSUE_REFERENCE_TABLE
/// names a file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ensue::tests {

enum class direction : unsigned char { forwards, backwards };

struct table_entry {
  std::string problem;
  std::string_view method;
  direction way;
  double tolerance;
  double growth;  ///< of the problem's errors, where the table is written
  double error;   ///< in tolerances
  std::int64_t evaluations;
  bool finished;
};

class error_table {
 public:
  void add(table_entry entry) { entries_.push_back(std::move(entry)); }

  void write(std::ostream& out) const {
    out << introduction;
    out << "\n## Errors\n\nIn tolerances, at 1e-4, 1e-7 and 1e-10.\n\n";
    write_table(out, direction::forwards, [](const table_entry& e) { return digits(e.error); });
    out << "\n## Errors backwards\n\nFrom the end state to the start, where errors grow less than 15 times on that "
           "way.\n\n";
    write_table(out, direction::backwards, [](const table_entry& e) { return digits(e.error); });
    out << "\n## Evaluations\n\nForwards.\n\n";
    write_table(out, direction::forwards, [](const table_entry& e) { return std::to_string(e.evaluations); });
  }

 private:
  static constexpr const char* introduction = R"(# Errors at the end of the nonstiff reference problems

Written by the tests from what they measured; not to be edited:

```sh
ENSUE_REFERENCE_TABLE=docs/reference-errors.md build/release/tests/test_reference
```

The problems are those of `models/detest.hpp` (A1 to D5) and `models/pleiades.hpp`, the references those of
`src/published/end_states.hpp`. A run has rtol = atol = tolerance and the maximum norm; its error is max |error|/(1 + |x|) at the
end, here in tolerances. The bound is 300, for pleiades, which is chaotic, 1000; what is above it is **bold**, and its test fails.
*Growth*: by how much an error made on the way can have grown at the end (‖∂x(end)/∂x(t)‖ in the same norm, its maximum over t).
–: ended with `too_many_evaluations`, after 5 million (0.2 million where a step would be below 1e-8), at a state whose error there
is within the bound. The `doubling` methods, which estimate the error that they make, hold the error per unit step; the others that
per step. The last row is the geometric mean over the problems that finished.
)";

  static std::string digits(double value) {
    char text[40];
    std::snprintf(text, sizeof text, value >= 99.5 ? "%.0f" : "%.2g", value);
    return text;
  }

  template <class Key> auto distinct(direction way, Key key) const {
    std::vector<decltype(key(entries_[0]))> found;
    for (const table_entry& e : entries_)
      if (e.way == way && std::find(found.begin(), found.end(), key(e)) == found.end()) found.push_back(key(e));
    return found;
  }

  template <class Cell> void write_table(std::ostream& out, direction way, Cell cell) const {
    const auto methods = distinct(way, [](const table_entry& e) { return e.method; });
    const auto tolerances = distinct(way, [](const table_entry& e) { return e.tolerance; });
    out << "| problem | growth |";
    for (const auto method : methods) out << ' ' << method << " |";
    out << "\n|---|---|";
    for (std::size_t i = 0; i < methods.size(); ++i) out << "---|";
    for (const std::string& problem : distinct(way, [](const table_entry& e) { return e.problem; })) {
      const auto is_of_problem = [&](const table_entry& e) { return e.problem == problem && e.way == way; };
      const double growth = std::find_if(entries_.begin(), entries_.end(), is_of_problem)->growth;
      out << "\n| " << problem << " | " << digits(growth) << " |";
      for (const auto method : methods) {
        const char* separator = " ";
        for (const table_entry& e : entries_) {
          if (!is_of_problem(e) || e.method != method) continue;
          const bool missed = e.finished && e.error > (problem == "pleiades" ? 1000 : 300);
          const char* emphasis = missed ? "**" : "";
          out << separator << emphasis << (e.finished ? cell(e) : "–") << emphasis;
          separator = ", ";
        }
        out << " |";
      }
    }
    out << "\n| mean | |";
    for (const auto method : methods) {
      const char* separator = " ";
      for (const double tolerance : tolerances) {
        out << separator << mean(way, method, tolerance, cell);
        separator = ", ";
      }
      out << " |";
    }
    out << '\n';
  }

  template <class Cell>
  std::string mean(direction way, std::string_view method, double tolerance, Cell cell) const {
    table_entry sum{"", method, way, tolerance, 0, 0, 0, true};
    double log_error = 0, log_evaluations = 0;
    int count = 0;
    for (const table_entry& e : entries_) {
      if (e.way != way || e.method != method || e.tolerance != tolerance || !e.finished) continue;
      log_error += std::log(e.error), log_evaluations += std::log(static_cast<double>(e.evaluations));
      ++count;
    }
    if (count == 0) return "–";
    sum.error = std::exp(log_error / count);
    sum.evaluations = std::llround(std::exp(log_evaluations / count));
    return cell(sum);
  }

  std::vector<table_entry> entries_;
};

inline error_table& reference_table() {
  static error_table table;
  return table;
}

/// Where to write it; nullptr: nowhere.
inline const char* reference_table_path() { return std::getenv("ENSUE_REFERENCE_TABLE"); }

class reference_table_writer : public testing::Environment {
  void TearDown() override {
    const char* path = reference_table_path();
    if (!path) return;
    std::ofstream file(path);
    reference_table().write(file);
    ASSERT_TRUE(file.good()) << "cannot write " << path;
  }
};

}  // namespace ensue::tests
