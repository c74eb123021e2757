/// `ensue solve`, run as a user runs it: answers, JSON, exit statuses.
#include <ensue/registry.hpp>

#include "problems/problem_file.hpp"
#include "support/solve_command.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <regex>
#include <set>
#include <string>

namespace {

using namespace ensue;
using namespace ensue::tests;

const std::string decay =
    "title = \"Decay\"\nto = 5\n[parameters]\nk = 2\n[state]\nx = 1\n[derivative]\nx = \"-k*x\"\n";

TEST(solve_command, every_example_runs) {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(examples)) {
    if (file.path().extension() != ".toml") continue;
    ++count;
    const command_run run = solve({file.path().string()});
    EXPECT_EQ(run.status, 0) << file << run.error;
    EXPECT_TRUE(run.error.empty() || run.error.starts_with("ensue: stiff at t = ")) << file << run.error;
    EXPECT_TRUE(mentions(run.out, "finished at t = ")) << file << run.out;
    const std::string text = tests::content_of(file.path().string());
    EXPECT_TRUE(text.starts_with("#") && mentions(text, "What to see:")) << file << " has no comment of what to see";
  }
  EXPECT_GE(count, 20u);
}

TEST(solve_command, the_summary_says_how_it_went) {
  const command_run run = solve({example("kepler")});
  for (const char* part :
       {"Kepler's ellipse, e = 0.6\n", "dop853: finished at t = 62.8318530717958", "  x'  ", " steps, ", " rejected, ",
        " evaluations, ", "angular_momentum  0.8 at the start, ", "largest drift "})
    EXPECT_TRUE(mentions(run.out, part)) << part << "\n" << run.out;
  EXPECT_TRUE(mentions(solve({example("decay")}).out, "error   largest "));
}

TEST(solve_command, json_is_the_object_of_the_contract) {
  const command_run run = solve({example("kepler"), "--json"});
  const json answer = json::parse(run.out);
  std::set<std::string> keys;
  for (const auto& [key, value] : answer.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"title", "method", "outcome", "message", "t", "state", "statistics",
                                         "invariants", "events"}));
  EXPECT_EQ(answer["title"], "Kepler's ellipse, e = 0.6");
  EXPECT_EQ(answer["method"], "dop853");
  EXPECT_EQ(answer["outcome"], "finished");
  EXPECT_EQ(answer["t"].get<double>(), 20 * std::numbers::pi) << "to the last bit";
  ASSERT_EQ(answer["state"].size(), 4u);
  EXPECT_NEAR(answer["state"]["x"], 0.4, 1e-6);
  EXPECT_NEAR(answer["state"]["y'"], 2, 1e-6);
  for (const char* key : {"steps", "rejected", "evaluations", "jacobians", "factorizations", "linear_solves"})
    EXPECT_TRUE(answer["statistics"][key].is_number_integer()) << key;
  EXPECT_EQ(answer["statistics"]["jacobians"], 0);
  EXPECT_EQ(answer["statistics"]["linear_solves"], 0);
  EXPECT_TRUE(answer["statistics"]["seconds"].is_number_float());
  EXPECT_EQ(answer["statistics"].size(), 7u);
  EXPECT_EQ(answer["invariants"]["energy"]["initial"].get<double>(), -0.5);
  EXPECT_LT(answer["invariants"]["energy"]["largest_drift"].get<double>(), 1e-8);
  EXPECT_GE(answer["invariants"]["energy"]["largest_drift"].get<double>(),
            std::abs(answer["invariants"]["energy"]["final"].get<double>() + 0.5));
  EXPECT_EQ(answer["events"], json::array());
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 1) << "one object and nothing else";
  EXPECT_EQ(run.error, "");

  const json with_exact = solved({example("decay")});
  EXPECT_EQ(with_exact["error"].size(), 1u);
  EXPECT_EQ(solved({example("oscillator")})["error"].size(), 3u) << "late, and off the curve";
  EXPECT_LT(with_exact["error"]["largest"].get<double>(), 1e-6);
  EXPECT_GT(with_exact["error"]["largest"].get<double>(),
            std::abs(with_exact["state"]["x"].get<double>() - std::exp(-10.)));
}

// The command watches every step; its steps are those of a run that nobody watches.
TEST(solve_command, steps_are_those_of_the_integrator) {
  for (const std::string name : {"lorenz", "kepler", "van_der_pol", "lotka_volterra"})
    for (const std::vector<std::string>& extra :
         {std::vector<std::string>{}, {"--to", "-0.7"}, {"--to", "1e-9"}, {"--rtol", "1e-4"}}) {
      std::vector<std::string> arguments{example(name), "--method", "dp54"};
      arguments.insert(arguments.end(), extra.begin(), extra.end());
      const json answer = solved(arguments);
      file_problem problem = std::move(*read_problem_file(example(name)).file->make().problem);
      options<std::span<double>> settings;
      if (!extra.empty() && extra[0] == "--rtol") problem.solver.rtol = std::stod(extra[1]);
      if (problem.solver.rtol) settings.rtol = *problem.solver.rtol, settings.atol = 1e-3 * *problem.solver.rtol;
      if (!problem.solver.atol.empty()) settings.atol = problem.solver.atol[0];
      const auto sim = find_method("dp54")->make(problem.system, problem.start, problem.from, settings);
      sim->advance_to(!extra.empty() && extra[0] == "--to" ? std::stod(extra[1]) : *problem.to);
      for (std::size_t i = 0; i < problem.names.size(); ++i)
        EXPECT_EQ(answer["state"][problem.names[i]].get<double>(), sim->state()[i]) << name << " " << problem.names[i];
      EXPECT_EQ(answer["statistics"]["steps"], sim->statistics().steps) << name;
      EXPECT_EQ(answer["statistics"]["rejected"], sim->statistics().rejected) << name;
      EXPECT_EQ(answer["statistics"]["evaluations"], sim->statistics().evaluations) << name;
    }
}

TEST(solve_command, fixed_steps) {
  const auto euler = [](const std::string& step, const std::string& to) {
    return solved({example("decay"), "--method", "euler", "--step", step, "--to", to});
  };
  EXPECT_EQ(euler("0.1", "1")["statistics"]["steps"], 10);
  EXPECT_EQ(euler("0.3", "1")["statistics"]["steps"], 4) << "the last one is shorter";
  EXPECT_EQ(euler("0.1", "-1")["statistics"]["steps"], 10);
  EXPECT_EQ(euler("0.1", "10000")["statistics"]["steps"], 100'000);
  EXPECT_NEAR(euler("0.1", "1")["state"]["x"], std::pow(0.8, 10), 1e-15);
  EXPECT_EQ(euler("0.3", "1")["t"], 1.0);
  EXPECT_EQ(solved({example("decay"), "--method", "rk4", "--step", "1/8", "--to", "1"})["statistics"]["evaluations"],
            32);
}

TEST(solve_command, the_command_line_wins_over_the_file) {
  const temporary_file file("problem.toml", decay + "[solver]\nmethod = \"rk4\"\nstep = 0.5\n");
  EXPECT_EQ(solved({file.path})["statistics"]["steps"], 10);
  EXPECT_EQ(solved({file.path})["method"], "rk4");
  EXPECT_EQ(solved({file.path, "--step", "0.25"})["statistics"]["steps"], 20);
  EXPECT_EQ(solved({file.path, "--method", "tsit5"})["method"], "tsit5");
  EXPECT_NEAR(solved({file.path, "--method", "tsit5", "--rtol", "1e-10"})["state"]["x"], std::exp(-10.), 1e-12);
  EXPECT_EQ(solved({file.path, "--to", "2*pi"})["t"].get<double>(), 2 * std::numbers::pi);
  EXPECT_NEAR(solved({file.path, "--set", "k=log(2)", "--set", "x=32", "--step", "0.01"})["state"]["x"], 1, 1e-8);
}

TEST(solve_command, ends_early_with_what_was_reached) {
  const temporary_file pole("pole.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"x^2\"\n");
  const json answer = solved({pole.path}, 1);
  EXPECT_EQ(answer["outcome"], "step too small");
  EXPECT_NEAR(answer["t"], 1, 1e-6);
  EXPECT_GT(answer["state"]["x"], 1e6);
  EXPECT_TRUE(mentions(answer["message"], "x = ")) << answer["message"];
  const command_run said = solve({pole.path});
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(mentions(said.out, "step too small"));

  const json spent = solved({example("lorenz"), "--max-evaluations", "1000"}, 1);
  EXPECT_EQ(spent["outcome"], "too many evaluations");
  EXPECT_LE(spent["statistics"]["evaluations"], 1000);
  EXPECT_GT(spent["t"], 0.5);
  EXPECT_EQ(solved({example("lorenz"), "--min-step", "0.5"}, 1)["outcome"], "step too small");

  const temporary_file root("root.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"sqrt(1 - t)\"\n");
  EXPECT_NE(solved({root.path}, 1)["outcome"], "finished");
}

TEST(solve_command, stiffness_is_said_at_once_and_in_the_end) {
  const std::vector<std::string> stiff = {example("van_der_pol"), "--set", "mu=1000", "--to", "2000",
                                          "--max-evaluations",    "50000"};
  const command_run run = solve(stiff);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(mentions(run.error, "ensue: stiff at t = ")) << run.error;
  EXPECT_TRUE(mentions(run.out, "The problem is stiff for dp54")) << run.out;
}

TEST(solve_command, quiet_says_only_what_goes_wrong) {
  const command_run fine = solve({example("decay"), "--quiet"});
  EXPECT_EQ(fine.status, 0);
  EXPECT_EQ(fine.out + fine.error, "");
  const command_run early = solve({example("lorenz"), "--quiet", "--max-evaluations", "100"});
  EXPECT_EQ(early.status, 1);
  EXPECT_EQ(early.out, "");
  EXPECT_TRUE(mentions(early.error, "too many evaluations"));
}

TEST(solve_command, wrong_files_write_nothing_and_exit_with_2) {
  const std::string body = "to = 1\n[state]\nx = 1\n[derivative]\n";
  const std::vector<std::string> wrong = {
      "",
      "to = 1\n",
      "to = 1\n[state]\nx = 1\n",
      body,
      body + "x = \"-kk*x\"\n",
      body + "x = \"(x\"\n",
      body + "x = -x\n",
      body + "x = \"x'\"\n",
      body + "y = \"-y\"\n",
      body + "x = 1\n[solver]\nmethod = \"dp45\"\n",
      body + "x = 1\n[solver]\nrtol = -1\n",
      body + "x = \"d\"\n[definitions]\nd = \"d\"\n",
      body + "x = \"" + std::string(100'000, '(') + "\"\n",
      body + "x = 1\nx = 2\n",
      body + "x = 1\n[output]\npoints = 1\n",
      body + "x = 1\n[[event]]\nwhen = \"y\"\n",
      "[state]\nx = nan\n[derivative]\nx = 1\n",
      "[state]\nx = \"1/0\"\n[derivative]\nx = 1\n",
      "[state]\nx = 1\n[derivative]\nx = 1\n",
      "[position]\nx = 1\n[acceleration]\nx = 1\n",
      "model = \"cloth\"\n",
      std::string("\x7f"
                  "ELF\0\1\2",
                  7),
  };
  for (const std::string& text : wrong) {
    const temporary_file file("wrong.toml", text);
    for (const char* form : {"--json", "--quiet"}) {
      const command_run run = solve({file.path, form});
      EXPECT_EQ(run.status, 2) << text;
      EXPECT_EQ(run.out, "") << text;
      std::istringstream lines(run.error);
      std::string line;
      int count = 0;
      for (; std::getline(lines, line); ++count) {
        EXPECT_TRUE(line.starts_with(file.path + ":")) << line;
        EXPECT_TRUE(std::regex_search(line, std::regex(":[0-9]+:[0-9]+: "))) << line;
      }
      EXPECT_GE(count, 1) << text;
    }
  }
  EXPECT_EQ(solve({"/no/such/file.toml"}).status, 2);
  EXPECT_EQ(solve({"/"}).status, 2);
}

TEST(solve_command, wrong_arguments_exit_with_2) {
  const std::string file = example("decay");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{file, "--method", "dp45"}, "did you mean 'dp54'?"},
      {{file, "--method", "euler"}, "euler has no error estimate, expected a fixed step"},
      {{file, "--method", "euler", "--rtol", "1e-3"}, "euler has no error estimate, expected a fixed step"},
      {{file, "--step", "0"}, "--step 0: expected a number above 0"},
      {{file, "--step", "nan"}, "unknown name `nan`, expected a number"},
      {{file, "--step", "0.1", "--rtol", "1e-3"}, "excludes"},
      {{file, "--step", "0.1", "--min-step", "1e-3"}, "excludes"},
      {{file, "--frame-formats", "obj"}, "requires --frames"},
      {{file, "--rtol", "-1"}, "--rtol -1: expected a number not below 0"},
      {{file, "--to", "1/0"}, "--to 1/0: expected a finite number"},
      {{file, "--to", "soon"}, "--to soon: unknown name `soon`, expected a number"},
      {{file, "--set", "kk=1"}, "unknown name `kk`, expected a parameter or an initial value"},
      {{file, "--set", "stat=1"}, "unknown name `stat`, did you mean `start`?"},
      {{file, "--set", "k"}, "--set k: expected name=value"},
      {{file, "--set", "k=1", "--set", "k=2"}, "found `k` a second time"},
      {{file, "--max-evaluations", "1.5"}, "expected a whole number"},
      {{file, "--threads", "1.5"}, "expected a whole number"},
      {{file, "--frobnicate"}, "--frobnicate"},
      {{}, "FILE is required"},
  };
  for (const auto& [arguments, said] : wrong) {
    const command_run run = solve(arguments);
    EXPECT_EQ(run.status, 2) << said;
    EXPECT_EQ(run.out, "") << said;
    EXPECT_TRUE(mentions(run.error, said)) << run.error << "instead of\n" << said;
  }
}

/// f' from the file's expressions: no evaluation of f is spent on differences, of first order with time and of second.
TEST(solve_command, takes_the_jacobian_of_a_file_from_its_expressions) {
  for (const json& answer : {solved({example("stiff_particle"), "--set", "k=1e6", "--method", "rodas5p"}),
                             solved({example("van_der_pol"), "--set", "mu=1000", "--to", "2000", "--method", "rodas5p"})}) {
    const json& spent = answer["statistics"];
    const std::int64_t steps = spent["steps"], rejected = spent["rejected"];
    EXPECT_LT(steps, 1000);
    EXPECT_EQ(spent["jacobians"], steps);
    EXPECT_EQ(spent["factorizations"], steps + rejected);
    EXPECT_EQ(spent["linear_solves"], 8 * (steps + rejected));
    EXPECT_EQ(spent["evaluations"], 8 * steps + 7 * rejected + 1);
  }
  EXPECT_LT(solved({example("stiff_particle"), "--set", "k=1e6", "--method", "rodas5p"})["error"]["largest"], 1e-5);
}

}  // namespace
