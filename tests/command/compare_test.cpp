/// `ensue compare`, run as a user runs it: what it measures against what is known, and that its advice holds.
#include <ensue/registry.hpp>

#include "support/command.hpp"
#include "support/on_numbers.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace ensue;
using nlohmann::json;
using tests::command_run;
using tests::ensue_command;
using tests::temporary_file;

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What is left out for lack of time would depend on what else the machine does.
command_run compare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  if (std::ranges::count(arguments, "--patience") == 0) arguments.insert(arguments.end(), {"--patience", "200"});
  return ensue_command(arguments);
}

json compared(std::vector<std::string> arguments, int status = 0) {
  arguments.push_back("--json");
  const command_run run = compare(arguments);
  EXPECT_EQ(run.status, status) << run.error;
  return json::parse(run.out);
}

const json& method(const json& answer, const std::string& name) {
  for (const json& one : answer["methods"])
    if (one["name"] == name) return one;
  throw std::runtime_error("no " + name);
}

// The command that the advice ends with, run.
json advised_run(const json& answer) {
  std::vector<std::string> arguments;
  std::istringstream words(answer["advice"]["command"].get<std::string>());
  for (std::string word; words >> word;) arguments.push_back(std::regex_replace(word, std::regex("'"), ""));
  EXPECT_EQ(arguments[0], "ensue");
  arguments.erase(arguments.begin());
  arguments.push_back("--json");
  const command_run run = ensue_command(arguments);
  EXPECT_EQ(run.status, 0) << run.error;
  return json::parse(run.out);
}

const temporary_file decay("decay.toml",
                           "title = \"Decay\"\nto = 20\n[parameters]\nk = 4\n[state]\nx = 1\n[derivative]\nx = "
                           "\"-k*x\"\n[exact]\nx = \"exp(-k*t)\"\n");
const temporary_file swing("swing.toml",
                           "to = 10\n[position]\nx = 1\n[velocity]\nx = 0\n[acceleration]\nx = \"-sin(x)\"\n"
                           "[invariants]\nenergy = \"x'^2/2 - cos(x)\"\n");

TEST(compare_command, every_method_is_measured) {
  const json answer = compared({swing.path});
  std::set<std::string> keys;
  for (const auto& [key, value] : answer.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"title", "from", "to", "reference", "scales", "spectrum", "methods"}));
  EXPECT_LT(answer["reference"]["agreement"].get<double>(), 1e-11);
  EXPECT_EQ(answer["methods"].size(), tests::registered_on_numbers().size());
  for (const json& one : answer["methods"]) {
    ASSERT_GE(one["runs"].size(), 3u) << one["name"];
    const method_info& method = *find_method(one["name"].get<std::string>());
    const bool adaptive = method.adaptive;
    for (const json& run : one["runs"]) {
      EXPECT_EQ(run.contains("rtol"), adaptive);
      EXPECT_EQ(run.contains("step"), !adaptive);
      EXPECT_GT(run["evaluations"], 0);
      EXPECT_TRUE(run["error"].is_number() && run["drift"].is_number()) << run;
      EXPECT_GT(run["seconds"], 0);
    }
    const double part = method.order == 1 ? 0.2 : 0.1;  // errors of order 1 fall with the root of the tolerance
    EXPECT_LT(one["runs"].back()["error"], part * one["runs"].front()["error"].get<double>()) << one["name"];
  }
}

TEST(compare_command, observed_orders_are_the_methods) {
  const json answer = compared({swing.path});
  for (const json& one : answer["methods"])
    if (find_method(one["name"].get<std::string>())->adaptive) {
      EXPECT_TRUE(one["observed_order"].is_null());
    } else if (one["name"] != "lagged(verlet)") {  // without drag it is Verlet's own step
      EXPECT_NEAR(one["observed_order"].get<double>(), one["order"].get<double>(), 0.2) << one["name"];
    }
}

TEST(compare_command, errors_are_true_errors) {
  const json answer = compared({decay.path});
  for (const json& run : method(answer, "euler")["runs"]) {
    const double h = run["step"];
    double largest = 0;  // at t = 1, 2, …: (1 − 4h)^n against exp(−4t)
    for (int t = 1; t <= 20; ++t)
      largest = std::max(largest, std::abs(std::pow(1 - 4 * h, std::round(t / h)) - std::exp(-4 * t)));
    if (h >= 0.5) continue;
    EXPECT_NEAR(run["error"], largest, 1e-9 * largest + 1e-13);
  }
}

TEST(compare_command, stable_steps_of_decay) {
  const json answer = compared({decay.path});
  for (const json& one : answer["methods"]) {
    const double limit = find_method(one["name"].get<std::string>())->real_stability / 4;
    if (std::isinf(limit)) {
      EXPECT_TRUE(one["stable_step"]["predicted"].is_null()) << one["name"];
      continue;
    }
    EXPECT_NEAR(one["stable_step"]["predicted"], limit, 1e-9) << one["name"];
    // Where an iteration still settles depends on where it starts.
    const double near = find_method(one["name"].get<std::string>())->evaluations.iterates ? 0.05 : 0.02;
    EXPECT_NEAR(one["stable_step"]["observed"], limit, near * limit) << one["name"];
  }
  EXPECT_NEAR(method(answer, "euler")["stable_step"]["predicted"], 2. / 4, 1e-12);
  EXPECT_NEAR(method(compared({decay.path, "--set", "k=10"}), "euler")["stable_step"]["observed"], 0.2, 0.004);
}

// x'' = −ω²x: eigenvalues ±iω, between which and the boundary nothing is approximated.
TEST(compare_command, stable_step_of_an_oscillation) {
  const temporary_file spring("spring.toml",
                              "to = 200\n[position]\nx = 1\n[velocity]\nx = 0\n[acceleration]\nx = \"-9*x\"\n");
  const json answer = compared({spring.path});
  const json rk4 = method(answer, "rk4")["stable_step"], euler = method(answer, "euler")["stable_step"];
  EXPECT_NEAR(rk4["predicted"], 2 * std::sqrt(2.) / 3, 0.01);
  EXPECT_NEAR(rk4["observed"], 2 * std::sqrt(2.) / 3, 0.02);
  EXPECT_FALSE(rk4["grows_at_every_step"]);
  EXPECT_TRUE(euler["grows_at_every_step"]);
  // (1 + (3h)²)^(n/2) = 10 with n = 200/h
  EXPECT_NEAR(euler["predicted"], 2 * std::log(10.) / (9 * 200), 1e-4);
}

std::string diffusion(int n) {
  std::string state = "to = 2\n[state]\n", derivative = "[derivative]\n";
  for (int i = 1; i <= n; ++i) {
    const auto u = [&](int k) { return k < 1 || k > n ? std::string("0") : "u" + std::to_string(k); };
    state += u(i) + " = " + std::to_string(1 + i % 3) + "\n";
    derivative += u(i) + " = \"" + u(i - 1) + " - 2*" + u(i) + " + " + u(i + 1) + "\"\n";
  }
  return state + derivative;
}

// u_i' = −4u_i + u_{i+1} − 2u_{i+2} around a ring of n: eigenvalues −4 + w − 2w², wⁿ = 1.
std::string ring(int n) {
  std::string state = "to = 9\n[state]\n", derivative = "[derivative]\n";
  const auto u = [&](int k) { return "u" + std::to_string(k % n); };
  for (int i = 0; i < n; ++i) {
    state += u(i) + " = " + std::to_string(1 + i) + "\n";
    derivative += u(i) + " = \"-4*" + u(i) + " + " + u(i + 1) + " - 2*" + u(i + 2) + "\"\n";
  }
  return state + derivative;
}

// Spectra that are known: of a chain −2 − 2cos(kπ/(n + 1)), of a spiral −1 ± 5i, of a ring.
TEST(compare_command, follows_a_problem_that_is_stiff_for_its_usual_reference) {
  if (tests::sanitized) GTEST_SKIP() << "a million evaluations before it is given up";
  const temporary_file fast("fast.toml", "to = 2\n[state]\ny = 1\n[derivative]\ny = \"-1e6*(y - cos(t))\"\n");
  const json answer = compared({fast.path});
  EXPECT_EQ(answer["reference"]["methods"], (json{"radau", "rodas5p"}));
  EXPECT_LT(answer["reference"]["agreement"].get<double>(), 1e-9);
  EXPECT_NEAR(answer["spectrum"]["radius"].get<double>(), 1e6, 1);
  EXPECT_NEAR(method(answer, "euler")["stable_step"]["predicted"].get<double>(), 2e-6, 1e-12);
  for (const char* name : {"rodas5p", "radau", "bdf"}) {
    const json one = method(answer, name)["stable_step"];
    EXPECT_TRUE(one["stable_at_every_step"].get<bool>()) << name;
    EXPECT_EQ(one["observed"], 1.) << name << ": half of the span";
  }
}

TEST(compare_command, predicted_steps_come_from_the_spectrum) {
  // The last one by power iteration.
  for (const int n : tests::sanitized ? std::vector{1, 7, 90} : std::vector{1, 2, 7, 30, 80, 120}) {
    const temporary_file file("chain.toml", diffusion(n));
    const double largest = 2 + 2 * std::cos(std::acos(-1.) / (n + 1));
    const double found = method(compared({file.path}), "euler")["stable_step"]["predicted"];
    EXPECT_NEAR(found, 2 / largest, n > 80 ? 0.02 * found : 1e-9) << n;
  }
  const temporary_file spiral("spiral.toml",
                              "to = 9\n[state]\nx = 1\ny = 0\n[derivative]\nx = \"-x - 5*y\"\ny = \"5*x - y\"\n");
  // |1 + hλ| = 1 for h = 2·1/|λ|²
  EXPECT_NEAR(method(compared({spiral.path}), "euler")["stable_step"]["predicted"], 2. / 26, 0.02 * 2 / 26);

  double step = 1e9;
  for (int k = 0; k < 7; ++k) {
    const std::complex<double> w = std::polar(1., 2 * std::acos(-1.) * k / 7), lambda = -4. + w - 2. * w * w;
    step = std::min(step, -2 * lambda.real() / std::norm(lambda));
  }
  const temporary_file circle("ring.toml", ring(7));
  EXPECT_NEAR(method(compared({circle.path}), "euler")["stable_step"]["predicted"], step, 0.01 * step);

  std::string state = "to = 1\n[state]\n", derivative = "[derivative]\n";  // one that decays quickly, and 99 others
  for (int i = 0; i < 100; ++i) {
    state += "u" + std::to_string(i) + " = 1\n";
    derivative += "u" + std::to_string(i) + " = \"-" + (i == 40 ? "50" : "1") + "*u" + std::to_string(i) + "\"\n";
  }
  const temporary_file one_quick("one_quick.toml", state + derivative);
  EXPECT_NEAR(method(compared({one_quick.path}), "euler")["stable_step"]["predicted"], 2. / 50, 1e-6);
}

// Springs in a row: frequencies 2 sin(kπ/(2n + 2)), close to each other where they are largest.
TEST(compare_command, predicts_steps_of_undamped_chains_of_many_components) {
  const int n = 45;
  const temporary_file file("net.toml",
                            "to = 4\n[parameters]\nN = 45\n[position]\n\"q[i=1..N]\" = \"if(i == 20, 1, 0)\"\n[velocity]\n\"q[i=1..N]\" = 0\n"
                            "[boundary]\n\"q[0]\" = 0\n\"q[N+1]\" = 0\n[acceleration]\n\"q[i=1..N]\" = \"q[i-1] + q[i+1] - 2*q[i]\"\n");
  const double fastest = 2 * std::sin(std::acos(-1.) * n / (2 * n + 2));
  const json stable = method(compared({file.path}), "verlet")["stable_step"];
  ASSERT_TRUE(stable["predicted"].is_number());
  EXPECT_NEAR(stable["predicted"], 2 / fastest, 0.01);
}

TEST(compare_command, advice_holds_when_it_is_followed) {
  for (const char* error : {"1e-3", "1e-6", "1e-10"}) {
    const json answer = compared({decay.path, "--error", error});
    EXPECT_LE(answer["advice"]["error"], std::stod(error));
    const json run = advised_run(answer);
    EXPECT_EQ(run["statistics"]["evaluations"], answer["advice"]["evaluations"]);
    EXPECT_LE(run["error"]["largest"], std::stod(error)) << answer["advice"];
    for (const json& one : answer["methods"])
      for (const json& other : one["runs"])
        if (other["error"].is_number() && other["error"] <= std::stod(error) / 3) {
          EXPECT_GE(other["evaluations"], answer["advice"]["evaluations"]) << one["name"] << other;
        }
  }
  for (const char* drift : {"1e-4", "1e-8"}) {
    const json answer = compared({swing.path, "--drift", drift, "--to", "6*pi"});
    const json run = advised_run(answer);
    EXPECT_LE(run["invariants"]["energy"]["largest_drift"], std::stod(drift));
    EXPECT_EQ(run["invariants"]["energy"]["largest_drift"], answer["advice"]["drift"]);
    EXPECT_EQ(run["t"], answer["to"]);
  }
}

TEST(compare_command, a_time_budget_alone_asks_for_the_most_accurate) {
  const json answer = compared({swing.path, "--time-budget", "1e-3"});
  EXPECT_LE(answer["advice"]["seconds"], 1e-3);
  for (const json& one : answer["methods"])
    for (const json& run : one["runs"])
      if (run["seconds"] <= 1e-3 && run["error"].is_number()) {
        EXPECT_GE(run["error"], answer["advice"]["error"]);
      }
}

TEST(compare_command, says_why_in_two_sentences) {
  const command_run run = compare({swing.path, "--error", "1e-6"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.error, "");
  for (const char* part :
       {"agree to", "For an error of 1e-06: ", " evaluations, ", "  ensue solve ", "stable step", "Left out:"})
    EXPECT_TRUE(mentions(run.out, part)) << part << "\n" << run.out;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("euler")) {
      EXPECT_LE(line.size(), 125u) << line;
    }
  const std::string reason = compared({swing.path, "--error", "1e-6"})["advice"]["reason"];
  EXPECT_TRUE(std::regex_match(reason, std::regex("[A-Z].*[a-z0-9)]\\. [A-Z].*\\."))) << reason;
}

// Beyond what two tight runs agree on nothing is claimed.
TEST(compare_command, without_a_reference_it_refuses) {
  const temporary_file lorenz("lorenz.toml",
                              "to = 60\n[state]\nx = 1\ny = 1\nz = 1\n[derivative]\nx = \"10*(y - x)\"\n"
                              "y = \"x*(28 - z) - y\"\nz = \"x*y - 8/3*z\"\n");
  const command_run run = compare({lorenz.path});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(run.error, found, std::regex("try --to ([0-9.]+)"))) << run.error;
  if (!tests::sanitized) {
    EXPECT_EQ(compare({lorenz.path, "--to", found[1].str()}).status, 0);
  }

  const temporary_file blow_up("blow_up.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"x^2\"\n");
  const command_run singular = compare({blow_up.path});
  EXPECT_EQ(singular.status, 1);
  EXPECT_TRUE(mentions(singular.error, "nothing to measure errors against")) << singular.error;
}

TEST(compare_command, what_cannot_be_met_is_said) {
  const command_run run = compare({swing.path, "--error", "1e-6", "--time-budget", "1e-9"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(mentions(run.out, "Nothing that was tried meets an error of 1e-06 and ")) << run.out;
  EXPECT_TRUE(compared({swing.path, "--time-budget", "1e-9"}, 1)["advice"].is_null());
}

TEST(compare_command, wrong_input) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"nothing.toml"}, "nothing.toml:1:1: cannot be read"},
      {{decay.path, "--error", "-1"}, "--error -1: expected a number above 0"},
      {{decay.path, "--error", "small"}, "--error small: unknown name `small`, expected a number"},
      {{decay.path, "--drift", "1"}, "has no [invariants]"},
      {{decay.path, "--patience", "0"}, "--patience 0: expected a number above 0"},
      {{decay.path, "--set", "q=1"}, "unknown name `q`"},
      {{decay.path, "--to", "0"}, "the run ends where it begins"},
      {{decay.path, "--plot", "/nowhere/a.svg"}, "--plot /nowhere/a.svg: cannot be written"}};
  for (const auto& [arguments, message] : wrong) {
    const command_run run = compare(arguments);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(mentions(run.error, message)) << message << "\n" << run.error;
  }
}

TEST(compare_command, backwards_too) {
  const json answer = compared({swing.path, "--to", "-10", "--error", "1e-6"});
  EXPECT_EQ(answer["to"], -10);
  EXPECT_LE(answer["advice"]["error"], 1e-6);
}

TEST(compare_command, writes_a_picture) {
  const tests::temporary_folder folder;
  const command_run run = compare({swing.path, "--plot", folder.file("a.svg"), "--quiet"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(mentions(tests::content_of(folder.file("a.svg")), "<svg"));
}

}  // namespace
