/// The problem files of the reference problems are those problems: the same start and span, the same f, and of the stiff ones
/// the same end. (That the nonstiff ones end where they should is seen through the command: tests/command/reference_test.cpp.)
#include "reference/files.hpp"
#include "problems/problem_file.hpp"
#include "reference/problems.hpp"
#include "reference/radau.hpp"
#include "published/stiff_problems.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace {

using namespace ensue;
using namespace ensue::tests;

using vector = std::vector<double>;

file_problem made(const std::string& text, const std::string& name) {
  const problem_reading reading = read_problem(text);
  if (!reading.file) throw std::runtime_error(reading.errors[0].text(name));
  problem_file::made result = reading.file->make();
  if (!result.problem) throw std::runtime_error(result.errors[0].text(name));
  return std::move(*result.problem);
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Where every component is another number, none of them 0, and none that makes a root or a quotient undefined.
vector generic_point(std::size_t n) {
  vector y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = 0.7 + 0.3 * std::sin(1 + 3.7 * static_cast<double>(i));
  return y;
}

template <class F> void expect_same_derivative(file_problem& file, F f, double t, const vector& y) {
  vector found(y.size()), expected(y.size());
  file.system(t, y, found);
  f(t, y, expected);
  double largest = 0;
  for (const double d : expected) largest = std::max(largest, std::abs(d));
  for (std::size_t i = 0; i < y.size(); ++i)  // sums in another order round otherwise
    EXPECT_NEAR(found[i], expected[i], 1e-14 * std::abs(expected[i]) + 1e-15 * largest) << file.names[i];
}

TEST(reference_files, there_is_one_for_each_problem_and_no_other) {
  std::vector<std::string> expected, found;
  for (const reference_problem& p : reference_problems()) expected.push_back(nonstiff_file(p.name));
  for (const stiff_problem& p : stiff_problems()) expected.push_back(reference_file(p.file));
  for (const auto& file : std::filesystem::directory_iterator(reference_files)) found.push_back(file.path().string());
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(expected, found);
  EXPECT_EQ(found.size(), 35u);
}

TEST(reference_files, of_nonstiff_problems_say_what_the_models_say) {
  for (const reference_problem& p : reference_problems()) {
    SCOPED_TRACE(p.name);
    file_problem file = made(text_of(nonstiff_file(p.name)), p.name);
    EXPECT_EQ(file.start, p.start);
    EXPECT_EQ(file.from, p.from);
    EXPECT_EQ(file.to, p.to);
    const vector end(p.end.begin(), p.end.end());
    for (const vector& y : {p.start, end, generic_point(end.size())}) expect_same_derivative(file, p.f, 0.3, y);
  }
}

TEST(reference_files, of_stiff_problems_say_what_is_said_in_cpp) {
  for (const stiff_problem& p : stiff_problems()) {
    SCOPED_TRACE(p.file);
    file_problem file = made(text_of(reference_file(p.file)), p.file);
    EXPECT_EQ(file.start, p.start);
    EXPECT_EQ(file.from, 0);
    EXPECT_EQ(file.to, p.to);
    const auto f = [&](double, const vector& y, vector& dy) { p.f(y, dy); };
    for (const vector& y : {p.start, generic_point(p.start.size())}) expect_same_derivative(file, f, 0.3, y);
  }
}

// Equations that are wrong in C++ and in the file alike would be seen here, but for what is gone at the end.
TEST(reference_files, of_stiff_problems_reach_their_end_states) {
  for (const stiff_problem& p : stiff_problems()) {
    SCOPED_TRACE(p.file);
    file_problem file = made(text_of(reference_file(p.file)), p.file);
    const double atol =
        p.file == "detest_stiff_e4" ? 1e-13 : 1e-17;  // E4 has components that are differences of others
    expression_jacobian jacobian = file.jacobian();
    vector entries(jacobian.nonzeros());
    const tests::radau solver({[&](const vector& y, vector& dy) { file.system(0, y, dy); },
                        [&](const vector& y, vector& rows) {
                          jacobian.evaluate(0, y, entries);
                          std::fill(rows.begin(), rows.end(), 0);
                          for (std::size_t i = 0; i < y.size(); ++i)
                            for (std::uint32_t e = jacobian.row_start()[i]; e < jacobian.row_start()[i + 1]; ++e)
                              rows[i * y.size() + jacobian.columns()[e]] = entries[e];
                        },
                        p.mass},
                       1e-9, atol);
    const vector found = solver.solve(file.start, *file.to);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], static_cast<double>(p.end[i]), 1e-7 * std::abs(static_cast<double>(p.end[i])) + 100 * atol)
          << file.names[i];
  }
}

TEST(reference_files, an_equation_without_a_derivative_has_no_mass) {
  for (const stiff_problem& p : stiff_problems()) {
    const file_problem file = made(text_of(reference_file(p.file)), p.file);
    EXPECT_EQ(file.system.offers_mass_matrix(), p.file == "chemakzo") << p.file;
    if (!file.system.offers_mass_matrix()) continue;
    linear::dense_matrix<double> found(p.mass.size());
    file.system.mass_matrix(found);
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t j = 0; j < found.size(); ++j) EXPECT_EQ(found(i, j), i == j ? p.mass[i] : 0) << p.file << ' ' << i << ' ' << j;
  }
}

}  // namespace
