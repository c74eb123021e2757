// ensue solve FILE: a problem in a text file, an answer with its evidence.
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

#include <memory>
#include <new>

namespace ensue::command {
namespace {

struct request : problem_request, points_request {
  std::optional<std::string> table, plot, frames;
  std::string frame_formats = "obj,ply,vtk,glb";
  bool check = false, ledger = false, json = false, quiet = false;
};

/// What becomes of the output points: a table, frames, a picture, rows to compare with.
class output {
 public:
  output(const request& asked, const file_problem& problem) : keeps_(asked.check) {
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
    if (keeps_) keep(each);
  }
  /// False if something could not be written.
  bool finish(const file_problem& problem) {
    bool written = !table_ || table_->finish();
    if (frames_) written = has_memory_for("--frames", [&] { return frames_->finish(); }) && written;
    if (picture_) written = has_memory_for("--plot", [&] { return draw(problem); }) && written;
    return written;
  }
  /// Empty where memory was too small for them.
  const kept_rows& rows() const { return rows_; }
  bool has_kept_rows() const { return keeps_; }

 private:
  /// The run is worth more than its check: without memory for the rows it goes on without them.
  void keep(const row& each) {
    try {
      rows_.keep(each);
    } catch (const std::bad_alloc&) {
      keeps_ = false;
      rows_ = {};
    }
  }
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

  bool keeps_;
  kept_rows rows_;
  std::optional<plotted_rows> plotted_;
  std::optional<table_file> table_;
  std::optional<frame_files> frames_;
  std::optional<written_file> picture_;
};

/// Without memory to go on, the rows up to there are written.
run_result run_to_its_end(const file_problem& problem, const method_info& method, const options<std::span<double>>& settings,
                          const run_watch& watch, output& out) {
  try {
    return run_observed(problem, method, *problem.to, settings, watch);
  } catch (const std::bad_alloc&) {
    (void)out.finish(problem);
    throw;
  }
}

check_result checked_run(const file_problem& problem, const run_result& run, const output& out, const options<std::span<double>>& settings,
                         const run_watch& watch) {
  check_result failed;
  failed.failed = "out of memory";
  if (!out.has_kept_rows()) return failed;
  try {
    return check(problem, run, out.rows(), settings, watch);
  } catch (const std::bad_alloc&) {
    return failed;
  }
}

void solve(const request& asked) {
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
  if (asked.table || asked.plot || asked.frames || asked.check) watch.take = [&](const row& each) { out.take(each); };
  if (!asked.quiet)
    watch.when_stiff = [&](const report& noticed) {
      notice("ensue: stiff at t = {:.6g}: the steps of {} are limited by stability, not by accuracy; an implicit method fits\n",
             noticed.stiff_since, method.name);
    };
  watch.ledger = asked.ledger;
  watch.progress = !asked.quiet;
  const run_result run = run_to_its_end(problem, method, settings, watch, out);
  if (run.ending.how == outcome::bad_input) throw wrong_input(run.message);
  const bool written = out.finish(problem);

  std::optional<check_result> checked;
  if (asked.check) {
    watch.when_stiff = {};
    watch.ledger = false;
    checked = checked_run(problem, run, out, settings, watch);
  }
  if (asked.json) write_out({}, "", json(problem, run, checked) + '\n');
  else if (!asked.quiet) write_out({}, "", summary(problem, run, checked));
  // The summary has said it already.
  const bool silent = asked.json || asked.quiet;
  if (silent && !run.as_asked()) notice("ensue: {}\n", ending_in_words(problem, run));
  if (silent && checked && !checked->difference)
    notice("ensue: the error could not be estimated: {}\n", checked->failed);
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
