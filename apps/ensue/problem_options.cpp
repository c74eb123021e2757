#include "problem_options.hpp"

#include "endings.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace ensue::command {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::vector<problem_error>& errors) {
  std::string text;
  for (const problem_error& error : errors) text += (text.empty() ? "" : "\n") + error.text(file);
  throw wrong_input(text);
}

std::map<std::string, double> numbers_set(const std::vector<std::string>& assignments) {
  std::map<std::string, double> values;
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw wrong_input(fmt::format("--set {}: expected name=value", text));
    const std::string name = text.substr(0, equals);
    if (!values.emplace(name, number_of("--set " + name + " =", text.substr(equals + 1))).second)
      throw wrong_input(fmt::format("--set {}: found `{}` a second time, expected it once", text, name));
  }
  return values;
}

}  // namespace

double number_of(std::string_view option, const std::string& text) {
  const auto refuse = [&](const std::string& why) { return wrong_input(fmt::format("{} {}: {}", option, text, why)); };
  const expression::parsed parsed = expression::parse(text);
  if (parsed.fault) throw refuse(parsed.fault->what);
  if (!parsed.tree.names.empty())
    throw refuse(fmt::format("unknown name `{}`, expected a number", parsed.tree.names.front().text));
  expression::graph graph;
  const double value = graph[graph.insert(parsed.tree, {})].value;
  if (!std::isfinite(value)) throw refuse("expected a finite number");
  return value;
}

double positive_number_of(std::string_view option, const std::string& text) {
  const double value = number_of(option, text);
  if (!(value > 0)) throw wrong_input(fmt::format("{} {}: expected a number above 0", option, text));
  return value;
}

std::pair<double, double> range_of(std::string_view option, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 == text.size())
    throw wrong_input(fmt::format("{} {}: expected a range a..b", option, text));
  const double from = number_of(option, text.substr(0, dots)), to = number_of(option, text.substr(dots + 2));
  if (!(from < to)) throw wrong_input(fmt::format("{} {}: expected a range a..b with a below b", option, text));
  return {from, to};
}

file_problem problem_of(const std::string& file, const std::vector<std::string>& set,
                        const std::optional<std::string>& to) {
  const std::map<std::string, double> values = numbers_set(set);
  const problem_reading reading = read_problem_file(file);
  if (!reading.errors.empty()) refuse(file, reading.errors);
  problem_file::made made = reading.file->make(values);
  if (!made.errors.empty()) refuse(file, made.errors);
  if (!made.unknown.empty()) throw wrong_input("--set: " + fmt::format("{}", fmt::join(made.unknown, "\n--set: ")));
  if (to) made.problem->to = number_of("--to", *to);
  if (!made.problem->to)
    refuse(file, {{{}, "found no `to`, expected the time at which the run ends, here or as --to"}});
  return std::move(*made.problem);
}

void write_out(const std::optional<std::string>& file, std::string_view option, const std::string& text) {
  errno = 0;
  if (file) {
    std::ofstream stream(*file, std::ios::binary);
    if (stream << text && stream.flush()) return;
    throw wrong_input(fmt::format("{} {}: cannot be written: {}", option, *file, std::strerror(errno)));
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  fmt::print(stderr, "ensue: the answer could not be written to standard output: {}\n", std::strerror(errno));
  throw ended_early{};
}

}  // namespace ensue::command
