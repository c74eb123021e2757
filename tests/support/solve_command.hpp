/// `ensue solve`, run as a user runs it.
///
///     const command_run run = solve({example("kepler"), "--quiet"});
///     const json answer = solved({example("kepler")});          // --json, and the exit status is 0
///     const std::vector<double> x = state_solved({example("kepler")}, 20);
#pragma once

#include "support/command.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ensue::tests {

using nlohmann::json;

inline const std::filesystem::path examples = tree / "examples";

inline std::string example(const std::string& name) { return (examples / (name + ".toml")).string(); }

inline bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline command_run solve(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "solve");
  return ensue_command(arguments);
}

inline json solved(std::vector<std::string> arguments, int status = 0) {
  arguments.push_back("--json");
  const command_run run = solve(arguments);
  EXPECT_EQ(run.status, status) << run.error;
  return json::parse(run.out);
}

/// The state that it ends with, at time `to`: components in the order of the file.
inline std::vector<double> state_solved(std::vector<std::string> arguments, double to) {
  arguments.push_back("--json");
  const command_run run = solve(arguments);
  EXPECT_EQ(run.status, 0) << run.error;
  if (run.status != 0) return {};
  const auto answer = nlohmann::ordered_json::parse(run.out);
  EXPECT_EQ(answer["t"], to);
  std::vector<double> state;
  for (const auto& [name, value] : answer["state"].items()) state.push_back(value.get<double>());
  return state;
}

}  // namespace ensue::tests
