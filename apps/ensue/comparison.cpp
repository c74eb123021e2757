#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ensue::command {
namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

// A method that needs so many times the evaluations of the best one is not followed further.
constexpr std::int64_t hopeless = 40;
// The finest two runs with fixed steps whose errors are small, and clearly above what the reference can judge.
std::optional<double> observed_order(const std::vector<measured_run>& runs, double smallest) {
  std::optional<double> order;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const measured_run &coarse = runs[i - 1], &fine = runs[i];
    if (coarse.setting.step == 0 || !(coarse.error < 0.1) || !(fine.error > 20 * smallest)) continue;
    order = std::log(coarse.error / fine.error) / std::log(coarse.setting.step / fine.setting.step);
  }
  return order;
}

}  // namespace

double judged_from(const reference_solution& reference) { return std::max(1e-13, 3 * reference.agreement); }

comparison::comparison(const laboratory& lab, const goal& asked, double patience) : lab_(lab), asked_(asked) {
  for (const method_info* method : all_methods())
    if (refusal(*method, lab_.problem().system.force()).empty()) methods_.push_back({method, {}, {}, {}, {}});
  // High orders first: what they need says when to give up the others.
  std::vector<compared_method*> order;
  for (compared_method& one : methods_) order.push_back(&one);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(-a->method->order, a) < std::pair(-b->method->order, b);
  });
  const double began = processor_seconds();
  modes_ = spectrum_along(lab_);
  for (compared_method* one : order) {
    if (processor_seconds() - began > patience) {
      one->left_out = fmt::format("not run: the others took {} s", patience);
      continue;
    }
    sweep(*one);
    one->observed_order = observed_order(one->runs, judged_from(lab_.reference()));
    one->stability = stable_step_of(*one->method, lab_, modes_);
  }
  for (compared_method& one : methods_)
    if (asked_.is_given()) refine(one, asked_);
}

std::int64_t comparison::best_for(const goal& asked) const {
  std::int64_t best = unknown;
  for (const compared_method& one : methods_)
    if (const measured_run* const run = cheapest(one, asked)) best = std::min(best, run->evaluations);
  return best;
}

// For the first level that the method has not reached yet.
std::int64_t comparison::most_evaluations(const compared_method& next) const {
  const std::int64_t for_all = std::clamp<std::int64_t>(20 * lab_.reference().evaluations, 20'000, 1'500'000);
  if (asked_.names_accuracy() && !cheapest(next, asked_)) {
    const std::int64_t best = best_for(asked_);
    if (best != unknown) return std::min(for_all, std::max<std::int64_t>(2000, hopeless * best));
  }
  for (const double level : error_levels) {
    if (cheapest(next, {.error = level, .drift = {}, .seconds = {}})) continue;
    const std::int64_t best = best_for({.error = level, .drift = {}, .seconds = {}});
    return best == unknown ? for_all : std::min(for_all, std::max<std::int64_t>(2000, hopeless * best));
  }
  return for_all;
}

void comparison::sweep(compared_method& of) {
  const bool adaptive = of.method->adaptive;
  const double smallest = judged_from(lab_.reference());
  for (int k = 0; k < (adaptive ? 12 : 26); ++k) {
    const run_setting setting = adaptive ? lab_.adaptive(std::pow(10., -2 - k)) : lab_.fixed(std::int64_t{1} << k);
    const std::int64_t most = most_evaluations(of);
    measured_run run = lab_.measure(*of.method, setting, most);
    if (run.ending == outcome::too_many_evaluations) {
      of.left_out = fmt::format("{} and finer: more than {} evaluations", setting.options(), most);
      return;
    }
    of.runs.push_back(run);
    const bool met = !asked_.names_accuracy() || goal{asked_.error, asked_.drift, {}}.is_met_by(run);
    const bool enough = run.error < std::max(1e-11, 2 * smallest);
    const bool rounding =
        k > 0 && of.runs.size() > 1 && run.error < 1e-9 && run.error > of.runs[of.runs.size() - 2].error;
    if ((met && (enough || rounding)) || run.ending == outcome::tolerance_too_small) return;
  }
}

const measured_run* comparison::cheapest(const compared_method& of, const goal& asked) {
  const measured_run* found = nullptr;
  if (!asked.names_accuracy()) {  // within a time: the most accurate
    for (const measured_run& run : of.runs)
      if (asked.is_met_by(run) && (!found || run.error < found->error)) found = &run;
    return found;
  }
  for (std::size_t i = of.runs.size(); i-- > 0;) {
    const goal accuracy = {asked.error, asked.drift, {}};
    if (!accuracy.is_met_by(of.runs[i])) break;
    if (asked.is_met_by(of.runs[i]) && (!found || of.runs[i].evaluations <= found->evaluations)) found = &of.runs[i];
  }
  return found;
}

// Between the last setting that does not do and the first that does. Also of those that cannot win: they are compared with.
void comparison::refine(compared_method& of, const goal& asked) {
  for (int i = 0; i < 4; ++i) {
    const measured_run* const run = cheapest(of, asked);
    if (!run || !asked.names_accuracy()) return;
    auto at = of.runs.begin() + (run - of.runs.data());
    const goal accuracy = {asked.error, asked.drift, {}};
    while (at != of.runs.begin() && accuracy.is_met_by(*(at - 1))) --at;  // a looser tolerance can cost more
    if (at == of.runs.begin() || run->evaluations > hopeless * best_for(asked)) return;
    const run_setting &coarse = (at - 1)->setting, &fine = at->setting;
    run_setting between;
    if (of.method->adaptive) between = lab_.adaptive(std::sqrt(coarse.rtol * fine.rtol));
    else {
      const double count = lab_.span() / output_times / std::sqrt(coarse.step * fine.step);
      between = lab_.fixed(std::max<std::int64_t>(1, std::llround(count)));
    }
    const auto is = [&](const run_setting& other) { return other.step == between.step && other.rtol == between.rtol; };
    if (is(coarse) || is(fine)) return;
    measured_run added = lab_.measure(*of.method, between, 2 * run->evaluations + 1000);
    if (added.ending == outcome::too_many_evaluations) return;
    of.runs.insert(at, added);
  }
}

std::optional<advised> comparison::advice() const {
  const compared_method* winner = nullptr;
  const measured_run* best = nullptr;
  const auto is_better = [&](const measured_run& run) {
    return !best || (asked_.names_accuracy() ? run.evaluations < best->evaluations : run.error < best->error);
  };
  for (const compared_method& one : methods_) {
    const measured_run* const run = cheapest(one, asked_);
    if (run && is_better(*run)) winner = &one, best = run;
  }
  if (!winner) return {};
  return advised{winner, *best, reason(*winner, *best)};
}

// ---- why ----

namespace {

struct rival {
  const compared_method* method = nullptr;
  const measured_run* run = nullptr;
};

template <class Condition>
rival best_of(const std::vector<compared_method>& methods, const goal& asked, const compared_method& winner,
              Condition condition) {
  rival best;
  for (const compared_method& one : methods) {
    if (&one == &winner || !condition(*one.method)) continue;
    const measured_run* const run = comparison::cheapest(one, asked);
    if (run && (!best.run || run->evaluations < best.run->evaluations)) best = {&one, run};
  }
  return best;
}

// "3.2 times the evaluations"
std::string as_many(double factor) {
  if (factor < 1.05) return "about the same number of evaluations";
  return fmt::format("{:.{}f} times the evaluations", factor, factor < 9.95 ? 1 : 0);
}

}  // namespace

std::string comparison::reason(const compared_method& winner, const measured_run& run) const {
  const method_info& method = *winner.method;
  // A time alone is compared at the error that was reached within it.
  goal same = asked_;
  if (!asked_.names_accuracy()) same = {.error = run.error, .drift = {}, .seconds = {}};
  const auto ratio = [&](const rival& other) {
    return static_cast<double>(other.run->evaluations) / static_cast<double>(run.evaluations);
  };
  const int order = method.order;
  const rival lower = best_of(methods_, same, winner, [&](const auto& m) { return m.order < order && m.adaptive; });
  const rival higher = best_of(methods_, same, winner, [&](const auto& m) { return m.order > order && m.adaptive; });
  const rival fixed = best_of(methods_, same, winner, [&](const auto& m) { return !m.adaptive; });
  const rival adaptive = best_of(methods_, same, winner, [&](const auto& m) { return m.adaptive; });

  std::string why;
  if (lower.run && (!higher.run || ratio(lower) > ratio(higher)))
    why = fmt::format(
        "Its order {} makes up for {} evaluations a step: {} steps are enough, and the best of lower "
        "order, {}, needs {}.",
        order, method.evaluations.accepted, run.steps, lower.method->method->name, as_many(ratio(lower)));
  else if (higher.run)
    why = fmt::format(
        "At this accuracy its {} steps of {} evaluations are enough: the best of higher order, {}, makes "
        "{} of {} evaluations and needs {} in all.",
        run.steps, method.evaluations.accepted, higher.method->method->name, higher.run->steps,
        higher.method->method->evaluations.accepted, as_many(ratio(higher)));
  else
    why = fmt::format("No other adaptive method that was tried gets there: its {} steps of order {} do.", run.steps,
                      order);

  if (!method.adaptive) {
    const measured_run* const free = adaptive.run;
    why += free ? fmt::format(
                      " The solution asks for much the same step everywhere ({} varies its own by a factor of "
                      "{:.2g}), so an error estimate costs more than it saves.",
                      adaptive.method->method->name, free->longest_step / free->shortest_step)
                : " No adaptive method that was tried meets it.";
    return why;
  }
  const double variation = run.longest_step / run.shortest_step;
  if (!fixed.run) why += " No fixed step that was tried meets it";
  else
    why += fmt::format(" The best with a fixed step, {}, needs {}", fixed.method->method->name, as_many(ratio(fixed)));
  if (std::isfinite(variation) && variation >= 3)
    why += fmt::format(
        ": the step can be {:.2g} times longer in some places than in others, and a fixed one has to "
        "suit the hardest.",
        variation);
  else why += fixed.run ? ", less because of its fixed step than because of its order." : ".";
  return why;
}

}  // namespace ensue::command
