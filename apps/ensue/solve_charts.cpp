#include "solve_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace ensue::command {
namespace {

const std::string& name_of(const file_problem& problem, std::size_t quantity) {
  const std::size_t components = problem.names.size();
  return quantity < components ? problem.names[quantity] : problem.invariants.names()[quantity - components];
}

std::vector<std::size_t> chosen_quantities(const file_problem& problem) {
  std::vector<std::size_t> found;
  const std::size_t components = problem.names.size();
  if (problem.output.plot.empty()) {
    for (std::size_t k = 0; k < components; ++k) found.push_back(k);
    return found;
  }
  std::unordered_map<std::string_view, std::vector<std::size_t>> numbers;  // an invariant may have the name of a component
  for (std::size_t k = 0; k < components + problem.invariants.size(); ++k) numbers[name_of(problem, k)].push_back(k);
  for (const std::string& named : problem.output.plot) found.insert(found.end(), numbers[named].begin(), numbers[named].end());
  return found;
}

std::vector<std::size_t> first_of(const std::vector<std::size_t>& all, std::size_t most) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most))};
}

/// The two components of the phase portrait, if there are two.
std::vector<std::size_t> portrayed(const file_problem& problem, const std::vector<std::size_t>& chosen) {
  std::vector<std::size_t> pair;
  for (const std::size_t k : chosen)
    if (k < problem.names.size() && pair.size() < 2) pair.push_back(k);
  return pair;
}

std::vector<std::size_t> drifting(const file_problem& problem) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < std::min(problem.invariants.size(), most_curves_of_a_chart); ++i) all.push_back(problem.names.size() + i);
  return all;
}

}  // namespace

plotted_rows::plotted_rows(const file_problem& problem) : components_(problem.names.size()), chosen_(chosen_quantities(problem)) {
  for (const auto& some : {first_of(chosen_, most_curves_of_a_chart), portrayed(problem, chosen_), drifting(problem)})
    for (const std::size_t k : some)
      if (std::find(quantities_.begin(), quantities_.end(), k) == quantities_.end()) quantities_.push_back(k);
}

void plotted_rows::keep(const row& each) {
  last_.clear();
  last_.push_back(each.t);
  for (const std::size_t k : quantities_) last_.push_back(k < components_ ? each.state[k] : each.invariants[k - components_]);
  if (seen_++ % stride_ != 0) return;
  rows_.push_back(last_);
  if (rows_.size() <= 2 * most_points_of_a_curve) return;
  for (std::size_t i = 1; 2 * i < rows_.size(); ++i) rows_[i] = std::move(rows_[2 * i]);
  rows_.resize(rows_.size() / 2 + 1);
  stride_ *= 2;
}

std::vector<double> plotted_rows::column(std::size_t k) const {
  const std::size_t stride = rows_.size() / (most_points_of_a_curve + 1) + 1;
  std::vector<double> out;
  for (std::size_t i = 0; i < rows_.size(); i += stride) out.push_back(rows_[i][k]);
  const bool ends_with_last = seen_ > 0 && (seen_ - 1) % (stride_ * stride) == 0;
  if (seen_ > 0 && !ends_with_last) out.push_back(last_[k]);
  return out;
}

std::vector<double> plotted_rows::time() const { return column(0); }

std::vector<double> plotted_rows::values(std::size_t quantity) const {
  return column(1 + static_cast<std::size_t>(std::find(quantities_.begin(), quantities_.end(), quantity) - quantities_.begin()));
}

namespace {

plot::chart empty_chart(std::string title, std::string x, std::string y) {
  plot::chart chart;
  chart.title = std::move(title);
  chart.x.label = std::move(x);
  chart.y.label = std::move(y);
  return chart;
}

void add_curve(plot::chart& chart, std::string name, std::vector<double> x, std::vector<double> y) {
  plot::curve& curve = chart.lines.emplace_back();
  curve.name = std::move(name);
  curve.x = std::move(x);
  curve.y = std::move(y);
}

plot::chart over_time(const file_problem& problem, const plotted_rows& rows) {
  plot::chart chart = empty_chart(problem.title, "t", "");
  const std::vector<std::size_t>& chosen = rows.chosen();
  for (const std::size_t k : first_of(chosen, most_curves_of_a_chart)) add_curve(chart, name_of(problem, k), rows.time(), rows.values(k));
  if (chosen.size() > most_curves_of_a_chart) chart.title += fmt::format(" (the first {} of {})", most_curves_of_a_chart, chosen.size());
  return chart;
}

plot::chart drifts(const file_problem& problem, const plotted_rows& rows) {
  plot::chart chart = empty_chart("Drift of the invariants", "t", "");
  for (const std::size_t k : drifting(problem)) {
    std::vector<double> drift = rows.values(k);
    const double start = drift.empty() ? 0 : drift.front();
    for (double& value : drift) value -= start;
    add_curve(chart, name_of(problem, k), rows.time(), std::move(drift));
  }
  return chart;
}

}  // namespace

std::vector<plot::chart> solve_charts(const file_problem& problem, const plotted_rows& rows) {
  std::vector<plot::chart> charts{over_time(problem, rows)};
  if (const std::vector<std::size_t> pair = portrayed(problem, rows.chosen()); pair.size() == 2) {
    plot::chart portrait = empty_chart("", name_of(problem, pair[0]), name_of(problem, pair[1]));
    add_curve(portrait, "", rows.values(pair[0]), rows.values(pair[1]));
    portrait.equal_scales = problem.second_order && pair[1] < problem.names.size() / 2;  // places in a plane
    charts.push_back(std::move(portrait));
  }
  if (problem.invariants.size() > 0) charts.push_back(drifts(problem, rows));
  return charts;
}

}  // namespace ensue::command
