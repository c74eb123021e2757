/// What every method of the registry spends on the problems that fit it, against counts.csv: none may grow by more than 2 %.
///
/// The table is what the methods cost when it was written. Where a change makes one cost more on purpose, or a method is added:
///
///     tools/renew_guards        (which is ENSUE_COUNTS_TABLE=tests/guards/counts.csv build/release/tests/test_guards)
///
/// and the diff of the table goes into the commit that is the reason for it. A count that has fallen is not held against anybody, nor is a method
/// that is new: its test is skipped with a sentence, until the table is renewed.
#include "guards/problems.hpp"
#include "support/registered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ensue;
using tests::guarded_problem;
using tests::guarded_problems;

constexpr const char* renewal = "; if that is meant, tools/renew_guards renews the table";

/// In the order of the table's columns.
constexpr std::array<const char*, 5> counted = {"steps", "rejected", "evaluations", "jacobians", "factorizations"};
using counts = std::array<std::int64_t, counted.size()>;

/// Two counts are one more or less by the rounding of another compiler: few rejected steps are no measure.
bool is_more(std::int64_t now, std::int64_t before) { return now > before + std::max<std::int64_t>(2, before / 50); }

/// By method and problem.
using count_table = std::map<std::pair<std::string, std::string>, counts>;

const count_table& committed() {
  static const count_table table = [] {
    count_table read;
    const std::filesystem::path path = std::filesystem::path(__FILE__).parent_path() / "counts.csv";
    std::ifstream file(path);
    EXPECT_TRUE(file.good()) << "cannot read " << path;
    std::string line, method, problem;
    std::getline(file, line);  // the names of the columns
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::getline(fields, method, ','), std::getline(fields, problem, ',');
      char comma;
      for (std::int64_t& each : read[{method, problem}]) fields >> each >> comma;
    }
    return read;
  }();
  return table;
}

counts spent_by(const method_info& method, const guarded_problem& problem) {
  const auto run = method.make(problem.f, problem.start, 0, problem.settings(method));
  EXPECT_EQ(run->advance_to(problem.to), outcome::finished)
      << method.name << " on " << problem.name << ": " << run->message();
  const auto& spent = run->statistics();
  return {spent.steps, spent.rejected, spent.evaluations, spent.jacobians, spent.factorizations};
}

/// Where a new table is asked for; nullptr: nowhere.
const char* new_table() { return std::getenv("ENSUE_COUNTS_TABLE"); }

class table_writer : public testing::Environment {
  void TearDown() override {
    if (!new_table()) return;
    std::ofstream file(new_table());
    file << "method,problem";
    for (const char* name : counted) file << ',' << name;
    for (const method_info* method : all_methods())
      for (const guarded_problem& problem : guarded_problems()) {
        if (!problem.fits(*method)) continue;
        file << '\n' << method->name << ',' << problem.name;
        for (const std::int64_t each : spent_by(*method, problem)) file << ',' << each;
      }
    file << '\n';
    ASSERT_TRUE(file.good()) << "cannot write " << new_table();
  }
};
[[maybe_unused]] const testing::Environment* const writer = testing::AddGlobalTestEnvironment(new table_writer);

struct spending : testing::TestWithParam<const method_info*> {};

TEST_P(spending, has_not_grown) {
  if (new_table()) return;
  const method_info& method = *GetParam();
  std::string unguarded;
  bool fits_one = false;
  for (const guarded_problem& problem : guarded_problems()) {
    if (!problem.fits(method)) continue;
    fits_one = true;
    const auto row = committed().find({std::string(method.name), problem.name});
    if (row == committed().end()) {
      unguarded += std::string(method.name) + " on " + problem.name + " is not in tests/guards/counts.csv\n";
      continue;
    }
    const counts now = spent_by(method, problem);
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const std::int64_t before = row->second[i];
      const std::string what = std::string(method.name) + " on " + problem.name + ": " + counted[i];
      const std::string change = " from " + std::to_string(before) + " to " + std::to_string(now[i]);
      if (is_more(now[i], before)) ADD_FAILURE() << what << " grew" << change << renewal;
      if (is_more(before, now[i])) unguarded += what + " fell" + change + "\n";
    }
  }
  EXPECT_TRUE(fits_one) << method.name << " runs on none of the problems of tests/guards/problems.hpp";
  if (!unguarded.empty() && !HasFailure()) GTEST_SKIP() << unguarded << "tools/renew_guards brings the table up to date";
}
INSTANTIATE_TEST_SUITE_P(method, spending, testing::ValuesIn(all_methods().begin(), all_methods().end()),
                         tests::name_of_method);

TEST(spending_table, has_no_row_that_nothing_compares_with) {
  if (new_table()) return;
  for (const auto& [key, row] : committed()) {
    const method_info* const method = find_method(key.first);
    EXPECT_TRUE(method && std::ranges::any_of(guarded_problems(),
                                              [&](const auto& p) { return p.name == key.second && p.fits(*method); }))
        << key.first << " on " << key.second << " is in tests/guards/counts.csv and is not run" << renewal;
  }
}

}  // namespace
