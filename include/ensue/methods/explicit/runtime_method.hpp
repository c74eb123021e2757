/// A tableau typed at run time, as a method like any other.
///
///     ensue::runtime_tableau heun_euler{.c = {0, 1}, .a = {{}, {1}}, .b = {0.5L, 0.5L}, .embedded = {{1, 0}}};
///     auto run = ensue::solve(f, x0, {0, 10}, ensue::runtime_method{heun_euler}, {.rtol = 1e-6});
///
/// Its steps and evaluations are those of the compile-time driver (driver.hpp) with the same table: f at the end of a step is used
/// again where the table is FSAL, k₁ is kept when a step is rejected, zero coefficients cost nothing. Only the stages are counted
/// by a loop: a step of dp54 on Lorenz's equations takes about 1.6 times as long. Link ensue::ensue, which has the order conditions.
#pragma once

#include <ensue/numbers/compensation.hpp>
#include <ensue/control/norm.hpp>
#include <ensue/control/step_size.hpp>
#include <ensue/step/diagnosis.hpp>
#include <ensue/methods/explicit/jumps.hpp>
#include <ensue/methods/explicit/runtime_tableau.hpp>
#include <ensue/output/interpolant.hpp>
#include <ensue/numbers/state.hpp>
#include <ensue/model/system.hpp>
#include <ensue/model/unwritten.hpp>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ensue {

class runtime_method {
 public:
  /// Orders are those that the order conditions find (see `check_orders` for the tolerance). Throws std::invalid_argument, with a
  /// sentence, for a table that is not explicit, not consistent (of order 0), or whose embedded rows estimate no error.
  explicit runtime_method(runtime_tableau table, double tolerance = 1e-14)
      : facts_(std::make_shared<const facts>(judged(std::move(table), tolerance))) {}

  /// A literal, because it outlives the method in a solution's sentences.
  static constexpr const char* name = "the typed tableau";

  const runtime_tableau& table() const { return facts_->table; }
  const order_report& report() const { return facts_->report; }
  int order() const { return facts_->report.main.order; }
  bool fsal() const { return facts_->report.fsal; }

  /// q: the error estimate of a step grows as h^(q+1); 0 without an embedded row. (As explicit_tableau::estimate_order.)
  int estimate_order() const {
    const auto& rows = facts_->report.embedded;
    if (rows.empty()) return 0;
    if (has_two_estimates()) return 2 * (rows[0].order + 1) - (rows[1].order + 1) - 1;
    return rows[0].order < order() ? rows[0].order : order();
  }

  /// Two embedded rows of falling order give one estimate together, as dop853's do. Otherwise the first row gives it.
  bool has_two_estimates() const {
    const auto& rows = facts_->report.embedded;
    return rows.size() == 2 && rows[0].order > rows[1].order;
  }

  /// Whether the estimate sees little of a jump of f inside a step (jumps.hpp).
  bool overlooks_jumps() const {
    const runtime_tableau& of = facts_->table;
    if (of.embedded.empty()) return false;
    std::vector<long double> e = of.b;
    for (std::size_t i = 0; i < e.size(); ++i) e[i] -= of.embedded[0][i];
    return detail::estimate_overlooks_jumps(of.stages(), of.c, of.b, e, has_two_estimates());
  }

  /// The method protocol (stepper.hpp). Dense output is Hermite's cubic; stiffness is not looked for. The k's are on the heap:
  /// with a fixed-size state each advance allocates once, a step never.
  template <class State> class stepper;

 private:
  struct facts {
    runtime_tableau table;
    order_report report;
    double real_stability;
  };

  static facts judged(runtime_tableau table, double tolerance) {
    order_report report = check_orders(table, tolerance);
    const auto refuse = [](const std::string& why) {
      throw std::invalid_argument("ensue: the typed tableau cannot be run: " + why);
    };
    if (!report.error.empty()) refuse(report.error);
    if (!report.is_explicit) refuse(report.warnings.front());
    if (table.c[0] != 0) refuse("c_1 has to be 0, since the first stage is f(t, x)");
    if (report.main.order == 0) refuse("it is not consistent: the sum of b has to be 1");
    for (std::size_t row = 0; row < table.embedded.size(); ++row) {
      const std::string which = "embedded row " + std::to_string(row + 1);
      if (report.embedded[row].order == 0) refuse(which + " is not consistent: its sum has to be 1");
      if (table.embedded[row] == table.b) refuse(which + " is b itself, and estimates no error");
    }
    const double stability = real_stability_interval(table);
    return {std::move(table), std::move(report), stability};
  }

  std::shared_ptr<const facts> facts_;
};

template <class State> class runtime_method::stepper {
 public:
  using storage = storage_of<State>;
  using scalar = element_of<storage>;
  using base = base_of<scalar>;
  using real = real_of<scalar>;
  using mask = mask_of<scalar>;
  using count = count_of<scalar>;

  static constexpr system_needed needs = system_needed::any;
  static constexpr bool divides_evenly = false;
  static constexpr bool may_estimate = true;
  static constexpr bool confirms = false;
  static constexpr bool may_overlook_jumps = true;
  static constexpr int dense_order = 3;

  stepper(const runtime_method& method, const storage& like)
      : method_(method),
        stages_(method.table().stages()),
        partner_(method.fsal() ? stages_ - 1 : stages_),
        rows_(std::make_shared<const rows>(method.table())),
        k_(static_cast<std::size_t>(partner_ + 1), like),
        candidate_(like),
        sum_(like) {}

  static constexpr const char* name() { return runtime_method::name; }
  int order() const { return method_.order(); }
  bool has_estimate() const { return !rows_->errors.empty(); }
  int estimate_order() const { return method_.estimate_order(); }
  static constexpr law_digits digits_of_law = law_digits::as_told;
  law_digits digits_told() const { return method_.fsal() ? law_digits::three : law_digits::six; }  // as the driver's
  bool overlooks_jumps() const { return method_.overlooks_jumps(); }  // as the driver's
  int evaluations_of_attempt() const { return stages_ - 1; }
  double real_stability() const { return method_.facts_->real_stability; }

  const mask& stale() const { return stale_; }
  void restart() {
    stale_ = mask(true);
    sum_.restart();
  }
  void compensate(const storage& x) { sum_.turn_on(x); }
  void forget(const mask& where) { stale_ = stale_ | where; }

  template <class F> mask derivative(F& f, const real& t, const storage& x) {
    const mask renewed = stale_;
    const auto set_aside = [&] {
      if (!method_.fsal()) exchange(renewed, k_[0], k_[partner_]);
    };
    set_aside();  // kept for the interpolant
    try {
      const mask defined = evaluate(f, t, x, k_[0]);
      stale_ = mask(false);
      return defined;
    } catch (...) {
      set_aside();
      throw;
    }
  }
  void mark_derivative() {
    mark_unwritten(k_[0]);
    mark_unwritten(k_[partner_]);
  }
  const storage& first_derivative() const { return k_[0]; }
  const storage& whole_derivative(const storage&) const { return k_[0]; }

  template <class F>
  mask attempt(F& f, const real& t, const real& t_new, const real& h, const storage& x, const mask& active,
               count& evaluations) {
    mask defined(true);
    const real clock = t_new - t;
    for (int i = 1; i < stages_ && any(defined); ++i) {
      combine(rows_->a[i], x, h, method_.fsal() && i == stages_ - 1);
      evaluations = evaluations + select(active & defined, count(1), count(0));
      defined = defined & evaluate(f, method_.table().c[i] == 1 ? t_new : t + rows_->c[i] * clock, candidate_, k_[i]);
    }
    if (!method_.fsal() && any(defined)) combine(rows_->b, x, h, true);
    return defined;
  }

  template <class Measure> real squared_error(const storage& x, const real& h, Measure& measure) const {
    if (!has_estimate())
      throw std::logic_error(
          "ensue: the typed tableau has no embedded row, and so no error estimate: give a fixed step");
    const real first = row_error(0, x, h, measure);
    if (!method_.has_two_estimates()) return first;
    const real both = first + base(0.01) * row_error(1, x, h, measure);  // as the driver's
    return select(both == real(0), both, first * (first / both));
  }

  void accept(const mask& accepted, storage& x) {
    exchange(accepted, x, candidate_);
    sum_.accept(accepted);
    if (method_.fsal()) exchange(accepted, k_[0], k_[partner_]);
    else stale_ = stale_ | accepted;
  }

  std::int64_t bad_component(int lane) const {
    for (const storage& k : k_)
      if (const std::int64_t found = first_not_finite(k, lane); found != report::nowhere) return found;
    return report::nowhere;
  }

  void exchange_lanes(const mask& where, stepper& other) {
    for (std::size_t j = 0; j < k_.size(); ++j) exchange(where, k_[j], other.k_[j]);
    exchange(where, candidate_, other.candidate_);
    exchange_masks(where, stale_, other.stale_);
    sum_.exchange_lanes(where, other.sum_);
  }

  /// Lane l takes over what lane `from` of another remembers before a first step: k₁, which is known.
  void begin_lane(int l, const stepper& other, int from) {
    for_each_element(k_[0], [&](std::size_t i) { set_lane(k_[0].data()[i], l, lane(other.k_[0].data()[i], from)); });
    set_lane(stale_, l, false);
  }

  const storage& candidate() const { return candidate_; }
  mask candidate_is_finite() const { return finite(candidate_); }
  storage& scratch() { return candidate_; }
  storage& scratch_derivative() { return k_[partner_]; }

  using dense_memory = interpolant_memory<storage, 2>;
  template <class F>
  void make_dense(F&, const real&, const real&, const real& h, const storage& x, dense_memory& dense, count&) const {
    make_hermite(dense.curve, mask(true), candidate_, x, k_[partner_], k_[0], h);
  }
  const storage& before() const { return candidate_; }

  template <class Measure> real squared_stiffness_ratio(const storage&, Measure&) const { return real(0); }

 private:
  /// The nonzero weights of a row, rounded once.
  struct term {
    int stage;
    base weight;
  };
  using terms = std::vector<term>;

  /// The table as the steps read it; shared by copies of the stepper.
  struct rows {
    std::vector<base> c;
    std::vector<terms> a, errors;
    terms b;

    explicit rows(const runtime_tableau& table) : b(terms_of(table.b)) {
      for (const long double time : table.c) c.push_back(static_cast<base>(time));
      for (const auto& row : table.a) a.push_back(terms_of(row));
      for (const auto& weights : table.embedded) {
        std::vector<long double> difference = table.b;
        for (std::size_t j = 0; j < difference.size(); ++j) difference[j] -= weights[j];
        errors.push_back(terms_of(difference));
      }
    }

    static terms terms_of(const std::vector<long double>& row) {
      terms result;
      for (std::size_t j = 0; j < row.size(); ++j)
        if (const base weight = static_cast<base>(row[j]); weight != 0) result.push_back({static_cast<int>(j), weight});
      return result;
    }
  };

  /// candidate = x + Σ (h·w_j) k_j, one pass over the state a term; the new state with nothing lost where sums are compensated.
  void combine(const terms& row, const storage& x, const real& h, bool end) {
    scalar* const to = candidate_.data();
    if (end && sum_.on()) {
      sum_.with_sum([&](const auto& add) {
        for_each_element(x, [&](std::size_t i) { to[i] = add(i, x.data()[i], weighted(row, h, i)); });
      });
      return;
    }
    for_each_element(x, [to, from = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { to[i] = from[i]; });
    for (const term& each : row)
      for_each_element(x, [to, weight = each.weight * h, k = k_[each.stage].data()](std::size_t i)
                              ENSUE_INLINE_LAMBDA { to[i] = to[i] + weight * k[i]; });
  }

  scalar weighted(const terms& row, const real& h, std::size_t i) const {
    scalar sum(0);
    for (const term& each : row) sum = sum + (each.weight * h) * k_[each.stage].data()[i];
    return sum;
  }

  template <class Measure> real row_error(int row, const storage& x, const real& h, Measure& measure) const {
    const terms& weights = rows_->errors[row];
    long double sum = 0;
    for (const term& each : weights) sum += std::abs(static_cast<long double>(each.weight));
    if (sum <= 1)  // as the driver's
      return measure.squared_norm(x, candidate_, [&](std::size_t i) { return value_of(h * weighted(weights, real(1), i)); });
    return measure.squared_norm(x, candidate_, [&](std::size_t i) { return value_of(weighted(weights, h, i)); });
  }

  runtime_method method_;
  int stages_;
  int partner_;  ///< where k₁ goes when the next step's k₁ takes its place
  std::shared_ptr<const rows> rows_;
  std::vector<storage> k_;
  storage candidate_;
  compensation<storage> sum_;
  mask stale_ = mask(true);
};

}  // namespace ensue
