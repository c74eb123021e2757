#include "sweep_rows.hpp"

#include "registry/explicit_tables.hpp"
#include "endings.hpp"
#include "numbers.hpp"
#include "observed_run.hpp"

#include <ensue/batch/threads.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <stdexcept>

namespace ensue::command {
namespace {

auto joined(std::span<const double> numbers) { return fmt::join(numbers.begin(), numbers.end(), ","); }

/// Side by side.
class rows_in_lanes final : public sweep_rows {
 public:
  rows_in_lanes(const sweep_request& asked, swept_problem swept, const method_info& method, const options<std::span<double>>& settings,
                interval<double> span)
      : swept_(std::move(swept)),
        method_(method.name),
        settings_(settings),
        span_(span),
        backend_(asked.backend),
        width_(asked.ranges.size()) {
    settings_.cancel = asked.interrupted;
  }

  std::vector<std::string> columns() const override {
    std::vector<std::string> names = {"t"};
    names.insert(names.end(), swept_.names().begin(), swept_.names().end());
    names.insert(names.end(), {"outcome", "evaluations"});
    return names;
  }

  report_names names() const override { return {swept_.names(), {}}; }

  std::size_t block() const override { return 1 << 15; }

  solved_points solve(std::span<const double> points, fmt::memory_buffer& text) override {
    const std::size_t count = points.size() / width_, components = swept_.names().size(), parameters = swept_.parameters();
    states_.resize(count * components);
    parameters_.resize(count * parameters);
    endings_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      swept_.start_of(points.subspan(i * width_, width_), std::span(states_).subspan(i * components, components),
                      std::span(parameters_).subspan(i * parameters, parameters));
    solved_points solved;
    solved.ran = sweep(swept_, method_, backend_, settings_, span_, states_, parameters_, endings_);
    const auto is_cancelled = [](const trajectory_ending& each) { return each.how == outcome::cancelled; };
    solved.rows = static_cast<std::size_t>(std::find_if(endings_.begin(), endings_.end(), is_cancelled) - endings_.begin());
    for (std::size_t i = 0; i < solved.rows; ++i)
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", joined(points.subspan(i * width_, width_)), endings_[i].t,
                     joined(std::span(states_).subspan(i * components, components)), name_of(endings_[i].how), endings_[i].evaluations);
    return solved;
  }

 private:
  swept_problem swept_;
  std::string method_;
  options<std::span<double>> settings_;
  interval<double> span_;
  sweep_backend backend_;
  std::size_t width_;
  std::vector<double> states_, parameters_;
  std::vector<trajectory_ending> endings_;
};

/// The times at which an event happened in a run: how often, first and last; nothing where it did not.
std::string summary_of(const std::vector<happened_event>& events, std::size_t which) {
  std::size_t count = 0;
  double first = 0, last = 0;
  for (const happened_event& each : events)
    if (each.event == which) {
      if (count++ == 0) first = each.t;
      last = each.t;
    }
  return count == 0 ? "0,," : fmt::format("{},{},{}", count, first, last);
}

/// One by one.
class rows_of_runs final : public sweep_rows {
 public:
  rows_of_runs(const sweep_request& asked, problem_file file, const file_problem& sample, const method_info& method)
      : asked_(asked.problem),
        ranges_(asked.ranges.begin(), asked.ranges.end()),
        file_(std::move(file)),
        set_(numbers_set(asked.problem.set)),
        method_(method),
        extrema_(asked.extrema),
        threads_(asked.backend == sweep_backend::threads ? 0 : 1),
        interrupted_(asked.interrupted),
        names_(sample.names) {
    file_.invariants.clear();  // nobody reads them here
    file_.exact.clear();
    for (const file_event& each : sample.events) events_.push_back(each.name);
    if (asked.problem.to) to_ = number_of("--to", *asked.problem.to);
  }

  std::vector<std::string> columns() const override {
    std::vector<std::string> columns = {"t"};
    columns.insert(columns.end(), names_.begin(), names_.end());
    if (extrema_)
      for (const std::string& name : names_) columns.insert(columns.end(), {fmt::format("min({})", name), fmt::format("max({})", name)});
    for (const std::string& name : events_)
      for (const char* what : {"count", "first", "last"}) columns.push_back(fmt::format("{}({})", what, name));
    columns.insert(columns.end(), {"outcome", "evaluations"});
    return columns;
  }

  report_names names() const override { return {names_, events_}; }

  std::size_t block() const override { return 1 << 10; }

  solved_points solve(std::span<const double> points, fmt::memory_buffer& text) override {
    const std::size_t width = ranges_.size(), count = points.size() / width;
    std::vector<solved_row> rows(count);
    shared_work work(count, 4);
    std::atomic<bool> out_of_memory = false;
    on_threads(threads_, [&](unsigned) {
      for (shared_work::part part = work.take(); part.begin < part.end; part = work.take())
        for (std::size_t i = part.begin; i < part.end && !*interrupted_ && !out_of_memory; ++i) try {
            rows[i] = row(points.subspan(i * width, width));
          } catch (const std::bad_alloc&) {  // the rows before it stay
            out_of_memory = true;
          }
    });
    solved_points solved;
    if (out_of_memory) solved.stopped_by = "out of memory";
    for (auto each = rows.begin(); each != rows.end() && each->point.rows == 1; ++each) {
      text.append(each->text);
      solved.add(std::move(each->point));
    }
    solved.ran.method = method_.name.data();
    return solved;
  }

 private:
  /// Empty where it was interrupted.
  struct solved_row {
    std::string text;
    solved_points point;
  };

  solved_row row(std::span<const double> point) const {
    try {
      return row_of_run(point, problem_at(point));
    } catch (const wrong_input& refusal) {
      return refused_row(point, refusal.what());
    }
  }

  solved_row row_of_run(std::span<const double> point, const file_problem& problem) const {
    run_watch watch;
    watch.extrema = extrema_;
    watch.interrupted = interrupted_;
    const run_result done = run_observed(problem, method_, *problem.to, options_of(asked_, problem.solver, method_), watch);
    if (done.ending.how == outcome::cancelled) return {};
    batch_report report;
    report.trajectories = 1;
    report.evaluations = done.statistics.evaluations;
    if (done.as_asked()) {
      report.finished = 1;
    } else {
      report.first_failure = 0;
      report.failure = done.ending;
    }
    std::string text = fmt::format("{},{},{}", joined(point), done.t, joined(done.state));
    for (std::size_t i = 0; i < done.extrema.least.size(); ++i)
      text += fmt::format(",{},{}", done.extrema.least[i], done.extrema.greatest[i]);
    for (std::size_t i = 0; i < events_.size(); ++i) text += ',' + summary_of(done.events, i);
    text += fmt::format(",{},{}\n", name_of(done.ending.how), done.statistics.evaluations);
    return {std::move(text), {.rows = 1, .ran = report}};
  }

  /// Nothing stands in it but the point and that it is wrong.
  solved_row refused_row(std::span<const double> point, const std::string& why) const {
    const std::string nothing(columns().size() - 2, ',');
    std::string where;
    for (std::size_t k = 0; k < ranges_.size(); ++k) where += fmt::format("{}{} = {}", k > 0 ? ", " : "", ranges_[k].name, point[k]);
    return {fmt::format("{}{},{},0\n", joined(point), nothing, name_of(outcome::bad_input)),
            {.rows = 1, .refused = 1, .refusal = fmt::format("{} (where {})", why, where)}};
  }

  /// Throws wrong_input where there is none.
  file_problem problem_at(std::span<const double> point) const {
    std::map<std::string, double> values = set_;
    for (std::size_t k = 0; k < ranges_.size(); ++k) values[ranges_[k].name] = point[k];
    problem_file::made made = file_.make(values);
    if (!made.problem) throw wrong_input(made.errors.empty() ? made.unknown.front() : made.errors.front().text(asked_.file));
    if (made.problem->names != names_) throw wrong_input("--vary: the number of components varies, expected the same at every point");
    if (to_) made.problem->to = to_;
    return std::move(*made.problem);
  }

  const problem_request& asked_;
  std::vector<varied_range> ranges_;
  problem_file file_;
  std::map<std::string, double> set_;
  const method_info& method_;
  bool extrema_;
  unsigned threads_;
  const std::atomic<bool>* interrupted_;
  std::vector<std::string> names_, events_;
  std::optional<double> to_;
};

/// Refuses names that the file has no number for, and those that have one already.
void require_free(const problem_file& file, std::span<const varied_range> ranges, std::map<std::string, double> values) {
  for (const varied_range& each : ranges)
    if (!values.emplace(each.name, each.low).second)
      throw wrong_input(fmt::format("--vary: found `{}` in --set, too, expected it in one of them", each.name));
  if (const problem_file::made made = file.make(values); !made.unknown.empty())
    throw wrong_input("--vary: " + fmt::format("{}", fmt::join(made.unknown, "\n--vary: ")));
}

}  // namespace

void solved_points::add(solved_points next) {
  if (!next.ran.all_finished()) next.ran.first_failure += rows;
  if (refused == 0) refusal = std::move(next.refusal);
  if (stopped_by.empty()) stopped_by = std::move(next.stopped_by);
  ran.method = next.ran.method;
  ran.add(next.ran);
  rows += next.rows;
  refused += next.refused;
}

std::unique_ptr<sweep_rows> make_sweep_rows(const sweep_request& asked) {
  const file_problem problem = problem_of(asked.problem.file, asked.problem.set, asked.problem.to);
  require_derivatives(problem, asked.problem.file, "sweep");
  const method_info& method = method_of(asked.problem, problem);
  const options<std::span<double>> settings = options_of(asked.problem, problem.solver, method);
  problem_file file = std::move(*read_problem_file(asked.problem.file).file);
  const std::map<std::string, double> set = numbers_set(asked.problem.set);
  require_free(file, asked.ranges, set);

  if (!asked.extrema && problem.events.empty() && !problem.scene && find_explicit_table(method.name)) {
    std::vector<std::string> names;
    for (const varied_range& each : asked.ranges) names.push_back(each.name);
    try {
      return std::make_unique<rows_in_lanes>(asked, swept_problem(file, names, set), method, settings,
                                             interval<double>{problem.from, *problem.to});
    } catch (const std::invalid_argument&) {  // something is computed from what varies: one by one it can be
    }
  }
  return std::make_unique<rows_of_runs>(asked, std::move(file), problem, method);
}

}  // namespace ensue::command
