#include "solve_charts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ensue::command {
namespace {

/// The rows as curves need them.
class columns {
 public:
  columns(const file_problem& problem, const kept_rows& rows)
      : problem_(problem), rows_(rows), stride_(rows.t.size() / most_points_of_a_curve + 1) {}

  std::vector<double> time() const {
    return of([&](std::size_t i) { return rows_.t[i]; });
  }
  /// Components first, then invariants.
  std::vector<double> value(std::size_t k) const {
    const std::size_t n = problem_.names.size();
    return of([&](std::size_t i) { return k < n ? rows_.state[i][k] : rows_.invariants[i][k - n]; });
  }
  std::vector<double> drift(std::size_t k) const {
    return of([&](std::size_t i) { return rows_.invariants[i][k] - rows_.invariants[0][k]; });
  }
  std::string name(std::size_t k) const {
    const std::size_t n = problem_.names.size();
    return k < n ? problem_.names[k] : problem_.invariants.names()[k - n];
  }

  /// What [output] names, in that order; or all components.
  std::vector<std::size_t> chosen() const {
    std::vector<std::size_t> found;
    const std::size_t components = problem_.names.size(), all = components + problem_.invariants.size();
    for (const std::string& named : problem_.output.plot)
      for (std::size_t k = 0; k < all; ++k)
        if (name(k) == named) found.push_back(k);
    if (problem_.output.plot.empty())
      for (std::size_t k = 0; k < components; ++k) found.push_back(k);
    return found;
  }

 private:
  template <class F> std::vector<double> of(F value) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < rows_.t.size(); i += stride_) out.push_back(value(i));
    if (!rows_.t.empty() && (rows_.t.size() - 1) % stride_ != 0) out.push_back(value(rows_.t.size() - 1));
    return out;
  }

  const file_problem& problem_;
  const kept_rows& rows_;
  std::size_t stride_;
};

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

plot::chart over_time(const file_problem& problem, const columns& data) {
  plot::chart chart = empty_chart(problem.title, "t", "");
  const std::vector<std::size_t> chosen = data.chosen();
  const std::size_t drawn = std::min(chosen.size(), most_curves_of_a_chart);
  for (std::size_t j = 0; j < drawn; ++j) add_curve(chart, data.name(chosen[j]), data.time(), data.value(chosen[j]));
  if (drawn < chosen.size()) chart.title += fmt::format(" (the first {} of {})", drawn, chosen.size());
  return chart;
}

plot::chart drifts(const file_problem& problem, const columns& data) {
  plot::chart chart = empty_chart("Drift of the invariants", "t", "");
  const std::size_t drawn = std::min(problem.invariants.size(), most_curves_of_a_chart);
  for (std::size_t k = 0; k < drawn; ++k) add_curve(chart, problem.invariants.names()[k], data.time(), data.drift(k));
  return chart;
}

}  // namespace

std::vector<plot::chart> solve_charts(const file_problem& problem, const kept_rows& rows) {
  const columns data(problem, rows);
  std::vector<plot::chart> charts{over_time(problem, data)};
  std::vector<std::size_t> pair = data.chosen();
  std::erase_if(pair, [&](std::size_t k) { return k >= problem.names.size(); });
  if (pair.size() >= 2) {
    plot::chart portrait = empty_chart("", data.name(pair[0]), data.name(pair[1]));
    add_curve(portrait, "", data.value(pair[0]), data.value(pair[1]));
    portrait.equal_scales = problem.second_order && pair[1] < problem.names.size() / 2;  // places in a plane
    charts.push_back(std::move(portrait));
  }
  if (problem.invariants.size() > 0) charts.push_back(drifts(problem, data));
  return charts;
}

}  // namespace ensue::command
