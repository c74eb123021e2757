#include "irregular_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ensue::command {
namespace {

// Weyl's sequence: the multiples of the golden section, modulo 1, fill the unit interval evenly and never repeat.
double golden(double n) { return std::fmod(n * 0.618033988749894848, 1); }

void add(run_statistics<std::int64_t>& to, const run_statistics<std::int64_t>& other) {
  to.steps += other.steps, to.rejected += other.rejected, to.evaluations += other.evaluations;
  to.jacobians += other.jacobians, to.factorizations += other.factorizations, to.linear_solves += other.linear_solves;
}

}  // namespace

std::vector<double> irregular_times(double from, double to, double parts, const std::vector<double>& others) {
  const double longest = (to - from) / parts;
  std::vector<double> times;
  const auto is_ahead = [&](double a, double b) { return longest < 0 ? a > b : a < b; };
  std::size_t next = 0;
  double t = from;
  for (double n = 1; is_ahead(t, to); ++n) {
    t += longest * (0.45 + 0.5 * golden(n));
    while (next < others.size() && is_ahead(others[next], t)) times.push_back(others[next++]);
    const double nearest = std::min(times.empty() ? std::abs(t - from) : std::abs(t - times.back()),
                                    next < others.size() ? std::abs(t - others[next]) : std::abs(t - to));
    if (is_ahead(t, to) && nearest > 0.05 * std::abs(longest)) times.push_back(t);
  }
  times.insert(times.end(), others.begin() + static_cast<std::ptrdiff_t>(next), others.end());
  return times;
}

irregular_steps::irregular_steps(std::unique_ptr<any_integrator> first, maker implicit, std::vector<double> landings, bool backwards,
                                 std::int64_t patience)
    : now_(std::move(first)), implicit_(std::move(implicit)), landings_(std::move(landings)), backwards_(backwards), patience_(patience) {}

outcome irregular_steps::advance_to(double t) {
  outcome how = outcome::finished;
  while (how == outcome::finished && time() != t) how = step_towards(t);
  return how;
}

outcome irregular_steps::step(bool goes_back) {
  const double infinite = std::numeric_limits<double>::infinity();
  return step_towards(goes_back ? -infinite : infinite);
}

outcome irregular_steps::step_towards(double t) {
  if (can_change() && (now_->ending().stiff() || now_->statistics().evaluations > patience_)) change();
  const double end = landing_before(t);
  event_was_here_ = false;
  const outcome how = now_->step_towards(end);
  const bool failed = how != outcome::finished && how != outcome::cancelled && how != outcome::bad_input;
  if (!failed || !can_change()) {
    if (!failed) failure_.clear();
    return how;
  }
  failure_ = now_->message();
  change();
  return step_towards(t);
}

void irregular_steps::set_state(double t, std::span<const double> x) {
  now_->set_state(t, x);
  event_was_here_ = true;
}

bool irregular_steps::control_between_steps(bool on) {
  between_steps_ = on;
  return now_->control_between_steps(on);
}

const run_statistics<std::int64_t>& irregular_steps::statistics() const {
  total_ = spent_;
  add(total_, now_->statistics());
  return total_;
}

std::string irregular_steps::methods() const {
  const std::string name(now_->info().name);
  return before_.empty() ? name : before_ + ", then " + name;
}

void irregular_steps::change() {
  add(spent_, now_->statistics());
  before_ = now_->info().name;
  now_ = std::exchange(implicit_, nullptr)(now_->time(), now_->state(), spent_.evaluations);
  now_->control_between_steps(between_steps_);
}

/// The next landing, or t where that is nearer. After an event, landings next to it are left out: in so short a step the event's function is rounding, and the
/// event might happen again.
double irregular_steps::landing_before(double t) const {
  const double beside = event_was_here_ && !landings_.empty() ? 1e-9 * (landings_.back() - landings_.front()) : 0, after = time() + beside;
  const auto next = backwards_ ? std::ranges::upper_bound(landings_, after, std::greater<>{}) : std::ranges::upper_bound(landings_, after);
  if (next == landings_.end()) return t;
  return backwards_ ? std::max(*next, t) : std::min(*next, t);
}

}  // namespace ensue::command
