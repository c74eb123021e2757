// ensue solve FILE: a problem in a text file, an answer with its evidence.
#include "commands.hpp"
#include "observed_run.hpp"
#include "problem_options.hpp"
#include "solve_report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

namespace ensue::command {
namespace {

struct request : problem_request {
  bool json = false, quiet = false;
};

// ---- Ctrl-C ----

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

// The first Ctrl-C ends the run with what it has reached, a second one the program.
void listen_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

void write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  fmt::print(stderr, "ensue: the answer could not be written to standard output: {}\n", std::strerror(errno));
  throw ended_early{};
}

void solve(const request& asked) {
  const file_problem problem = problem_of(asked);
  const method_info& method = method_of(asked, problem);
  const auto settings = options_of(asked, problem.solver, method);
  listen_for_interrupt();
  const run_result run = run_observed(problem, method, *problem.to, settings, interrupted, [&](const report& noticed) {
    if (!asked.quiet)
      fmt::print(stderr,
                 "ensue: stiff at t = {:.6g}: the steps of {} are limited by stability, not by accuracy; an implicit "
                 "method fits\n",
                 noticed.stiff_since, method.name);
  });
  if (run.ending.how == outcome::bad_input) throw wrong_input(run.message);

  if (asked.json) write(json(problem, run) + '\n');
  else if (!asked.quiet) write(summary(problem, run));
  if (run.ending.how == outcome::finished) return;
  // The summary has said it already.
  if (asked.json || asked.quiet) fmt::print(stderr, "ensue: {}\n", ending_in_words(problem, run));
  throw ended_early{};
}

}  // namespace

void add_solve_command(CLI::App& app) {
  const auto asked = std::make_shared<request>();
  CLI::App* const command = app.add_subcommand("solve", "Solves a problem file and says how it went");
  command->footer(
      "Numbers may be expressions: --to 2*pi.\n"
      "Exit status: 0 finished, 1 ended early (what was reached is written), 2 wrong input.");
  add_problem_options(*command, *asked);
  command->add_flag("--json", asked->json, "One JSON object on standard output, and nothing else");
  command->add_flag("--quiet", asked->quiet, "No summary and no notices; only what goes wrong");
  command->callback([asked] { solve(*asked); });
}

}  // namespace ensue::command
