// ensue sweep FILE --vary NAME=A..B:N: a problem at every point of a grid, or of a sample, of its parameters and initial values.
#include "commands.hpp"
#include "interrupt.hpp"
#include "notices.hpp"
#include "numbers.hpp"
#include "problem_options.hpp"
#include "sweep_points.hpp"
#include "sweep_rows.hpp"
#include "table_file.hpp"
#include "written_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <new>
#include <system_error>

namespace ensue::command {
namespace {

struct sweep_arguments {
  problem_request problem;
  std::vector<std::string> vary;
  std::optional<std::string> sample, seed, output;
  std::string backend = "threads";
  bool extrema = false, quiet = false;
};

/// Shows how far it has come, where standard error is a terminal and it takes more than a second.
class sweep_progress {
 public:
  sweep_progress(std::size_t count, bool wanted) : count_(count), shown_(wanted && isatty(STDERR_FILENO)) {}
  ~sweep_progress() {
    if (visible_) notice("\r\x1b[K");
  }
  void show(std::size_t done) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (!shown_ || seconds < 1) return;
    visible_ = true;
    const double rate = static_cast<double>(done) / seconds;
    notice("\r{} of {} points, {:.3g} a second, {:.0f} s left\x1b[K", done, count_, rate, static_cast<double>(count_ - done) / rate);
    std::fflush(stderr);
  }

 private:
  std::size_t count_;
  bool shown_, visible_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

sweep_backend backend_of(const std::string& word) {
  if (word == "scalar") return sweep_backend::scalar;
  if (word == "lanes") return sweep_backend::lanes;
  if (word == "threads") return sweep_backend::threads;
  if (word == "cuda") throw wrong_input("--backend cuda: problem files run on the processor, expected scalar, lanes or threads");
  throw wrong_input(fmt::format("--backend {}: expected one of scalar, lanes, threads", word));
}

/// Where the table goes.
class table_out {
 public:
  explicit table_out(const std::optional<std::string>& path) {
    if (path) file_.emplace("--output", *path);
  }
  void write(const fmt::memory_buffer& text) {
    if (file_) file_->write({text.data(), text.size()});
    else write_to_standard_output({text.data(), text.size()});
  }
  bool failed() const { return file_ && file_->failed(); }
  bool finish() { return !file_ || file_->finish(); }

 private:
  std::optional<written_file> file_;
};

std::string header_of(std::span<const varied_range> ranges, const sweep_rows& rows) {
  std::vector<std::string> names;
  for (const varied_range& each : ranges) names.push_back(csv_field(each.name));
  for (const std::string& each : rows.columns()) names.push_back(csv_field(each));
  return fmt::format("{}\n", fmt::join(names, ","));
}

/// The rows of one block are added. False where the system gives no memory or no thread for any of them.
bool solve_block(std::span<const double> points, sweep_rows& rows, fmt::memory_buffer& text, solved_points& all) {
  const std::size_t before = text.size();
  try {
    all.add(rows.solve(points, text));
    return true;
  } catch (const std::bad_alloc&) {
    all.stopped_by = "out of memory";
  } catch (const std::system_error& error) {
    all.stopped_by = error.what();
  }
  text.resize(before);
  return false;
}

/// Solves point after point and writes the table. It ends where the table cannot be written. Throws wrong_input, before anything is
/// written, where no point makes a problem.
solved_points solve_all(sweep_points& points, sweep_rows& rows, table_out& out, bool with_progress) {
  fmt::memory_buffer text;
  text.append(header_of(points.ranges(), rows));
  const std::size_t width = points.ranges().size();
  std::vector<double> block(rows.block() * width);
  solved_points all;
  sweep_progress progress(points.count(), with_progress);
  for (std::size_t asked = 0; all.rows == asked && asked < points.count() && !out.failed();) {
    const std::size_t count = std::min(rows.block(), points.count() - asked);
    for (std::size_t i = 0; i < count; ++i) points.next(std::span(block).subspan(i * width, width));
    if (!solve_block(std::span(block).first(count * width), rows, text, all)) break;
    asked += count;
    progress.show(all.rows);
    if (all.refused == all.rows) continue;  // all may be, and then nothing is written
    out.write(text);
    text.clear();
  }
  if (all.refused == points.count()) throw wrong_input(all.refusal);
  out.write(text);
  return all;
}

/// What is missing in the table; empty: nothing.
std::string shortcoming(const solved_points& all, std::size_t points, bool written, const report_names& names) {
  if (all.rows < points) {
    const std::string why = !all.stopped_by.empty() ? all.stopped_by : written ? "cancelled" : "stopped";
    return fmt::format("ensue: {} after {} of {} points\n", why, all.rows, points);
  }
  std::string text;
  if (all.refused > 0) text += fmt::format("ensue: bad input at {} of {} points; the first: {}\n", all.refused, points, all.refusal);
  if (!all.ran.all_finished()) text += fmt::format("ensue: {}\n", all.ran.message(names));
  return text;
}

void sweep_command(const sweep_arguments& given) {
  std::optional<std::size_t> sample;
  if (given.sample) sample = whole_number_of("--sample", *given.sample, most_points_of_sweep);
  std::vector<varied_range> ranges;
  for (const std::string& each : given.vary) ranges.push_back(range_varied(each, sample.has_value()));
  sweep_points points(ranges, sample, given.seed ? whole_number_of("--seed", *given.seed, most_points_of_sweep) : 1);
  const auto rows =
      make_sweep_rows({given.problem, points.ranges(), given.extrema, backend_of(given.backend), listen_for_interrupt()});

  table_out out(given.output);
  const solved_points all = solve_all(points, *rows, out, !given.quiet);
  const std::string missing = shortcoming(all, points.count(), !out.failed(), rows->names());
  if (!missing.empty()) notice("{}", missing);
  if (!out.finish() || !missing.empty()) throw ended_early{};
}

}  // namespace

void add_sweep_command(CLI::App& app) {
  const auto given = std::make_shared<sweep_arguments>();
  CLI::App* const command = app.add_subcommand("sweep", "Solves a problem over a grid of parameters and initial values");
  command->footer(
      "For example:\n"
      "  ensue sweep examples/lorenz.toml --vary rho=0..28:10000 --to 10 --output ends.csv\n"
      "  ensue sweep examples/pendulum.toml --vary theta=0..3 --vary g=9..10 --sample 1000 --output ends.csv\n"
      "  ensue sweep examples/bouncing_ball.toml --vary bounce=0.1..0.9:9 --extrema\n"
      "Every row has the numbers that vary, the time and state reached, of each event of the file how often it\n"
      "happened, when first and when last, how the run ended and its evaluations.\n"
      "Explicit methods follow equations without events side by side; everything else runs one by one.\n"
      "Exit status: 0 finished, 1 some run ended early (its row says how), or Ctrl-C ended\n"
      "the sweep (the rows up to there are written), 2 wrong input.");
  add_problem_options(*command, given->problem);
  command->add_option("--vary", given->vary, "N values of a parameter or initial value, evenly from A to B; repeatable")
      ->type_name("NAME=A..B:N")
      ->required()
      ->allow_extra_args(false);
  auto* const sample =
      command->add_option("--sample", given->sample, "Instead of the grid: so many points at random")->type_name("N");
  command->add_option("--seed", given->seed, "Of the random points; default 1")->type_name("S")->needs(sample);
  command->add_flag("--extrema", given->extrema, "Adds the least and the greatest value of every component along the run");
  command->add_option("--backend", given->backend, "threads (default), lanes of one thread, or scalar")->type_name("WORD");
  command->add_option("--output", given->output, "Writes the table there; default: to standard output")->type_name("F.csv");
  command->add_flag("--quiet", given->quiet, "Shows no progress");
  command->callback([given] { sweep_command(*given); });
}

}  // namespace ensue::command
