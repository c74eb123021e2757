// ensue sweep FILE --vary NAME=A..B:N: a problem at every point of a grid, or of a sample, of its parameters and initial values.
#include "../../src/sweep.hpp"
#include "commands.hpp"
#include "problem_options.hpp"
#include "written_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>

namespace ensue::command {
namespace {

struct arguments {
  problem_request problem;
  std::vector<std::string> vary;
  std::optional<std::string> sample, seed, output;
  std::string backend = "threads";
  bool quiet = false;
};

struct range {
  std::string name;
  double low = 0, high = 0;
  std::size_t count = 1;
};

/// So many points may be asked for.
constexpr double most_points_of_sweep = 1e12;

std::size_t whole_number_of(std::string_view option, const std::string& text) {
  const double value = positive_number_of(option, text);
  if (value != std::floor(value) || value > most_points_of_sweep)
    throw wrong_input(fmt::format("{} {}: expected a whole number up to {}", option, text, most_points_of_sweep));
  return static_cast<std::size_t>(value);
}

range varied(const std::string& text, bool sampled) {
  const auto refuse = [&] {
    return wrong_input(fmt::format("--vary {}: expected name=a..b:n{}", text, sampled ? ", or name=a..b for a sample" : ""));
  };
  const std::size_t equals = text.find('='), colon = text.rfind(':');
  if (equals == std::string::npos || equals == 0) throw refuse();
  const bool counted = colon != std::string::npos && colon > equals;
  if (!counted && !sampled) throw refuse();
  const std::string name = text.substr(0, equals), option = "--vary " + name + " =";
  const auto [low, high] = range_of(option, text.substr(equals + 1, counted ? colon - equals - 1 : std::string::npos));
  return {name, low, high, counted ? whole_number_of(option, text.substr(colon + 1)) : 1};
}

/// The points in their order: of a grid the last name varies fastest; of a sample, as its seed has it.
class sweep_points {
 public:
  sweep_points(std::vector<range> ranges, std::optional<std::size_t> sample, std::uint64_t seed)
      : ranges_(std::move(ranges)), sampled_(sample), random_(seed) {
    double product = 1;
    for (const range& each : ranges_) product *= static_cast<double>(each.count);
    if (!sample && product > most_points_of_sweep)
      throw wrong_input(fmt::format("--vary: {} points, expected at most {}", product, most_points_of_sweep));
    count_ = sample.value_or(static_cast<std::size_t>(product));
  }

  std::size_t count() const { return count_; }
  std::span<const range> ranges() const { return ranges_; }

  /// The next one; to be asked for in order.
  void next(std::span<double> point) {
    std::size_t left = at_++;
    for (std::size_t k = ranges_.size(); k-- > 0;) {
      const range& r = ranges_[k];
      double share = 0;
      if (sampled_) {
        share = static_cast<double>(random_() >> 11) * 0x1p-53;
      } else {
        share = r.count > 1 ? static_cast<double>(left % r.count) / static_cast<double>(r.count - 1) : 0;
        left /= r.count;
      }
      point[k] = share == 1 ? r.high : r.low + share * (r.high - r.low);
    }
  }

 private:
  std::vector<range> ranges_;
  std::optional<std::size_t> sampled_;
  std::mt19937_64 random_;
  std::size_t count_ = 0, at_ = 0;
};

/// Shows how far it has come, where standard error is a terminal and it takes more than a second.
class sweep_progress {
 public:
  sweep_progress(std::size_t count, bool wanted) : count_(count), shown_(wanted && isatty(STDERR_FILENO)) {}
  ~sweep_progress() {
    if (visible_) fmt::print(stderr, "\r\x1b[K");
  }
  void show(std::size_t done) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (!shown_ || seconds < 1) return;
    visible_ = true;
    const double rate = static_cast<double>(done) / seconds;
    fmt::print(stderr, "\r{} of {} points, {:.3g} a second, {:.0f} s left\x1b[K", done, count_, rate,
               static_cast<double>(count_ - done) / rate);
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

swept_problem swept_of(const arguments& given, std::span<const range> ranges) {
  std::vector<std::string> names;
  for (const range& each : ranges) names.push_back(each.name);
  try {
    return swept_problem(*read_problem_file(given.problem.file).file, names, numbers_set(given.problem.set));
  } catch (const std::invalid_argument& error) {
    throw wrong_input(fmt::format("--vary: {}", error.what()));
  }
}

/// Where the table goes.
class table_out {
 public:
  explicit table_out(const std::optional<std::string>& path) {
    if (path) file_.emplace("--output", *path);
  }
  void write(const fmt::memory_buffer& text) {
    if (file_) file_->write({text.data(), text.size()});
    else sound_ = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && sound_;
  }
  bool finish() { return file_ ? file_->finish() : std::fflush(stdout) == 0 && sound_; }

 private:
  std::optional<written_file> file_;
  bool sound_ = true;
};

void sweep_command(const arguments& given) {
  const file_problem problem = problem_of(given.problem.file, given.problem.set, given.problem.to);
  require_derivatives(problem, given.problem.file, "sweep");
  const method_info& method = method_of(given.problem, problem);
  const options<std::span<double>> settings = options_of(given.problem, problem.solver, method);
  const std::vector<std::string> methods = sweep_methods();
  if (!problem.scene && std::find(methods.begin(), methods.end(), method.name) == methods.end())
    throw wrong_input(fmt::format("--method {}: a sweep takes {}", method.name, fmt::join(methods, ", ")));
  const sweep_backend backend = backend_of(given.backend);

  std::optional<std::size_t> sample;
  if (given.sample) sample = whole_number_of("--sample", *given.sample);
  std::vector<range> ranges;
  for (const std::string& each : given.vary) ranges.push_back(varied(each, sample.has_value()));
  sweep_points points(ranges, sample, given.seed ? whole_number_of("--seed", *given.seed) : 1);
  const swept_problem swept = swept_of(given, points.ranges());

  table_out out(given.output);
  fmt::memory_buffer text;
  for (const range& each : points.ranges()) fmt::format_to(std::back_inserter(text), "{},", each.name);
  fmt::format_to(std::back_inserter(text), "{},outcome,evaluations\n", fmt::join(swept.names(), ","));

  // A block at a time: memory does not grow with the number of points.
  constexpr std::size_t block = 1 << 15;
  const std::size_t width = points.ranges().size(), components = swept.names().size();
  std::vector<double> point(block * width), states(block * components), parameters(block * swept.parameters());
  std::vector<trajectory_ending> endings(block);
  batch_report all;
  sweep_progress progress(points.count(), !given.quiet);
  for (std::size_t done = 0; done < points.count();) {
    const std::size_t count = std::min(block, points.count() - done);
    for (std::size_t i = 0; i < count; ++i) {
      points.next({point.data() + i * width, width});
      swept.start_of({point.data() + i * width, width}, {states.data() + i * components, components},
                     {parameters.data() + i * swept.parameters(), swept.parameters()});
    }
    batch_report report =
        sweep(swept, std::string(method.name), backend, settings, {problem.from, *problem.to}, {states.data(), count * components},
              {parameters.data(), count * swept.parameters()}, {endings.data(), count});
    if (report.first_failure < count) report.first_failure += done;
    all.method = report.method;
    all.add(report);
    for (std::size_t i = 0; i < count; ++i)
      fmt::format_to(std::back_inserter(text), "{},{},{},{}\n",
                     fmt::join(point.begin() + static_cast<std::ptrdiff_t>(i * width),
                               point.begin() + static_cast<std::ptrdiff_t>((i + 1) * width), ","),
                     fmt::join(states.begin() + static_cast<std::ptrdiff_t>(i * components),
                               states.begin() + static_cast<std::ptrdiff_t>((i + 1) * components), ","),
                     name_of(endings[i].how), endings[i].evaluations);
    out.write(text);
    text.clear();
    done += count;
    progress.show(done);
  }
  if (!out.finish()) throw ended_early{};
  if (!all.all_finished()) {
    fmt::print(stderr, "ensue: {}\n", all.message());
    throw ended_early{};
  }
}

}  // namespace

void add_sweep_command(CLI::App& app) {
  const auto given = std::make_shared<arguments>();
  CLI::App* const command = app.add_subcommand("sweep", "Solves a problem over a grid of parameters and initial values");
  command->footer(
      "For example:\n"
      "  ensue sweep examples/lorenz.toml --vary rho=0..28:10000 --to 10 --output ends.csv\n"
      "  ensue sweep examples/pendulum.toml --vary theta=0..3 --vary g=9..10 --sample 1000 --output ends.csv\n"
      "Every row has the numbers that vary, the end state, how the run ended and its evaluations.\n"
      "Exit status: 0 finished, 1 some run ended early (its row says how), 2 wrong input.");
  add_problem_options(*command, given->problem);
  command->add_option("--vary", given->vary, "N values of a parameter or initial value, evenly from A to B; repeatable")
      ->type_name("NAME=A..B:N")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--sample", given->sample, "Instead of the grid: so many points at random")->type_name("N");
  command->add_option("--seed", given->seed, "Of the random points; default 1")->type_name("S");
  command->add_option("--backend", given->backend, "threads (default), lanes of one thread, or scalar")->type_name("WORD");
  command->add_option("--output", given->output, "Writes the table there; default: to standard output")->type_name("F.csv");
  command->add_flag("--quiet", given->quiet, "Shows no progress");
  command->callback([given] { sweep_command(*given); });
}

}  // namespace ensue::command
