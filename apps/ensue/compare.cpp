// ensue compare FILE: every method on one problem, and which of them to take.
#include "commands.hpp"
#include "compare_report.hpp"
#include "numbers.hpp"
#include "problem_options.hpp"
#include "written_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <memory>

namespace ensue::command {
namespace {

struct request {
  std::string file;
  std::optional<std::string> to, error, drift, time_budget, patience, plot;
  std::vector<std::string> set;
  bool json = false, quiet = false;
};

std::optional<double> positive(std::string_view option, const std::optional<std::string>& text) {
  if (!text) return {};
  return positive_number_of(option, *text);
}

goal goal_of(const request& asked, const file_problem& problem) {
  const goal given = {positive("--error", asked.error), positive("--drift", asked.drift),
                      positive("--time-budget", asked.time_budget)};
  if (given.drift && problem.invariants.size() == 0)
    throw wrong_input(
        fmt::format("--drift {}: {} has no [invariants], expected what is to stay", *asked.drift, asked.file));
  return given;
}

// Nothing is measured against what is not known.
void expect_agreement(const laboratory& lab, const goal& asked) {
  const reference_solution& reference = lab.reference();
  const auto refuse = [](const std::string& why) {
    fmt::print(stderr, "ensue: there is nothing to measure errors against: {}\n", why);
    throw ended_early{};
  };
  if (!reference.failure.empty()) refuse(reference.failure);
  const double needed = asked.error ? std::min(1e-4, *asked.error / 5) : 1e-4;
  if (reference.agreement <= needed) return;
  std::string remedy = "Shorten the run with --to.";
  if (!std::isnan(reference.agreed_until))
    remedy = fmt::format("They agree to 1e-6 up to t = {:.6g}: try --to {:.6g}.", reference.agreed_until,
                         reference.agreed_until);
  refuse(
      fmt::format("{} and {}, both at a tolerance of {}, are {:.2g} apart, and {:.2g} is needed. The solution "
                  "magnifies the smallest differences. {}",
                  reference.methods[0], reference.methods[1], reference.tolerance, reference.agreement, needed, remedy));
}

// For a shell: as it stands, or in quotes.
std::string quoted(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-./=+,:", c);
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// How to solve the same problem: "ensue solve FILE --to T".
std::string solve_command(const request& asked) {
  std::string text = "ensue solve " + quoted(asked.file);
  if (asked.to) text += " --to " + quoted(*asked.to);
  for (const std::string& one : asked.set) text += " --set " + quoted(one);
  return text;
}

void compare(const request& asked) {
  const file_problem problem = problem_of(asked.file, asked.set, asked.to);
  require_derivatives(problem, asked.file, "compare");
  const goal wish = goal_of(asked, problem);
  if (!problem.events.empty())
    throw wrong_input(fmt::format("{}: found [[event]], expected none: compare follows smooth runs only", asked.file));
  if (*problem.to == problem.from)
    throw wrong_input(fmt::format("{}: the run ends where it begins, at t = {}", asked.file, problem.from));
  std::optional<written_file> picture;
  if (asked.plot) picture.emplace("--plot", *asked.plot);

  const double patience = positive("--patience", asked.patience).value_or(comparison::usual_patience);
  const laboratory lab(problem, *problem.to);
  expect_agreement(lab, wish);
  const comparison compared(lab, wish, patience);
  const std::optional<advised> advice = wish.is_given() ? compared.advice() : std::nullopt;

  if (picture) {
    picture->write(work_precision_picture(lab, compared));
    if (!picture->finish()) throw ended_early{};
  }
  std::string text;
  if (asked.json) text = comparison_json(solve_command(asked), lab, compared, wish, advice) + '\n';
  else {
    if (!asked.quiet) text = work_precision_table(lab, compared, wish);
    if (wish.is_given()) text += (text.empty() ? "" : "\n") + advice_in_words(solve_command(asked), lab, wish, advice);
  }
  write_out({}, "", text);
  if (!wish.is_given() || advice) return;
  if (asked.json) fmt::print(stderr, "ensue: {}", advice_in_words(solve_command(asked), lab, wish, advice));
  throw ended_early{};
}

}  // namespace

void add_compare_command(CLI::App& app) {
  const auto asked = std::make_shared<request>();
  CLI::App* const command =
      app.add_subcommand("compare", "Runs every method on a problem: what each costs, and which to take");
  command->footer(
      "For example:\n"
      "  ensue compare examples/kepler.toml --error 1e-6            the cheapest for six digits, and why\n"
      "  ensue compare examples/pendulum.toml --to 100 --drift 1e-6 the cheapest that keeps the energy\n"
      "An error is the largest at 20 times, of each component relative to its largest value.\n"
      "Exit status: 0 answered, 1 no reference or nothing meets what is asked, 2 wrong input.");
  command->add_option("FILE", asked->file, "The problem (TOML)")->required();
  command->add_option("--error", asked->error, "Names the cheapest method whose error is not larger")->type_name("E");
  command
      ->add_option("--drift", asked->drift, "Names the cheapest method whose invariants change by no more, at any step")
      ->type_name("D");
  command
      ->add_option("--time-budget", asked->time_budget,
                   "Takes only runs of so many seconds; alone: names the most accurate of them")
      ->type_name("S");
  command->add_option("--patience", asked->patience, "Seconds of the processor for all methods together; default 4")->type_name("S");
  command->add_option("--to", asked->to, "Time at which the run ends, instead of the file's")->type_name("T");
  command->add_option("--set", asked->set, "A parameter or initial value, instead of the file's; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--plot", asked->plot, "Draws error against evaluations")->type_name("F.svg");
  command->add_flag("--json", asked->json,
                    "Prints one JSON object on standard output, with every run, and nothing else");
  command->add_flag("--quiet", asked->quiet, "Prints only the advice");
  command->callback([asked] { compare(*asked); });
}

}  // namespace ensue::command
