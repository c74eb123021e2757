#include "compare_report.hpp"

#include "plot/plot.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ensue::command {
namespace {

using object = nlohmann::ordered_json;

goal error_of(double level) { return {.error = level, .drift = {}, .seconds = {}, .doubt = 0}; }

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string short_number(double value) { return fmt::format("{:.2g}", value); }

// Columns, not bytes: µ is one.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], width_of(line[i]));
    }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - width_of(line[i]), ' ');
      row += i == 0 ? line[i] + space : "  " + space + line[i];
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string command_of(const std::string& solve, const advised& advice) {
  const std::string_view name = advice.method->method->name;
  const char* const quote = name.find('(') == name.npos ? "" : "'";
  return fmt::format("{} --method {}{}{} {} --points {}", solve, quote, name, quote, advice.run.setting.options(), output_times + 1);
}

std::string predicted(const stable_step& step) {
  if (!step.predicted) return "-";
  return std::isinf(*step.predicted) ? "any" : fmt::format("{:.3g}", *step.predicted);
}

// "The fastest mode of f': lambda = -1000 at t = 0, 1e+03 times faster than the run is long."
std::string fastest_mode(const spectrum& modes, const laboratory& lab) {
  if (modes.fastest.empty()) return "";
  const std::complex<double> lambda = modes.fastest.front();
  const std::string value =
      std::abs(lambda.imag()) <= 1e-10 * std::abs(lambda) ? fmt::format("{:.4g}", lambda.real()) : fmt::format("{:.4g} ± {:.4g}i", lambda.real(), std::abs(lambda.imag()));
  return fmt::format("the fastest mode of f' along it: lambda = {} at t = {:.6g}; |lambda| times the span is {:.3g}\n", value,
                     modes.fastest_at, std::abs(lambda) * lab.span());
}

std::string observed(const stable_step& step) {
  if (!step.observed) return "none";
  return (step.longer_were_not_tried ? ">" : "") + fmt::format("{:.3g}", *step.observed);
}

std::vector<std::string> row_of(const compared_method& one, const laboratory& lab, const goal& asked) {
  std::vector<std::string> row = {std::string(one.method->name)};
  const auto evaluations = [](const measured_run* run) { return run ? std::to_string(run->evaluations) : "-"; };
  const measured_run* middle = nullptr;
  for (const double level : error_levels) {
    const measured_run* const run = comparison::cheapest(one, error_of(level));
    const bool judged = level >= judged_from(lab.reference());
    row.push_back(judged ? evaluations(run) : "?");
    if (level == 1e-6) {
      middle = judged ? run : nullptr;
      row.push_back(middle ? duration(middle->seconds) : "");
    }
  }
  if (asked.is_given()) row.push_back(evaluations(comparison::cheapest(one, asked)));
  row.push_back(one.observed_order ? fmt::format("{:.2f}", *one.observed_order) : "");
  const bool looked = !one.runs.empty() || one.stability.predicted;
  row.push_back(looked ? predicted(one.stability) : "");
  row.push_back(one.stability.was_tried ? observed(one.stability) : "");
  if (lab.problem().invariants.size() > 0) row.push_back(middle ? short_number(middle->drift) : "");
  return row;
}

}  // namespace

std::string work_precision_table(const laboratory& lab, const comparison& compared, const goal& asked) {
  const file_problem& problem = lab.problem();
  const reference_solution& reference = lab.reference();
  std::string text = problem.title.empty() ? "" : problem.title + '\n';
  text += fmt::format("t = {:.6g} to {:.6g}; {} and {} at a tolerance of {} agree to {:.2g}\n{}\n", problem.from, lab.to(),
                      reference.methods[0], reference.methods[1], reference.tolerance, reference.agreement,
                      fastest_mode(compared.modes(), lab));
  const bool drifts = problem.invariants.size() > 0;
  std::vector<std::vector<std::string>> lines = {{"", "evaluations", "", "", ""},
                                                 {"method", "error 1e-3", "1e-6", "time", "1e-9"}};
  const auto column = [&](const char* above, const char* below) {
    lines[0].push_back(above);
    lines[1].push_back(below);
  };
  if (asked.is_given()) column("", "asked for");
  column("observed", "order");
  column("stable step", "predicted");
  column("", "observed");
  if (drifts) column("drift", "at 1e-6");
  for (const compared_method& one : compared.methods()) lines.push_back(row_of(one, lab, asked));
  text += aligned(lines) + '\n';
  text += fmt::format(
      "Error: the largest at {} times, of each component relative to its largest value. Evaluations of f: of the\n"
      "cheapest run tried; time is the processor's. Stable step: the longest fixed one that does not blow up, "
      "predicted\n"
      "from the Jacobian's {} along the solution{}.\n{}",
      output_times, compared.modes().only_largest ? "largest eigenvalue" : "eigenvalues",
      drifts ? "; drift: the largest change of an invariant" : "",
      compared.stable_steps_are_complete() ? "" : "Stable steps that are not there: no time was left for them.\n");
  std::string left_out;
  for (const compared_method& one : compared.methods())
    if (!one.left_out.empty()) left_out += fmt::format("  {}: {}\n", one.method->name, one.left_out);
  if (!left_out.empty()) text += "Left out:\n" + left_out;
  return text;
}

namespace {

// Why nothing is advised, and what to do.
std::string no_advice(const std::string& wish, const laboratory& lab, const comparison& compared) {
  const std::string given = fmt::format("--patience {:g}", lab.limit().seconds());
  if (!compared.unconfirmed().empty())
    return fmt::format("{} seems to meet {}, but the time ended before it was confirmed. Give more than {}.\n", compared.unconfirmed(), wish, given);
  if (compared.ran_out_of_time())
    return fmt::format("Nothing that was tried within {} meets {}. Give more patience, ask for less, or shorten the run with --to.\n", given, wish);
  return fmt::format("Nothing that was tried meets {}. Ask for less, or shorten the run with --to.\n", wish);
}

}  // namespace

std::string advice_in_words(const std::string& solve, const laboratory& lab, const goal& asked, const comparison& compared) {
  const std::optional<advised>& advice = compared.advice();
  std::vector<std::string> parts;
  if (asked.error) parts.push_back(fmt::format("an error of {:g}", *asked.error));
  if (asked.drift) parts.push_back(fmt::format("a drift of {:g}", *asked.drift));
  if (asked.seconds) parts.push_back(fmt::format("{} of processor time", duration(*asked.seconds)));
  const std::string wish = fmt::format("{}", fmt::join(parts, " and "));
  if (!advice) return no_advice(wish, lab, compared);
  const measured_run& run = advice->run;
  std::string text = fmt::format("For {}: {}, {}\n", wish, advice->method->method->name, run.setting.options());
  text += fmt::format("  error {:.2g}{}, {} steps, {} evaluations, {}\n", run.error,
                      lab.problem().invariants.size() > 0 ? fmt::format(", drift {:.2g}", run.drift) : "", run.steps,
                      run.evaluations, duration(run.seconds));
  text += "  " + advice->reason + '\n';
  if (run.stiff)
    text += "  Its steps are limited by stability, not by accuracy: an implicit method would fit better.\n";
  return text + "  " + command_of(solve, *advice) + '\n';
}

// ---- for programs ----

namespace {

object optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? object(*value) : object();
}

object as_json(const measured_run& run) {
  object out = object::object();
  if (run.setting.step > 0) out["step"] = run.setting.step;
  else {
    out["rtol"] = run.setting.rtol;
    out["atol"] = run.setting.atol;
  }
  out["outcome"] = name_of(run.ending);
  out["steps"] = run.steps;
  out["rejected"] = run.rejected;
  out["evaluations"] = run.evaluations;
  out["seconds"] = run.seconds;
  out["error"] = optional_number(run.error);
  out["drift"] = optional_number(run.drift);
  return out;
}

object as_json(const spectrum& modes) {
  object fastest = object::array();
  for (const std::complex<double>& lambda : modes.fastest) fastest.push_back({lambda.real(), lambda.imag()});
  return {{"radius", modes.fastest.empty() ? object() : object(std::abs(modes.fastest.front()))},
          {"t", modes.fastest.empty() ? object() : object(modes.fastest_at)},
          {"eigenvalues", std::move(fastest)}};
}

object as_json(const compared_method& one) {
  object runs = object::array();
  for (const measured_run& run : one.runs) runs.push_back(as_json(run));
  return {{"name", one.method->name},
          {"order", one.method->order},
          {"observed_order", optional_number(one.observed_order)},
          {"stable_step",
           {{"predicted", optional_number(one.stability.predicted)},
            {"stable_at_every_step", one.stability.predicted && std::isinf(*one.stability.predicted)},
            {"grows_at_every_step", one.stability.grows_at_every_step},
            {"was_tried", one.stability.was_tried},
            {"observed", optional_number(one.stability.observed)}}},
          {"runs", std::move(runs)},
          {"left_out", one.left_out.empty() ? object() : object(one.left_out)}};
}

}  // namespace

namespace {

object as_json(const goal& asked) {
  return {{"error", optional_number(asked.error)}, {"drift", optional_number(asked.drift)}, {"seconds", optional_number(asked.seconds)}};
}

std::string as_text(const object& all) { return all.dump(-1, ' ', false, object::error_handler_t::replace); }

}  // namespace

std::string refusal_json(const file_problem& problem, const goal& asked, const std::string& failure) {
  object all = {{"title", problem.title}, {"from", problem.from}, {"to", *problem.to}, {"failure", failure}};
  if (asked.is_given()) all["goal"] = as_json(asked), all["advice"] = object();
  return as_text(all);
}

std::string comparison_json(const std::string& solve, const laboratory& lab, const comparison& compared, const goal& asked) {
  const std::optional<advised>& advice = compared.advice();
  const reference_solution& reference = lab.reference();
  object scales = object::object(), methods = object::array();
  for (std::size_t i = 0; i < reference.scale.size(); ++i) scales[lab.problem().names[i]] = reference.scale[i];
  for (const compared_method& one : compared.methods()) methods.push_back(as_json(one));
  object all = {{"title", lab.problem().title},
                {"from", lab.problem().from},
                {"to", lab.to()},
                {"reference",
                 {{"methods", reference.methods},
                  {"tolerance", reference.tolerance},
                  {"agreement", reference.agreement},
                  {"evaluations", reference.evaluations}}},
                {"spectrum", as_json(compared.modes())},
                {"scales", std::move(scales)},
                {"methods", std::move(methods)}};
  if (asked.is_given()) {
    all["goal"] = as_json(asked);
    all["advice"] = object();
    if (advice) {
      object chosen = {{"method", advice->method->method->name}};
      chosen.update(as_json(advice->run));
      chosen["stiff"] = advice->run.stiff;
      chosen["reason"] = advice->reason;
      chosen["command"] = command_of(solve, *advice);
      all["advice"] = std::move(chosen);
    }
  }
  return as_text(all);
}

std::string work_precision_picture(const laboratory& lab, const comparison& compared) {
  plot::chart chart;
  chart.title = lab.problem().title.empty() ? "Work and precision" : lab.problem().title + ": work and precision";
  chart.x = {.label = "evaluations of f", .logarithmic = true, .from = {}, .to = {}};
  chart.y = {.label = "largest error", .logarithmic = true, .from = {}, .to = {}};
  for (const compared_method& one : compared.methods()) {
    plot::curve curve;
    curve.name = one.method->name;
    curve.as = plot::mark::line_and_dots;
    for (const measured_run& run : one.runs) {
      if (!(run.error < 10) || !(run.error > 0)) continue;
      curve.x.push_back(static_cast<double>(run.evaluations));
      curve.y.push_back(run.error);
    }
    if (!curve.x.empty()) chart.lines.push_back(std::move(curve));
  }
  return plot::svg({chart});
}

}  // namespace ensue::command
