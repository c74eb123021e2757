// ensue solve FILE: a problem in a text file, an answer with its evidence.
#include "check.hpp"
#include "commands.hpp"
#include "frames.hpp"
#include "interrupt.hpp"
#include "problem_options.hpp"
#include "solve_charts.hpp"
#include "solve_report.hpp"
#include "table_file.hpp"
#include "written_file.hpp"

#include <fmt/format.h>

#include <memory>

namespace ensue::command {
namespace {

struct request : problem_request, points_request {
  std::optional<std::string> table, plot, frames;
  std::string frame_formats = "obj,ply,vtk,glb";
  bool check = false, ledger = false, json = false, quiet = false;
};

/// What is made of the output points: a table, a picture, something to compare with.
class output {
 public:
  output(const request& asked, const file_problem& problem) : keeps_(asked.plot || asked.check) {
    if (asked.table) table_.emplace(*asked.table, problem);
    if (asked.frames) frames_.emplace(*asked.frames, asked.frame_formats, problem);
    if (!asked.plot) return;
    if (!asked.plot->ends_with(".svg"))
      throw wrong_input(fmt::format("--plot {}: expected a name that ends with .svg", *asked.plot));
    picture_.emplace("--plot", *asked.plot);
  }

  void take(const row& each) {
    if (table_) table_->write(each);
    if (frames_) frames_->write(each);
    if (keeps_) rows_.keep(each);
  }
  /// False: something could not be written.
  bool finish(const file_problem& problem) {
    const bool table_written = !table_ || table_->finish();
    if (frames_) frames_->finish();
    if (!picture_) return table_written;
    picture_->write(plot::svg(solve_charts(problem, rows_)));
    return picture_->finish() && table_written;
  }
  const kept_rows& rows() const { return rows_; }

 private:
  bool keeps_;
  kept_rows rows_;
  std::optional<table_file> table_;
  std::optional<frame_files> frames_;
  std::optional<written_file> picture_;
};

void solve(const request& asked) {
  const file_problem problem = problem_of(asked.file, asked.set, asked.to);
  const method_info& method = method_of(asked, problem);
  const auto settings = options_of(asked, problem.solver, method);
  run_watch watch;
  watch.points = points_of(asked, problem, asked.plot.has_value());
  if (asked.frames && std::holds_alternative<every_step>(watch.points)) watch.points = seconds_between_frames;
  output out(asked, problem);
  if (asked.table || asked.plot || asked.frames || asked.check) watch.take = [&](const row& each) { out.take(each); };
  if (!asked.quiet)
    watch.when_stiff = [&](const report& noticed) {
      fmt::print(stderr,
                 "ensue: stiff at t = {:.6g}: the steps of {} are limited by stability, not by accuracy; an implicit "
                 "method fits\n",
                 noticed.stiff_since, method.name);
    };
  if (asked.ledger && problem.scene) throw wrong_input("--ledger: needs equations, from which it knows what physics does; this is a built-in model");
  if (asked.ledger && problem.system.offers_mass_matrix())
    throw wrong_input("--ledger: needs a derivative of every component, from which it knows what physics does; this problem has [algebraic]");
  watch.ledger = asked.ledger;
  watch.interrupted = listen_for_interrupt();
  watch.progress = !asked.quiet;
  const run_result run = run_observed(problem, method, *problem.to, settings, watch);
  if (run.ending.how == outcome::bad_input) throw wrong_input(run.message);
  const bool written = out.finish(problem);

  std::optional<check_result> checked;
  if (asked.check) {
    watch.when_stiff = {};
    watch.ledger = false;
    checked = check(problem, run, out.rows(), settings, watch);
  }
  if (asked.json) write_out({}, "", json(problem, run, checked) + '\n');
  else if (!asked.quiet) write_out({}, "", summary(problem, run, checked));
  // The summary has said it already.
  const bool silent = asked.json || asked.quiet;
  if (silent && !run.as_asked()) fmt::print(stderr, "ensue: {}\n", run.message);
  if (silent && checked && !checked->difference)
    fmt::print(stderr, "ensue: the error could not be estimated: {}\n", checked->failed);
  if (!written || !run.as_asked() || (checked && !checked->difference)) throw ended_early{};
}

}  // namespace

void add_solve_command(CLI::App& app) {
  const auto asked = std::make_shared<request>();
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
      "Exit status: 0 finished, or stopped by an event of the file; 1 ended early (what was reached is written);\n"
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
                    "Estimates the true error by a second run, at a tenth of the tolerance with an unrelated method");
  command->add_flag("--consistent", asked->consistent,
                    "Changes a start that does not solve the equations of [algebraic] until it does");
  command->add_flag("--ledger", asked->ledger,
                    "Says of every invariant what physics changed of it (damping, motors), what events, and what the method");
  command->add_flag("--json", asked->json, "Prints one JSON object on standard output, and nothing else");
  command->add_flag("--quiet", asked->quiet, "Prints no summary and no notices, only what goes wrong");
  command->callback([asked] { solve(*asked); });
}

}  // namespace ensue::command
