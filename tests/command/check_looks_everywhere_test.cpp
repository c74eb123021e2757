/// Issue 25, findings 3 and 9: `ensue solve --check` sees what the first run stepped over, and its memory is bounded.
#include "thinned_rows.hpp"

#include "reliability/calibration/judge_check.hpp"
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace ensue::tests;

std::string problem(const std::string& to, const std::string& slope, const std::string& more = "") {
  return "to = \"" + to + "\"\n[state]\nx = 0\n[derivative]\nx = \"" + slope + "\"\n" + more;
}

json checked(const std::string& text, std::vector<std::string> arguments = {}, int status = 0) {
  const temporary_file file("p.toml", text);
  arguments.insert(arguments.begin(), {file.path, "--check"});
  return solved(arguments, status);
}

/// The estimate is the error, and what was stepped over is said.
void expect_seen(double error, const json& answer, const std::string& what) {
  const double estimate = answer["error"]["estimate"];
  EXPECT_NEAR(estimate, error, 0.05 * error) << what;
  EXPECT_GE(answer["check"]["unseen_changes"]["count"], 1) << what;
}

TEST(check_looks_everywhere, sees_spikes_and_pulses) {
  const double spike = 0.1 * std::sqrt(std::acos(-1));
  expect_seen(spike, checked(problem("100", "exp(-((t - 50)/0.1)^2)")), "a spike");
  expect_seen(spike, checked(problem("-100", "exp(-((t + 50)/0.1)^2)")), "backwards");
  expect_seen(spike, checked(problem("100", "exp(-((t - 50)/0.1)^2)"), {"--method", "rk4", "--step", "8"}), "fixed steps");
  expect_seen(spike, checked(problem("100", "exp(-((t - 50)/0.1)^2)"), {"--method", "radau"}), "an implicit method");
  expect_seen(1, checked(problem("100", "if(abs(t - 40.2) < 0.5, 1, 0)"), {"--method", "vern7"}), "a hundredth of the span");
  expect_seen(1. / 3, checked(problem("100", "if(abs(t - 40.2) < 1/6, 1, 0)")), "1/300 of the span");
  const json doses = checked(problem("100", "if(abs(t - floor(t) - 0.45) < 0.02, 1, 0)", "[exact]\nx = \"0.04*floor(t) + min(max(t - floor(t) - 0.43, 0), 0.04)\"\n"));
  expect_seen(doses["error"]["largest"], doses, "doses");
}

TEST(check_looks_everywhere, sees_what_an_equation_without_derivative_steps_over) {
  const json answer = checked("to = 100\n[state]\nx = 0\nz = 0\n[derivative]\nx = \"z\"\n[algebraic]\nz = \"z - exp(-((t - 50)/0.1)^2)\"\n");
  expect_seen(0.177245, answer, "x' = z");
}

// A dose lasts a tenth of the second run's longest step.
TEST(check_looks_everywhere, looks_closer_where_something_was_missed) {
  const json answer = checked(problem("100", "-0.1*x + if(t - floor(t) < 0.01, 100, 0)"));
  const double after_a_dose = 100 * -std::expm1(-0.1 * 0.01) / 0.1 / -std::expm1(-0.1);  // in the steady state; the first run finds next to nothing
  EXPECT_NEAR(answer["error"]["estimate"], after_a_dose, 0.1 * after_a_dose);
}

TEST(check_looks_everywhere, says_in_words_what_it_saw) {
  const temporary_file file("p.toml", problem("100", "exp(-((t - 50)/0.1)^2)"));
  const std::string said = "dp54 stepped over a change of f: between t = ";
  const command_run loud = solve({file.path, "--check"}), quiet = solve({file.path, "--check", "--quiet"});
  EXPECT_TRUE(mentions(loud.out, said)) << loud.out;
  EXPECT_TRUE(mentions(loud.out, "where dp54 looked nearby; limit its steps (max_step in [solver])")) << loud.out;
  EXPECT_TRUE(mentions(quiet.error, "ensue: " + said)) << quiet.error;
  const command_run fixed = solve({file.path, "--check", "--method", "rk4", "--step", "8"});
  EXPECT_TRUE(mentions(fixed.out, "where rk4 looked nearby; make its steps smaller (--step)")) << fixed.out;
}

TEST(check_looks_everywhere, says_nothing_of_what_was_seen) {
  for (const char* name : {"kepler", "lorenz", "van_der_pol", "pendulum", "bouncing_ball", "sir"}) {
    const json answer = solved({example(name), "--check"});
    EXPECT_EQ(answer["check"]["unseen_changes"]["count"], 0) << name;
    EXPECT_EQ(answer["check"]["events"], json::array()) << name;
  }
}

TEST(check_looks_everywhere, names_events_that_were_missed) {
  const std::string far = "\n[[event]]\nname = \"far\"\nwhen = \"x - 200\"\n";
  const std::string brief = "\n[[event]]\nname = \"brief\"\nwhen = \"abs(t - 50.3) - 0.005\"\n" + far;
  const json answer = checked(problem("100", "1", brief));
  const json missed = {{{"name", "brief"}, {"found", 0}, {"found_by_check", 2}}};
  EXPECT_EQ(answer["check"]["events"], missed);
  EXPECT_LT(answer["error"]["estimate"], 1e-9);

  const temporary_file file("p.toml", problem("100", "1", brief));
  EXPECT_TRUE(mentions(solve({file.path, "--check"}).out, "event brief happened 0 times, 2 times in the second run"));
}

TEST(check_looks_everywhere, compares_ends_where_one_run_was_stopped) {
  const std::string stop = "\n[[event]]\nname = \"brief\"\nwhen = \"abs(t - 50) - 0.05\"\nstop = true\n";
  const json answer = checked(problem("100", "1", stop));
  EXPECT_EQ(answer["check"]["events"][0]["found_by_check"], 1);
  EXPECT_NEAR(answer["error"]["estimate"], 100 - 49.95, 1e-6);
}

// Steps of an explicit method would take 10⁸ evaluations.
TEST(check_looks_everywhere, copes_with_stiff_problems) {
  const std::string text = problem("10", "-1e7*(x - sin(t)) + cos(t)", "[exact]\nx = \"sin(t)\"\n");
  for (const char* method : {"radau", "bdf", "rodas5p", "auto", "trbdf2"}) {
    const json answer = checked(text, {"--method", method, "--rtol", "1e-5"});
    EXPECT_LT(answer["check"]["evaluations"], 100'000) << method;
    const double estimate = answer["error"]["estimate"], error = answer["error"]["largest"];
    EXPECT_NEAR(estimate, error, 0.3 * error + 1e-10) << method;
  }
}

TEST(check_looks_everywhere, takes_steps_of_at_most_a_thousandth) {
  const json answer = solved({example("decay"), "--check"});
  EXPECT_GE(answer["check"]["evaluations"], 10'000);
  EXPECT_LT(answer["check"]["evaluations"], 25'000);
}

// Every step was kept: 3·10⁶ of them took 578 MB.
TEST(check_looks_everywhere, has_bounded_memory) {
  if (sanitized) GTEST_SKIP() << "takes memory of its own";
  const temporary_file file("p.toml", problem("1", "1"));
  const command_run run = run_in_shell("ulimit -v 100000; '" ENSUE_COMMAND_PATH "' solve " + file.path + " --method rk4 --step 1e-6 --check --json");
  EXPECT_EQ(run.status, 0) << run.error;
  EXPECT_LT(json::parse(run.out)["error"]["estimate"], 1e-9);
}

TEST(check_looks_everywhere, without_memory_says_so_beside_the_result) {
  if (sanitized) GTEST_SKIP() << "takes memory of its own";
  const temporary_file file("p.toml", "to = 1\n[state]\n\"u[i=1..30000]\" = \"sin(i)\"\n[derivative]\n\"u[i=1..30000]\" = \"-u[i]\"\n");
  bool was_said = false;
  for (int megabytes = 24; megabytes < 120 && !was_said; megabytes += 6) {
    const command_run run =
        run_in_shell("ulimit -v " + std::to_string(1000 * megabytes) + "; '" ENSUE_COMMAND_PATH "' solve " + file.path + " --method rk4 --step 0.002 --check");
    was_said = mentions(run.out, "the error could not be estimated: there was not enough memory");
    if (!was_said) continue;
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(mentions(run.out, "rk4: finished at t = 1.")) << run.out;
    EXPECT_TRUE(mentions(run.out, "u[17]")) << run.out;
  }
  EXPECT_TRUE(was_said) << "memory never ran out in the check alone";
}

TEST(thinned_rows, keeps_a_bounded_number_evenly_and_the_first_and_last) {
  ensue::command::thinned_rows rows(1);
  const int count = 123'457;
  for (int i = 0; i < count; ++i) {
    const double x = 2. * i;
    rows.keep(i, {&x, 1});
  }
  rows.finish();
  EXPECT_LE(rows.size(), 2001u);
  EXPECT_GE(rows.size(), 900u);
  EXPECT_EQ(rows.times().front(), 0);
  EXPECT_EQ(rows.times().back(), count - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows.state(i)[0], 2 * rows.times()[i]);
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) EXPECT_EQ(rows.times()[i] - rows.times()[i - 1], i <= 500 ? 1 : rows.stride()) << i;
}

// 200 of the problems of bench/check_calibration.cpp.
TEST(check_calibration, bounds_the_error) {
  for (std::uint64_t seed = 1; seed <= (sanitized ? 20 : 200); ++seed) {
    const ensue::calibration::written_problem one(seed);
    const ensue::calibration::judged_check found = judge_check(one);
    EXPECT_TRUE(found.holds()) << "bench_check_calibration --verbose --problems 1 --seed " << seed << ": error " << found.error << ", estimate "
                               << found.estimate << ", " << one.kind << ", " << found.failed;
  }
}

// The instrument itself: the formula solves the equations. (Tight runs of vern9 and radau.)
TEST(check_calibration, has_solutions_that_solve_the_equations) {
  for (std::uint64_t seed = 1001; seed <= (sanitized ? 1010 : 1060); ++seed) {
    ensue::calibration::written_problem one(seed);
    if (one.may_be_stepped_over()) continue;
    one.method = ensue::find_method("radau");
    one.step = 0, one.rtol = 1e-9, one.atol = 1e-10;
    const ensue::calibration::judged_check found = judge_check(one);
    EXPECT_LT(found.error, 1e-5) << "seed " << seed << ", " << one.kind;
  }
}

}  // namespace
