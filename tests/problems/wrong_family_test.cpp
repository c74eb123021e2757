/// Wrong families: elements that are not there, ranges that are none, more than anybody can compute.
#include "problem_text.hpp"

#include <ctime>

namespace {

using namespace ensue;
using namespace ensue::tests;

// Lines 1 to 4 are the head, the state begins in line 6.
std::string problem(const std::string& state, const std::string& derivative, const std::string& more = "") {
  return "to = 1\n[parameters]\nN = 4\nhalf = 0.5\n[state]\n" + state + "\n[derivative]\n" + derivative + "\n" + more;
}

// u[1] … u[4], the derivative in line 8, more from line 9 on.
std::string line_of(const std::string& derivative, const std::string& more = "") {
  return problem("\"u[i=1..N]\" = 1", "\"u[i=1..N]\" = \"" + derivative + "\"", more);
}

TEST(wrong_family, elements_that_are_not_there) {
  const std::string expected =
      "which is not there, expected an element between `u[1]` and `u[4]`, or a line for it in "
      "[boundary]\n";
  EXPECT_EQ(faults(line_of("u[i-1]")), "8:16: found `u[0]`, " + expected);
  EXPECT_EQ(faults(line_of("u[i] + u[i+1]")), "8:23: found `u[5]`, " + expected);
  EXPECT_EQ(faults(line_of("u[N+10]")), "8:16: found `u[14]`, " + expected);
  EXPECT_EQ(
      faults(line_of("u[2*N]", "[boundary]\n\"u[0]\" = 1\n")),
      "8:16: found `u[8]`, which is not there, expected an element between `u[0]` and `u[4]`, or a line for it in "
      "[boundary]\n");
  EXPECT_EQ(faults(line_of("sum(k=1..N, u[k+1])")), "8:28: found `u[5]`, " + expected);
  EXPECT_EQ(faults(line_of("u[i*half]")),
            "8:16: an index of `u` is 0.5, expected a whole number between -1e9 and 1e9\n");
  EXPECT_EQ(faults(line_of("u[1/0]")), "8:16: an index of `u` is inf, expected a whole number between -1e9 and 1e9\n");
  EXPECT_EQ(
      faults(problem("\"q[i=1..2, j=1..2]\" = 1", "\"q[i=1..2, j=1..2]\" = \"q[i, j+1]\"")),
      "8:24: found `q[1,3]`, which is not there, expected an element between `q[1,1]` and `q[2,2]`, or a line for "
      "it in [boundary]\n");
}

TEST(wrong_family, elements_given_twice_or_not_at_all) {
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = 1\n\"u[2]\" = 1", "\"u[i=1..N]\" = 1")),
            "7:1: found `u[2]` again, expected each element once\n");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = 1", "\"u[i=1..2]\" = 1\n\"u[i=2..N]\" = 1")),
            "9:1: found `u[2]` again in [derivative], expected each element once\n");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = 1", "\"u[i=2..N]\" = 1")),
            "8:15: found no `u[1]` in [derivative], expected a line for each component\n");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = 1", "\"u[1]\" = 1")),
            "8:10: found no `u[2]` and 2 others in [derivative], expected a line for each component\n");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = 1", "\"u[i=1..N+1]\" = 1")),
            "8:1: found `u[5]` in [derivative], expected an element of the state\n");
  EXPECT_EQ(faults(line_of("1", "[boundary]\n\"u[4]\" = 1\n")),
            "10:1: found `u[4]` again, expected each element once\n");
  EXPECT_EQ(faults(line_of("1", "[boundary]\n\"u[0]\" = 1\n\"u[0]\" = 2\n")).substr(0, 5), "11:10");
  EXPECT_EQ(faults(line_of("1", "[exact]\n\"u[7]\" = 1\n")),
            "10:1: found `u[7]` in [exact], expected an element of the state\n");
  EXPECT_EQ(faults(problem("x = 1", "y = 1\n\"u[i=1..N]\" = 1")),
            "7:2: found no `x` in [derivative], expected a line for each component\n"
            "8:1: unknown component `y` in [derivative], expected one of the state's\n"
            "9:1: unknown component `u[i=1..N]` in [derivative], expected one of the state's\n");
  const std::string second =
      "to = 1\n[position]\n\"q[i=1..3]\" = 1\n[velocity]\n\"q[i=1..V]\" = 1\n[acceleration]\n"
      "\"q[i=1..3]\" = 1\n[parameters]\nV = 2\n";
  EXPECT_EQ(faults(second), "5:15: found no `q[3]'` in [velocity], expected a line for each component\n");
  EXPECT_EQ(faults(second, {{"V", 4}}), "5:1: found `q[4]'` in [velocity], expected an element of [position]\n");
  EXPECT_EQ(faults(second, {{"V", 3}}), "");
}

TEST(wrong_family, ranges_that_are_none) {
  const auto first_fault = [](const std::string& key) {
    const std::string all = faults(problem("\"" + key + "\" = 1", "\"" + key + "\" = 1"));
    return all.substr(0, all.find('\n'));
  };
  const std::string not_whole = ", expected a whole number between -1e9 and 1e9";
  EXPECT_EQ(first_fault("u[i=1..0]"), "6:1: found `u[i=1..0]` without an element, expected at least one");
  EXPECT_EQ(first_fault("u[i=1..half]"), "6:1: an index of `u` is 0.5" + not_whole);
  EXPECT_EQ(first_fault("u[i=1..1/0]"), "6:1: an index of `u` is inf" + not_whole);
  EXPECT_EQ(first_fault("u[i=1..n]"), "6:9: unknown name `n`, did you mean `N`?");
  EXPECT_EQ(first_fault("u[i=1..t]"), "6:9: found `t`, which is time, expected a parameter");
  EXPECT_EQ(first_fault("u[i=1]"), "6:7: found `]`, expected `..` or an operator: a range is written i=1..N");
  EXPECT_EQ(first_fault("u[i=1..N"), "6:10: found the end of the expression, expected `,`, `]` or an operator");
  EXPECT_EQ(first_fault("u[i=1..N]]"), "6:11: found `]`, expected the end of the name");
  EXPECT_EQ(first_fault("u[i=1..2,j=1..2,k=1..2]"), "6:18: found a third index, expected one or two");
  EXPECT_EQ(first_fault("u[N=1..3]"),
            "6:2: found the index `N`, which is a name of the problem, expected another name for it");
  EXPECT_EQ(first_fault("u[i=1..3,i=1..3]"),
            "6:2: found the index `i`, which is an index already, expected another name for it");
  EXPECT_EQ(first_fault("u[e=1..3]"), "6:4: found `e`, expected an index such as i");
  EXPECT_EQ(first_fault("u'[i=1..3]"),
            "6:1: found `u'`, expected a name without `'`: x' is the velocity of x, which stands in [velocity] as x");
  EXPECT_EQ(first_fault("sin[i=1..3]"), "6:1: found `sin`, which is a function, expected another name");
}

TEST(wrong_family, indices_that_do_not_fit) {
  EXPECT_EQ(faults(line_of("u")), "8:16: found `u` with no index, expected one index, as in line 6\n");
  EXPECT_EQ(faults(line_of("u[i, 1]")), "8:16: found `u` with two indices, expected one index, as in line 6\n");
  EXPECT_EQ(faults(line_of("N[i]")), "8:16: found `N` with one index, expected no index, as in line 3\n");
  EXPECT_EQ(faults(line_of("t[i]")), "8:16: found `t` with one index, expected no index\n");
  EXPECT_EQ(faults(line_of("u[j]")), "8:18: unknown name `j`, expected a parameter or an index\n");
  EXPECT_EQ(faults(line_of("u[u[i]]")),
            "8:18: found `u`, a component of the state, expected a parameter or an index\n");
  EXPECT_EQ(faults(line_of("u[t]")), "8:18: found `t`, which is time, expected a parameter or an index\n");
  EXPECT_EQ(faults(line_of("sum(i=1..2, u[i])")),
            "8:16: found the index `i`, which is an index already, expected another name for it\n");
  EXPECT_EQ(faults(line_of("sum(k=1..u[1], 1)")),
            "8:25: found `u`, a component of the state, expected a parameter or an index\n");
  EXPECT_EQ(faults(line_of("sum(k=1..half, 1)")),
            "8:16: an index of `sum` is 0.5, expected a whole number between -1e9 and 1e9\n");
  EXPECT_EQ(faults(line_of("i + k")).substr(0, 22), "8:20: unknown name `k`");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = \"u[1]\"", "\"u[i=1..N]\" = 1")),
            "6:16: found `u`, a component of the state, expected a parameter\n");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = \"1/(i - 3)\"", "\"u[i=1..N]\" = 1")),
            "6:15: `u[3]` is inf, expected a finite number\n");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = 1\nu = 2", "\"u[i=1..N]\" = 1")).substr(0, 24), "7:1: found `u` again, ex");
  EXPECT_EQ(faults(problem("\"u[i=1..N]\" = 1", "u = 1")),
            "8:1: found `u` in [derivative], expected `u` with one index, as in the state\n");
  EXPECT_EQ(faults("to = 1\n[parameters]\n\"p[i=1..3]\" = 1\n[state]\nx = 1\n[derivative]\nx = 1\n"),
            "3:1: found `p[i=1..3]`, expected a name without indices\n");
  EXPECT_EQ(
      faults(line_of("1", "[boundary]\n\"w[0]\" = 1\n")),
      "10:1: found `w[0]` in [boundary], expected an element beyond a family of the state, such as \"u[0]\" beside "
      "\"u[i=1..N]\"\n");
  EXPECT_EQ(faults(line_of("1", "[boundary]\nu = 1\n")).substr(0, 30), "10:1: found `u` in [boundary],");
  EXPECT_EQ(faults(line_of("1", "[boundery]\n\"u[0]\" = 1\n")),
            "9:2: unknown key [boundery], did you mean `boundary`?\n");
}

TEST(wrong_family, definitions_in_circles) {
  const auto with = [](const std::string& lines) { return faults(line_of("a[i]", "[definitions]\n" + lines)); };
  EXPECT_EQ(with("\"a[i=1..N]\" = \"b[i]\"\n\"b[i=1..N]\" = \"a[i] + 1\"\n"),
            "10:15: found a circle of definitions, expected one that ends: `a` uses `b` uses `a`\n");
  EXPECT_EQ(with("\"a[i=1..N]\" = \"a[i] + 1\"\n"),
            "10:16: found `a[1]`, which is not computed yet, expected an element of an earlier line or index\n");
  EXPECT_EQ(with("\"a[i=1..N-1]\" = \"a[i+1] + 1\"\n\"a[N]\" = 1\n"),
            "10:18: found `a[2]`, which is not computed yet, expected an element of an earlier line or index\n");
  EXPECT_EQ(with("\"a[i=1..N]\" = \"u[0]\"\n[boundary]\n\"u[0]\" = \"a[1]\"\n").substr(0, 36),
            "10:15: found a circle of definitions");
  EXPECT_EQ(
      with("\"a[i=1..2]\" = 1\n"),
      "8:16: found `a[3]`, which is not there, expected an element between `a[1]` and `a[2]`, or a line for it in "
      "[boundary]\n");
}

// Each at once: nothing is written out before it is known how much it is.
TEST(wrong_family, more_than_can_be_computed) {
  const std::clock_t began = std::clock();
  const auto family = [](const std::string& key) {
    return faults(problem("\"" + key + "\" = 1", "\"" + key + "\" = 1"));
  };
  EXPECT_EQ(family("u[i=1..1000001]"), "6:1: `u[i=1..1000001]` has 1000001 elements, expected at most 1000000\n");
  EXPECT_EQ(family("u[i=1..1e9, j=-1e9..1e9]"),
            "6:1: `u[i=1..1e9, j=-1e9..1e9]` has 2000000001000000000 elements, expected at most 1000000\n");
  EXPECT_EQ(family("u[i=1..1e10]"), "6:1: an index of `u` is 1e+10, expected a whole number between -1e9 and 1e9\n");
  EXPECT_EQ(faults(problem("\"u[i=1..600000]\" = 1\n\"v[i=1..600000]\" = 1",
                           "\"u[i=1..600000]\" = 1\n"
                           "\"v[i=1..600000]\" = 1")),
            "7:1: with `v[i=1..600000]` the problem has more than 1000000 elements, expected fewer\n");
  EXPECT_EQ(faults(problem("\"u[i=1..2]\" = 1\n\"u[900000000]\" = 1", "\"u[i=1..2]\" = 1")),
            "7:1: found `u[900000000]` far from the other elements of `u`, expected them side by side\n");
  const std::string too_much =
      "the problem has more than 4000000 operations when its families and sums are written out, expected fewer\n";
  EXPECT_EQ(faults(problem("\"u[i=1..1e6]\" = 1", "\"u[i=1..1e6]\" = \"sin(u[i])*cos(i*t)\"")), "8:17: " + too_much);
  EXPECT_EQ(faults(line_of("sum(k=1..1e9, k)")), "8:16: " + too_much);
  EXPECT_EQ(faults(line_of("sum(k=1..1e6, sum(l=1..1e6, 1))")), "8:30: " + too_much);
  std::string nested = "u[1]";
  for (int k = 0; k < 150; ++k) nested = "sum(k" + std::to_string(k) + "=1..2, " + nested + ")";
  const std::string terms = faults(line_of(nested));
  EXPECT_TRUE(terms.starts_with("8:") && terms.ends_with(too_much)) << "2^150 terms: " << terms;
  EXPECT_LT(std::clock() - began, 10 * CLOCKS_PER_SEC);
}

}  // namespace
