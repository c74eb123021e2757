// ensue compare FILE: every method on one problem, and which of them to take.
#include "commands.hpp"
#include "compare_report.hpp"
#include "interrupt.hpp"
#include "notices.hpp"
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
  if (given.error && *given.error < smallest_error)
    throw wrong_input(fmt::format("--error {}: expected at least {:g}: smaller errors cannot be told from rounding", *asked.error, smallest_error));
  if (given.drift && problem.invariants.size() == 0)
    throw wrong_input(
        fmt::format("--drift {}: {} has no [invariants], expected what is to stay", *asked.drift, asked.file));
  return given;
}

// Why errors cannot be measured against this reference; empty if they can.
std::string why_not(const reference_solution& reference, const goal& asked) {
  if (!reference.failure.empty()) return reference.failure;
  constexpr double least = 1e-4;
  const double needed = asked.error ? std::min(least, *asked.error / 5) : least;
  if (reference.agreement <= needed) return "";
  const std::string apart = fmt::format("{} and {}, both at a tolerance of {}, are {:.2g} apart", reference.methods[0], reference.methods[1],
                                        reference.tolerance, reference.agreement);
  if (reference.agreement <= least)
    return fmt::format("{}, so that no error below {:.2g} can be judged. Ask for an --error of {:.1g} or more.", apart, 5 * reference.agreement,
                       10 * reference.agreement);
  std::string remedy = "Shorten the run with --to.";
  if (!std::isnan(reference.agreed_until))
    remedy = fmt::format("They agree to 1e-6 up to t = {:.6g}: try --to {:.6g}.", reference.agreed_until,
                         reference.agreed_until);
  return fmt::format("{}, and {:.2g} is needed. The solution magnifies the smallest differences. {}", apart, needed, remedy);
}

// Nothing is measured against what is not known.
void expect_reference(const request& asked, const file_problem& problem, const reference_solution& reference, const goal& wish,
                      time_limit& limit) {
  std::string failure = why_not(reference, wish);
  if (failure.empty()) return;
  limit.end_line();
  failure = (failure == cancelled ? "" : "there is nothing to measure errors against: ") + failure;
  if (asked.json) write_out({}, "", refusal_json(problem, wish, failure) + '\n');
  notice("ensue: {}\n", failure);
  throw ended_early{};
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

void write_answer(const request& asked, const laboratory& lab, const comparison& compared, const goal& wish) {
  const std::string solve = solve_command(asked);
  const bool is_answered = compared.advice() || !lab.limit().is_interrupted();
  const std::string advice = wish.is_given() && is_answered ? advice_in_words(solve, lab, wish, compared) : "";
  std::string text;
  if (asked.json) text = comparison_json(solve, lab, compared, wish) + '\n';
  else {
    if (!asked.quiet) text = work_precision_table(lab, compared, wish);
    if (!advice.empty()) text += (text.empty() ? "" : "\n") + advice;
  }
  write_out({}, "", text);
  if (asked.json && !advice.empty() && !compared.advice()) notice("ensue: {}", advice);
}

void compare(const request& asked) {
  const file_problem problem = problem_of(asked.file, asked.set, asked.to);
  require_derivatives(problem, asked.file, "compare");
  goal wish = goal_of(asked, problem);
  if (!problem.events.empty())
    throw wrong_input(fmt::format("{}: found [[event]], expected none: compare follows smooth runs only", asked.file));
  if (*problem.to == problem.from)
    throw wrong_input(fmt::format("{}: the run ends where it begins, at t = {}", asked.file, problem.from));

  const double patience = positive("--patience", asked.patience).value_or(comparison::usual_patience);
  time_limit limit(patience, listen_for_interrupt(), !asked.quiet);
  std::optional<written_file> picture;  // from here on nothing may end the program without removing its temporary file
  if (asked.plot) picture.emplace("--plot", *asked.plot);
  const reference_solution reference = make_reference(problem, limit);
  expect_reference(asked, problem, reference, wish, limit);
  wish.doubt = reference.agreement;
  const laboratory lab(problem, reference, limit);
  const bool only_advice = asked.quiet && !asked.json;
  const comparison compared(lab, wish, !only_advice);
  limit.end_line();

  bool written = true;
  if (picture) {
    picture->write(work_precision_picture(lab, compared));
    written = picture->finish();
  }
  write_answer(asked, lab, compared, wish);
  if (limit.is_interrupted()) {
    notice("ensue: cancelled; what was measured up to there is written\n");
    throw ended_early{};
  }
  if (!written || (wish.is_given() && !compared.advice())) throw ended_early{};
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
      "The command that is named has been run, and meets what is asked.\n"
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
  command->add_option("--patience", asked->patience, "Seconds for everything; what does not fit is left out; default 10")->type_name("S");
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
