/// The page of benchmarks, docs/benchmarks.md, from what the benchmarks have written: figures beside their targets, why some fall short,
/// tables and pictures of work and precision.
#pragma once

#include "csv.hpp"
#include "figures.hpp"

#include "plot/plot.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace bench {

/// " / ", "<=" and "^2" as they are printed.
inline std::string typeset(std::string text) {
  const auto replace = [&text](const std::string& plain, const std::string& printed) {
    for (std::size_t at = text.find(plain); at != std::string::npos; at = text.find(plain, at + printed.size()))
      text.replace(at, plain.size(), printed);
  };
  replace(" / ", " ÷ "), replace("<=", "≤"), replace(">=", "≥"), replace("^2", "²"), replace("^6", "⁶");
  return text;
}

inline std::string three_digits(double value) {
  return std::abs(value) >= 1000 && std::abs(value) < 1e9 ? std::to_string(std::lround(value)) : short_number(value, 3);
}

/// 0.98 [0.97, 1.00]; without brackets where nothing varies.
inline std::string with_spread(double value, double low, double high) {
  if (!std::isfinite(value)) return "–";
  return three_digits(value) + (low == high ? "" : " [" + three_digits(low) + ", " + three_digits(high) + "]");
}

/// How far a figure is from its target: positive where it falls short, in parts of the target.
inline double shortfall(const figure& one) {
  const double target = std::stod(one.target.substr(2));
  return one.target.starts_with("<=") ? one.value / target - 1 : 1 - one.value / target;
}

inline bool falls_short(const figure& one) { return !one.target.empty() && !(shortfall(one) <= 0); }

inline std::string verdict(const figure& one) {
  if (one.target.empty()) return "";
  if (!falls_short(one)) return "pass";
  if (!std::isfinite(one.value)) return "**falls short**: nothing of ours gets there";
  return "**falls short** by " + three_digits(100 * shortfall(one)) + " %";
}

/// A row a figure that has a target, or a row each of the others.
inline std::string figures_table(const std::vector<figure>& all, bool with_targets) {
  std::string text = with_targets ? "| measure | target | ours | |\n|---|---|---|---|\n" : "| measure | seen |\n|---|---|\n";
  for (const figure& one : all) {
    if (one.target.empty() == with_targets) continue;
    const std::string seen = with_spread(one.value, one.low, one.high) + (one.unit.empty() ? "" : ' ' + one.unit);
    text +=
        "| " + typeset(one.measure) + " | " + (with_targets ? typeset(one.target) + " | " + seen + " | " + verdict(one) : seen) + " |\n";
  }
  return text;
}

inline std::string count_of_targets(const std::vector<figure>& all) {
  const auto targets = std::count_if(all.begin(), all.end(), [](const figure& one) { return !one.target.empty(); });
  const auto missed = std::count_if(all.begin(), all.end(), falls_short);
  return std::to_string(targets - missed) + " of " + std::to_string(targets) + " are met";
}

/// The figures that fall short, by topic, each topic with its note. `note_of(topic)` is empty where nobody has written one.
template <class NoteOf> std::string shortfalls(const std::vector<figure>& all, NoteOf note_of) {
  std::vector<std::string> topics;
  for (const figure& one : all)
    if (falls_short(one) && std::find(topics.begin(), topics.end(), one.topic) == topics.end()) topics.push_back(one.topic);
  std::string text;
  for (const std::string& topic : topics) {
    text += "### " + topic + "\n\n";
    for (const figure& one : all)
      if (one.topic == topic && falls_short(one))
        text += "- " + typeset(one.measure) + ": " + with_spread(one.value, one.low, one.high) + ", " + typeset(one.target) +
                " was asked for\n";
    const std::string note = note_of(topic);
    text += '\n' + (note.empty() ? "Where the time goes has not been looked at.\n" : note) + '\n';
  }
  return text;
}

/// In the order in which they come.
inline std::vector<std::string> different(const csv_table& table, const char* column) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (std::find(all.begin(), all.end(), table.text(i, column)) == all.end()) all.push_back(table.text(i, column));
  return all;
}

/// One problem at one level of error: ours beside the fastest of the others.
inline std::string table_cell(const csv_table& cells, const std::string& problem, const std::string& level) {
  std::size_t ours = cells.size(), peer = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells.text(i, "problem") != problem || cells.text(i, "level") != level) continue;
    if (cells.text(i, "library") == "ensue") ours = i;
    else if (peer == cells.size() || cells.number(i, "microseconds") < cells.number(peer, "microseconds")) peer = i;
  }
  const auto named = [&](std::size_t i, const std::string& name) {
    return name + ' ' + three_digits(cells.number(i, "microseconds")) + " µs";
  };
  if (ours == cells.size()) return peer == cells.size() ? "–" : "none of ours; " + named(peer, cells.text(peer, "library"));
  const std::string our_name = named(ours, cells.text(ours, "method"));
  if (peer == cells.size()) return our_name + ", none of the peers";
  return with_spread(cells.number(peer, "ours / it"), cells.number(peer, "ratio low"), cells.number(peer, "ratio high")) + "<br>" +
         our_name + "<br>" + named(peer, cells.text(peer, "library") + ' ' + cells.text(peer, "method"));
}

/// Problems by levels of error.
inline std::string cells_table(const csv_table& cells) {
  const std::vector<std::string> levels = different(cells, "level");
  std::string text = "| problem |", line = "|---|";
  for (const std::string& level : levels) text += " error ≤ " + level + " |", line += "---|";
  text += '\n' + line + '\n';
  for (const std::string& problem : different(cells, "problem")) {
    text += "| " + typeset(problem) + " |";
    for (const std::string& level : levels) text += ' ' + table_cell(cells, problem, level) + " |";
    text += '\n';
  }
  return text;
}

/// What a library needs at least for an error: its points of one problem, without those that another one of its own beats in both.
inline ensue::plot::curve front(const csv_table& points, const std::string& problem, const std::string& library) {
  std::map<double, double> by_error;  // to microseconds
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points.text(i, "problem") != problem || points.text(i, "library") != library) continue;
    const double time = points.number(i, "microseconds");
    const auto [at, is_new] = by_error.emplace(points.number(i, "error"), time);
    if (!is_new) at->second = std::min(at->second, time);
  }
  ensue::plot::curve curve{.name = library, .x = {}, .y = {}, .as = ensue::plot::mark::line_and_dots};
  for (const auto& [error, time] : by_error) {
    if (!curve.y.empty() && !(time < curve.y.back())) continue;
    curve.x.push_back(error);
    curve.y.push_back(time);
  }
  return curve;
}

/// A chart a problem.
inline std::vector<ensue::plot::chart> work_precision_charts(const csv_table& points) {
  std::vector<ensue::plot::chart> charts;
  for (const std::string& problem : different(points, "problem")) {
    ensue::plot::chart chart;
    chart.title = typeset(problem);
    chart.x.label = "largest true error", chart.y.label = "CPU time of a solve, µs";
    chart.x.logarithmic = chart.y.logarithmic = true;
    for (const std::string& library : different(points, "library"))
      if (ensue::plot::curve curve = front(points, problem, library); !curve.x.empty()) chart.lines.push_back(std::move(curve));
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace bench
