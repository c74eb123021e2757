// ensue solve FILE: a problem in a text file, an answer with its evidence.
#include "problems/problem_model.hpp"
#include "check.hpp"
#include "commands.hpp"
#include "frames.hpp"
#include "interrupt.hpp"
#include "notices.hpp"
#include "problem_options.hpp"
#include "solve_charts.hpp"
#include "solve_report.hpp"
#include "table_file.hpp"
#include "written_file.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <new>

namespace ensue::command {
namespace {

struct solve_request : problem_request, points_request {
  std::optional<std::string> table, plot, frames;
  std::string frame_formats = "obj,ply,vtk,glb";
  bool check = false, ledger = false, json = false, quiet = false;
};

/// What becomes of the output points: a table, frames, a picture.
class output {
 public:
  output(const solve_request& asked, const file_problem& problem) {
    if (asked.table) table_.emplace(*asked.table, problem);
    if (asked.frames) frames_.emplace(*asked.frames, asked.frame_formats, problem);
    if (!asked.plot) return;
    if (!asked.plot->ends_with(".svg"))
      throw wrong_input(fmt::format("--plot {}: expected a name that ends with .svg", *asked.plot));
    picture_.emplace("--plot", *asked.plot);
    plotted_.emplace(problem);
  }

  void take(const row& each) {
    if (table_) table_->write(each);
    if (frames_) frames_->write(each);
    if (plotted_) plotted_->keep(each);
  }
  /// False if something could not be written.
  bool finish(const file_problem& problem) {
    bool written = !table_ || table_->finish();
    if (frames_) written = has_memory_for("--frames", [&] { return frames_->finish(); }) && written;
    if (picture_) written = has_memory_for("--plot", [&] { return draw(problem); }) && written;
    return written;
  }

 private:
  bool draw(const file_problem& problem) {
    picture_->write(plot::svg(solve_charts(problem, *plotted_)));
    return picture_->finish();
  }
  /// Without memory for one of the outputs, the others and the answer are still written.
  template <class Work> static bool has_memory_for(const char* option, Work work) {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      notice("ensue: {}: out of memory\n", option);
      return false;
    }
  }

  std::optional<plotted_rows> plotted_;
  std::optional<table_file> table_;
  std::optional<frame_files> frames_;
  std::optional<written_file> picture_;
};

run_result reached(const method_info& method, const any_integrator& sim) {
  run_result result;
  result.method = &method;
  result.out_of_memory = true;
  result.ending = sim.ending();
  result.t = sim.time();
  result.message = fmt::format("out of memory at t = {}.", result.t);
  result.state.assign(sim.state().begin(), sim.state().end());
  result.statistics = sim.statistics();
  return result;
}

/// Where memory runs out on the way, it ends there.
run_result run_to_its_end(const file_problem& problem, const method_info& method, options<std::span<double>> settings,
                          const run_watch& watch) {
  const auto began = std::chrono::steady_clock::now();
  settings.cancel = watch.interrupted;
  const auto sim = method.make(model_of(problem, method), problem.start, problem.from, settings);
  run_result result;
  try {
    result = run_observed(problem, method, *sim, *problem.to, watch);
  } catch (const std::bad_alloc&) {
    result = reached(method, *sim);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

/// The answer as the command prints it. Without memory for it, at least how the run ended is said.
std::string answer(const solve_request& asked, const file_problem& problem, const run_result& run,
                   const std::optional<check_result>& checked) {
  try {
    return asked.json ? json(problem, run, checked) + '\n' : summary(problem, run, checked);
  } catch (const std::bad_alloc&) {
    notice("ensue: {}\n", message_of(problem, run));
    throw;
  }
}

void solve(const solve_request& asked) {
  const file_problem problem = problem_of(asked.file, asked.set, asked.to);
  const method_info& method = method_of(asked, problem);
  const auto settings = options_of(asked, problem.solver, method);
  if (asked.ledger && problem.scene) throw wrong_input("--ledger: needs equations, from which it knows what physics does; this is a built-in model");
  if (asked.ledger && problem.system.offers_mass_matrix())
    throw wrong_input("--ledger: needs a derivative of every component, from which it knows what physics does; this problem has [algebraic]");
  run_watch watch;
  watch.points = points_of(asked, problem, asked.plot.has_value());
  if (asked.frames && std::holds_alternative<every_step>(watch.points)) watch.points = seconds_between_frames;
  watch.interrupted = listen_for_interrupt();  // before there are files to leave behind
  output out(asked, problem);
  checked_rows rows(problem.start.size());
  if (asked.table || asked.plot || asked.frames || asked.check)
    watch.take = [&](const row& each) {
      out.take(each);
      if (asked.check) rows.points.keep(each.t, each.state);
    };
  if (asked.check) watch.each_step = [&](double t, std::span<const double> x) { rows.steps.keep(t, x); };
  if (!asked.quiet)
    watch.when_stiff = [&](const report& noticed) {
      notice("ensue: stiff at t = {:.6g}: the steps of {} are limited by stability, not by accuracy; an implicit method fits\n",
             noticed.stiff_since, method.name);
    };
  watch.ledger = asked.ledger;
  watch.progress = !asked.quiet;
  const run_result run = run_to_its_end(problem, method, settings, watch);
  if (run.ending.how == outcome::bad_input) throw wrong_input(run.message);
  const bool written = out.finish(problem);

  std::optional<check_result> checked;
  if (asked.check && !run.out_of_memory) {
    watch.when_stiff = {};
    watch.ledger = false;
    rows.points.finish();
    rows.steps.finish();
    checked = check(problem, run, rows, settings, watch);
  }
  if (asked.json || !asked.quiet) write_to_standard_output(answer(asked, problem, run, checked));
  // The summary has said it already.
  const bool silent = asked.json || asked.quiet;
  if (silent && !run.as_promised()) notice("ensue: {}\n", message_of(problem, run));
  if (silent && checked && !checked->difference) notice("ensue: the error could not be estimated: {}\n", checked->failed);
  if (silent && checked)
    for (const std::string& finding : findings_in_words(problem, run, *checked)) notice("ensue: {}\n", finding);
  if (!written || !run.as_promised() || (checked && !checked->difference)) throw ended_early{};
}

}  // namespace

void add_solve_command(CLI::App& app) {
  const auto asked = std::make_shared<solve_request>();
  CLI::App* const command = app.add_subcommand("solve", "Solves the problem in a file and says how it went");
  command->footer(
      "For example, with this in decay.toml:\n"
      "    to = 5\n"
      "    [state]\n"
      "    x = 1\n"
      "    [derivative]\n"
      "    x = \"-2*x\"\n"
      "try\n"
      "  ensue solve decay.toml --check                            the state at t = 5, and how wrong it may be\n"
      "  ensue solve decay.toml --method rk4 --step 0.1            the classical method, fifty steps\n"
      "  ensue solve decay.toml --points 101 --output decay.csv --plot decay.svg\n"
      "Numbers may be expressions: --to '2*pi'.\n"
      "Exit status: 0 finished, or stopped by an event of the file; 1 ended early (what was reached is written), or with\n"
      "steps whose error is larger than allowed, or without the estimate of --check;\n"
      "2 wrong input (nothing is written).");
  add_problem_options(*command, *asked);
  add_points_options(*command, *asked);
  command->add_option("--output", asked->table, "Writes the output points as a table: t, components, invariants")
      ->type_name("F.csv|F.json");
  command->add_option("--plot", asked->plot, "Draws components over time, a phase portrait and the drift of invariants")
      ->type_name("F.svg");
  auto* const frames =
      command->add_option("--frames", asked->frames, "Writes the motion of a built-in model, a file an output point (without others: 60 a second), into this folder")
          ->type_name("DIR");
  command->add_option("--frame-formats", asked->frame_formats, "Which files: obj, ply, vtk (with motion.pvd for ParaView), glb (one animated file, motion.glb)")
      ->type_name("LIST")
      ->capture_default_str()
      ->needs(frames);
  command->add_flag("--check", asked->check,
                    "Estimates the true error by a second run, with tighter tolerances, an unrelated method and steps of at most a thousandth of "
                    "the span; says where f changes unseen, and which events were missed");
  command->add_flag("--consistent", asked->consistent,
                    "Changes a start that does not solve the equations of [algebraic] until it does");
  command->add_flag("--ledger", asked->ledger,
                    "Says of every invariant what physics changed of it (damping, motors), what events, and what the method");
  command->add_flag("--json", asked->json, "Prints one JSON object on standard output, and nothing else");
  command->add_flag("--quiet", asked->quiet, "Prints no summary and no notices, only what goes wrong");
  command->callback([asked] { solve(*asked); });
}

}  // namespace ensue::command
