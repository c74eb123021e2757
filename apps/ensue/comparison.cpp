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

// Parts of the time that is left when each stage begins. The advice comes next and may take all of the rest.
constexpr double share_of_sweeps = 0.7, share_of_refinement = 0.4;
// A method may take so many equal parts of its stage.
constexpr double parts_of_a_method = 4;

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

comparison::comparison(const laboratory& lab, const goal& asked, bool stable_steps) : lab_(lab), limit_(lab.limit()), asked_(asked) {
  for (const method_info* method : all_methods())
    if (refusal(*method, lab_.problem().system.force()).empty()) methods_.push_back({method, {}, {}, {}, {}});
  sweep_all();
  if (asked_.is_given() && !limit_.is_interrupted()) {
    refine_all();
    choose();
  }
  if (stable_steps) find_stable_steps();
}

// High orders first: what they need says when to give up the others.
void comparison::in_equal_parts(double until, const std::function<void(compared_method&)>& act) {
  std::vector<compared_method*> order;
  for (compared_method& one : methods_) order.push_back(&one);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(-a->method->order, a) < std::pair(-b->method->order, b);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double now = limit_.elapsed(), equal_part = (until - now) / static_cast<double>(order.size() - i);
    limit_.allow_until(std::min(until, now + parts_of_a_method * equal_part));
    act(*order[i]);
  }
}

void comparison::sweep_all() {
  std::size_t begun = 0;
  in_equal_parts(limit_.elapsed() + share_of_sweeps * (limit_.seconds() - limit_.elapsed()), [&](compared_method& one) {
    limit_.doing(fmt::format("{} ({} of {} methods)", one.method->name, ++begun, methods_.size()));
    if (limit_.is_over()) {
      one.left_out = "not run: " + why_it_ended();
      return;
    }
    sweep(one);
    one.observed_order = observed_order(one.runs, judged_from(lab_.reference()));
  });
}

std::string comparison::why_it_ended() {
  if (limit_.is_interrupted()) return "cancelled";
  ran_out_of_time_ = true;
  return fmt::format("no time left of --patience {:g}", limit_.seconds());
}

std::int64_t comparison::best_for(const goal& asked) const {
  std::int64_t best = unknown;
  for (const compared_method& one : methods_)
    if (const measured_run* const run = cheapest(one, asked)) best = std::min(best, run->evaluations);
  return best;
}

// For the first level that the method has not reached yet.
std::int64_t comparison::most_evaluations(const compared_method& next) const {
  const std::int64_t for_all = std::clamp<std::int64_t>(10 * lab_.reference().evaluations, 20'000, 1'500'000);
  if (asked_.names_accuracy() && !cheapest(next, asked_)) {
    const std::int64_t best = best_for(asked_);
    if (best != unknown) return std::min(for_all, std::max<std::int64_t>(2000, hopeless * best));
  }
  for (const double level : error_levels) {
    const goal asked = {.error = level, .drift = {}, .seconds = {}, .doubt = 0};
    if (cheapest(next, asked)) continue;
    const std::int64_t best = best_for(asked);
    return best == unknown ? for_all : std::min(for_all, std::max<std::int64_t>(2000, hopeless * best));
  }
  return for_all;
}

void comparison::sweep(compared_method& of) {
  const bool adaptive = of.method->adaptive;
  const double smallest = judged_from(lab_.reference());
  for (int k = 0; k < (adaptive ? 12 : 26); ++k) {
    const run_setting setting = adaptive ? lab_.adaptive(std::pow(10., -2 - k)) : lab_.fixed(std::int64_t{1} << k);
    const std::int64_t most = std::min(most_evaluations(of), lab_.problem().solver.max_evaluations.value_or(unknown));
    const measured_run run = lab_.measure(*of.method, setting, most);
    if (run.ending == outcome::too_many_evaluations) {
      of.left_out = fmt::format("{} and finer: more than {} evaluations", setting.options(), most);
      return;
    }
    if (run.ending == outcome::cancelled) {
      of.left_out = fmt::format("{} and finer: {}", setting.options(), why_it_ended());
      return;
    }
    of.runs.push_back(run);
    const bool met = !asked_.names_accuracy() || asked_.is_accurate(run);
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
    if (!asked.is_accurate(of.runs[i])) break;
    if (asked.is_met_by(of.runs[i]) && (!found || of.runs[i].evaluations <= found->evaluations)) found = &of.runs[i];
  }
  return found;
}

// The cheapest first, in case the time ends. Also those that cannot win: they are compared with.
void comparison::refine_all() {
  if (!asked_.names_accuracy()) return;
  std::vector<std::pair<std::int64_t, compared_method*>> order;
  for (compared_method& one : methods_)
    if (const measured_run* const run = cheapest(one, asked_)) order.emplace_back(run->evaluations, &one);
  std::sort(order.begin(), order.end());
  limit_.allow_until(limit_.elapsed() + share_of_refinement * std::max(0., limit_.seconds() - limit_.elapsed()));
  for (const auto& [evaluations, one] : order) {
    limit_.doing(fmt::format("{}, between its settings", one->method->name));
    refine(*one);
    if (limit_.is_over()) return;
  }
}

// Between the last setting that does not do and the first that does.
void comparison::refine(compared_method& of) {
  for (int i = 0; i < 4; ++i) {
    const measured_run* const run = cheapest(of, asked_);
    auto at = of.runs.begin() + (run - of.runs.data());
    while (at != of.runs.begin() && asked_.is_accurate(*(at - 1))) --at;  // a looser tolerance can cost more
    if (at == of.runs.begin() || run->evaluations > hopeless * best_for(asked_)) return;
    const run_setting &coarse = (at - 1)->setting, &fine = at->setting;
    run_setting between;
    if (of.method->adaptive) between = lab_.adaptive(std::sqrt(coarse.rtol * fine.rtol));
    else {
      const double count = lab_.span() / output_times / std::sqrt(coarse.step * fine.step);
      between = lab_.fixed(std::max<std::int64_t>(1, std::llround(count)));
    }
    const auto is = [&](const run_setting& other) { return other.step == between.step && other.rtol == between.rtol; };
    if (is(coarse) || is(fine)) return;
    const measured_run added = lab_.measure(*of.method, between, 2 * run->evaluations + 1000);
    if (added.ending == outcome::too_many_evaluations || added.ending == outcome::cancelled) return;
    of.runs.insert(at, added);
  }
}

comparison::candidate comparison::best() {
  candidate found;
  for (compared_method& one : methods_) {
    const measured_run* const run = cheapest(one, asked_);
    if (!run) continue;
    const bool is_better = !found.run || (asked_.names_accuracy() ? run->evaluations < found.run->evaluations : run->error < found.run->error);
    if (is_better) found = {&one, &one.runs[static_cast<std::size_t>(run - one.runs.data())]};
  }
  return found;
}

// The best one whose run does the same again, watched and unwatched. A run that does not is worse than it seemed, and no longer the best.
void comparison::choose() {
  limit_.allow_until(std::max(limit_.elapsed(), limit_.seconds()) + grace);
  for (candidate one = best(); one.run; one = best()) {
    limit_.doing(fmt::format("{} again, alone", one.method->method->name));
    const run_setting setting = one.run->setting;
    const measured_run again = lab_.measure(*one.method->method, setting, unknown);
    const unwatched_run alone = lab_.run_unwatched(*one.method->method, setting);
    if (again.ending == outcome::cancelled || alone.ending == outcome::cancelled) {
      unconfirmed_ = fmt::format("{}, {}", one.method->method->name, setting.options());
      why_it_ended();
      return;
    }
    one.run->error = alone.ending == outcome::finished ? std::max(again.error, alone.error) : std::numeric_limits<double>::infinity();
    one.run->drift = alone.drift <= again.drift ? again.drift : alone.drift;
    if (!asked_.is_accurate(*one.run)) continue;
    advice_ = advised{one.method, *one.run, reason(*one.method, *one.run, alone)};
    return;
  }
}

void comparison::find_stable_steps() {
  limit_.allow_until(limit_.seconds());
  if (limit_.is_over()) return;
  limit_.doing("eigenvalues of the Jacobian");
  modes_ = spectrum_along(lab_);
  for (compared_method& one : methods_)
    if (!limit_.is_over()) one.stability = predicted_stable_step(*one.method, lab_, modes_);
  in_equal_parts(limit_.seconds(), [&](compared_method& one) {
    limit_.doing(fmt::format("the longest stable step of {}", one.method->name));
    if (!limit_.is_over()) observe_stable_step(*one.method, lab_, one.stability);
  });
}

bool comparison::stable_steps_are_complete() const {
  return std::ranges::all_of(methods_, [](const compared_method& one) { return one.stability.was_tried; });
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

std::string comparison::reason(const compared_method& winner, const measured_run& run, const unwatched_run& alone) const {
  const method_info& method = *winner.method;
  // A time alone is compared at the error that was reached within it.
  goal same = asked_;
  if (!asked_.names_accuracy()) same = {.error = run.error, .drift = {}, .seconds = {}, .doubt = 0};
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
    if (!adaptive.run) return why + " No adaptive method that was tried meets it.";
    const double variation = lab_.run_unwatched(*adaptive.method->method, adaptive.run->setting).variation();
    why += " The solution asks for much the same step everywhere";
    if (std::isfinite(variation) && variation >= 1) why += fmt::format(" ({} varies its own by a factor of {:.2g})", adaptive.method->method->name, variation);
    return why + ", so an error estimate costs more than it saves.";
  }
  const double variation = alone.variation();
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
