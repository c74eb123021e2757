#include <ensue/methods/explicit/runtime_tableau.hpp>

#include <ensue/methods/explicit/rooted_trees.hpp>
#include <ensue/methods/explicit/stability.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace ensue {
namespace {

using row = std::vector<long double>;

std::string number(long double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6Lg", value);
  return text;
}

/// Stages are counted from 1 in sentences, as in the literature.
std::string entry(const char* name, std::size_t i) { return name + ("_" + std::to_string(i + 1)); }
std::string entry(const char* name, std::size_t i, std::size_t j) {
  return entry(name, i) + "," + std::to_string(j + 1);
}

std::string wrong_length(const std::string& what, std::size_t length, std::size_t stages) {
  return what + " has " + std::to_string(length) + " entries, but c states " + std::to_string(stages) + " stages";
}

std::string not_finite(const std::string& name, const row& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      return name + std::to_string(i + 1) + " is " + number(values[i]) + ", not a finite number";
  return {};
}

/// Why the table cannot be read at all; empty if it can.
std::string shape_error(const runtime_tableau& table) {
  const std::size_t stages = table.c.size();
  if (stages == 0) return "the table has no stages: c is empty";
  if (table.b.size() != stages) return wrong_length("b", table.b.size(), stages);
  if (table.a.size() != stages)
    return "a has " + std::to_string(table.a.size()) + " rows, but c states " + std::to_string(stages) +
           " stages (the first row of an explicit table is empty, but it is there)";
  for (std::size_t i = 0; i < stages; ++i)
    if (table.a[i].size() > stages)
      return wrong_length("row " + std::to_string(i + 1) + " of a", table.a[i].size(), stages);
  for (std::size_t k = 0; k < table.embedded.size(); ++k)
    if (table.embedded[k].size() != stages)
      return wrong_length("embedded row " + std::to_string(k + 1), table.embedded[k].size(), stages);
  if (!table.dense.empty() && table.dense.size() != stages) return wrong_length("dense", table.dense.size(), stages);
  for (const row& coefficients : table.dense)
    if (coefficients.size() != table.dense[0].size()) return "the rows of dense differ in length";

  std::string error = not_finite("c_", table.c);
  if (error.empty()) error = not_finite("b_", table.b);
  for (std::size_t i = 0; i < stages && error.empty(); ++i) error = not_finite(entry("a", i) + ",", table.a[i]);
  for (std::size_t k = 0; k < table.embedded.size() && error.empty(); ++k)
    error = not_finite("embedded row " + std::to_string(k + 1) + ", weight ", table.embedded[k]);
  for (std::size_t i = 0; i < table.dense.size() && error.empty(); ++i)
    error = not_finite(entry("dense", i) + ",", table.dense[i]);
  return error;
}

/// A sum that should have a given value, and the size of its terms: the measure of what rounding may do to it.
struct condition {
  long double residual = 0, size = 0;
  bool holds(double tolerance) const { return std::fabs(residual) <= tolerance * size; }
};

condition row_sum(const runtime_tableau& table, std::size_t i) {
  condition sum{-table.c[i], std::fabs(table.c[i])};
  for (const long double a : table.a[i]) sum.residual += a, sum.size += std::fabs(a);
  return sum;
}

/// At θ = 1 the interpolant is x_new: Σ_m dense_im = b_i.
condition dense_end(const runtime_tableau& table, std::size_t i) {
  condition sum{-table.b[i], std::fabs(table.b[i])};
  for (const long double coefficient : table.dense[i]) sum.residual += coefficient, sum.size += std::fabs(coefficient);
  return sum;
}

/// Σ_i weight_i Φ_i = wanted.
template <class Weight>
condition tree_sum(const elementary_weights::weight& phi, Weight weight, long double wanted) {
  condition sum{-wanted, std::fabs(wanted)};
  for (std::size_t i = 0; i < phi.value.size(); ++i)
    if (const long double b = weight(i); b != 0)
      sum.residual += b * phi.value[i], sum.size += std::fabs(b) * phi.size[i];
  return sum;
}

std::string sentence(const std::string& what, const std::string& condition_text, const condition& broken) {
  return what + ": " + condition_text + " is off by " + number(broken.residual);
}

/// The conditions of all trees, for any row of weights of one table.
class judge {
 public:
  judge(const runtime_tableau& table, double tolerance)
      : table_(table), tolerance_(tolerance), phi_(table.c, table.a, trees()) {}

  static const std::vector<rooted_tree>& trees() {
    static const std::vector<rooted_tree> all = rooted_trees(highest_checked_order);
    return all;
  }

  condition of_weights(const row& weights, int tree) {
    return tree_sum(phi_[tree], [&](std::size_t i) { return weights[i]; }, 1.0L / trees()[tree].density);
  }

  /// Σ_i b_i(θ) Φ_i = θ^|t| / γ for every θ: only the power |t| survives, and has to be among those the interpolant
  /// has. The worst power, relative to its size.
  condition of_dense(int tree) {
    const auto degree = table_.dense[0].size(), order = static_cast<std::size_t>(trees()[tree].order);
    condition worst{0, 1};
    for (std::size_t power = 1; power <= std::max(degree, order); ++power) {
      const auto weight = [&](std::size_t i) { return power <= degree ? table_.dense[i][power - 1] : 0.0L; };
      const condition sum = tree_sum(phi_[tree], weight, power == order ? 1.0L / trees()[tree].density : 0.0L);
      if (std::fabs(sum.residual) * worst.size > std::fabs(worst.residual) * sum.size) worst = sum;
    }
    return worst;
  }

  /// The first tree of that order whose condition fails, or −1; `residual` grows to the largest seen.
  template <class Condition> int first_failing(int order, Condition conditions, condition& found,
                                               long double& residual) {
    for (int tree = first_of(order); tree < first_of(order + 1); ++tree) {
      found = conditions(tree);
      if (!found.holds(tolerance_)) return tree;
      residual = std::max(residual, std::fabs(found.residual));
    }
    return -1;
  }

  template <class Condition> row_report report(int highest_order, Condition conditions) {
    row_report result;
    for (int order = 1; order <= highest_order; ++order) {
      condition found;
      long double residual = result.residual;
      const int failing = first_failing(order, conditions, found, residual);
      if (failing >= 0) {
        result.violated = bracket_notation(trees(), failing);
        result.violated_residual = found.residual;
        return result;
      }
      result.order = order;
      result.residual = residual;
    }
    return result;
  }

 private:
  static int first_of(int order) {
    static const std::vector<int> first = [] {
      std::vector<int> index(highest_checked_order + 2, static_cast<int>(trees().size()));
      for (int tree = static_cast<int>(trees().size()) - 1; tree >= 0; --tree) index[trees()[tree].order] = tree;
      return index;
    }();
    return first[order];
  }

  const runtime_tableau& table_;
  double tolerance_;
  elementary_weights phi_;
};

bool is_fsal(const runtime_tableau& table) {
  const std::size_t last = table.c.size() - 1;
  if (last == 0 || table.c[last] != 1 || table.b[last] != 0) return false;
  for (std::size_t j = 0; j < last; ++j)
    if ((j < table.a[last].size() ? table.a[last][j] : 0) != table.b[j]) return false;
  return true;
}

/// The first a_ij on or above the diagonal, named; empty for an explicit table.
std::string implicit_entry(const runtime_tableau& table) {
  for (std::size_t i = 0; i < table.a.size(); ++i)
    for (std::size_t j = i; j < table.a[i].size(); ++j)
      if (table.a[i][j] != 0) return entry("a", i, j) + " = " + number(table.a[i][j]);
  return {};
}

std::string not_explicit(const std::string& where) {
  return "not explicit: " + where +
         " makes a stage depend on itself or on a later one; an explicit solver cannot run it";
}

}  // namespace

order_report check_orders(const runtime_tableau& table, double tolerance) {
  order_report report;
  report.error = shape_error(table);
  if (!report.error.empty()) return report;

  if (const std::string where = implicit_entry(table); !where.empty()) {
    report.is_explicit = false;
    report.warnings.push_back(not_explicit(where));
  }
  report.fsal = report.is_explicit && is_fsal(table);

  int highest_order = highest_checked_order;
  for (std::size_t i = 0; i < table.c.size(); ++i) {
    if (table.c[i] < 0 || table.c[i] > 1)
      report.warnings.push_back(entry("c", i) + " = " + number(table.c[i]) +
                                " lies outside [0, 1]: the function is asked for beyond the step");
    const condition sum = row_sum(table, i);
    report.row_sum_residual = std::max(report.row_sum_residual, std::fabs(sum.residual));
    if (sum.holds(tolerance)) continue;
    highest_order = 1;
    report.warnings.push_back(
        sentence("stage " + std::to_string(i + 1),
                 "the row sum of a, which should be " + entry("c", i) + " = " + number(table.c[i]) + ",", sum) +
        (sum.holds(1e-4) ? "; too few digits? Type more, or pass a larger tolerance"
                         : "; only order 1 is certain until it is right"));
  }

  judge conditions(table, tolerance);
  report.main = conditions.report(highest_order, [&](int tree) { return conditions.of_weights(table.b, tree); });
  for (const row& weights : table.embedded)
    report.embedded.push_back(
        conditions.report(highest_order, [&](int tree) { return conditions.of_weights(weights, tree); }));
  if (table.dense.empty()) return report;

  report.dense = conditions.report(highest_order, [&](int tree) { return conditions.of_dense(tree); });
  for (std::size_t i = 0; i < table.dense.size(); ++i)
    if (const condition end = dense_end(table, i); !end.holds(tolerance))
      report.warnings.push_back(
          sentence("dense output",
                   "the sum of dense_" + std::to_string(i + 1) + ", which should be " + entry("b", i) + ",", end) +
          "; the interpolant does not end at x_new");
  return report;
}

std::string first_violation(const runtime_tableau& table, const stated_orders& orders, double tolerance) {
  if (std::string error = shape_error(table); !error.empty()) return error;
  if (const std::string where = implicit_entry(table); !where.empty()) return not_explicit(where);
  if (orders.embedded.size() != table.embedded.size())
    return "orders are stated for " + std::to_string(orders.embedded.size()) + " embedded rows, the table has " +
           std::to_string(table.embedded.size());
  for (std::size_t i = 0; i < table.c.size(); ++i)
    if (const condition sum = row_sum(table, i); !sum.holds(tolerance))
      return sentence("stage " + std::to_string(i + 1), "the row sum of a", sum);
  for (std::size_t i = 0; i < table.dense.size(); ++i)
    if (const condition end = dense_end(table, i); !end.holds(tolerance))
      return sentence("dense output", "the sum of dense_" + std::to_string(i + 1), end);

  judge conditions(table, tolerance);
  const auto broken = [&](const std::string& what, int order, int stated, auto&& of_tree) -> std::string {
    condition found;
    long double residual = 0;
    const int tree = order <= stated ? conditions.first_failing(order, of_tree, found, residual) : -1;
    if (tree < 0) return {};
    return sentence(what, "order " + std::to_string(order) + ", tree " + bracket_notation(judge::trees(), tree), found);
  };
  for (int order = 1; order <= highest_checked_order; ++order) {
    std::string text = broken("b", order, orders.main, [&](int t) { return conditions.of_weights(table.b, t); });
    for (std::size_t k = 0; k < table.embedded.size() && text.empty(); ++k)
      text = broken("embedded row " + std::to_string(k + 1), order, orders.embedded[k],
                    [&](int t) { return conditions.of_weights(table.embedded[k], t); });
    if (text.empty() && !table.dense.empty())
      text = broken("dense output", order, orders.dense, [&](int t) { return conditions.of_dense(t); });
    if (!text.empty()) return text;
  }
  return {};
}

namespace {

template <class Interval> double stability_interval(const runtime_tableau& table, Interval interval) {
  if (!shape_error(table).empty() || !implicit_entry(table).empty()) return std::numeric_limits<double>::quiet_NaN();
  const int stages = table.stages();
  std::vector<row> a = table.a;
  for (row& entries : a) entries.resize(stages);
  row coefficients(stages + 1), room(stages + 1);
  const int degree = detail::stability_coefficients(a, table.b, stages, coefficients.data(), room.data());
  return static_cast<double>(interval(coefficients.data(), degree, room.data()));
}

}  // namespace

double real_stability_interval(const runtime_tableau& table) {
  return stability_interval(table, detail::real_interval);
}

double imaginary_stability_interval(const runtime_tableau& table) {
  return stability_interval(table, detail::imaginary_interval);
}

}  // namespace ensue
