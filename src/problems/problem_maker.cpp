#include "problems/problem_maker.hpp"

#include "problems/problem_toml.hpp"
#include "problems/problem_words.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

namespace ensue {

using expression::dependence;

problem_maker::problem_maker(const problem_file& file, const std::map<std::string, double>& values,
                             problem_file::made& result)
    : file_(file), result_(result) {
  for (const auto& [name, value] : values) values_.emplace(as_element_name(name), value);
}

void problem_maker::make() {
  parameters();
  if (file_.scene) return make_scene();
  if (result_.errors.empty()) families();
  if (!result_.errors.empty()) return;
  const double from = file_.from ? number(*file_.from).value_or(0) : 0;
  std::optional<double> to;
  if (file_.to) to = number(*file_.to);
  components();
  if (!result_.errors.empty()) return;
  report_unknown_values();
  solver_settings solver_says = solver();
  output_settings output_says = output();
  definitions();
  if (!result_.errors.empty()) return;
  const std::vector<id> derivative = derivatives();
  const std::vector<id> invariant = inserted(file_.invariants);
  std::vector<std::string> invariant_names, exact_names;
  for (const entry& one : file_.invariants) invariant_names.push_back(one.name);
  std::vector<id> exact;
  std::vector<std::size_t> exact_components;
  std::vector<bool> given;
  for_each_component(
      file_.exact, "[exact]",
      [&](std::size_t which, const element& what) {
        exact.push_back(inserted(what));
        exact_components.push_back(which);
        exact_names.push_back(names_[which]);
      },
      given);
  if (!result_.errors.empty()) return;

  dependence uses = dependence::nothing;
  for (const id i : derivative) uses = uses | scope_.graph[i].uses;
  const bool drags = expression::uses(uses, dependence::velocity);
  const force_of force = !file_.second_order ? force_of::none : drags ? force_of::velocity : force_of::position;
  file_problem problem{file_.title,
                       from,
                       to,
                       file_.second_order,
                       names_,
                       start_,
                       expression_system(program(derivative), force, algebraic_),
                       uses,
                       values(invariant, std::move(invariant_names)),
                       values(exact, std::move(exact_names)),
                       std::move(exact_components),
                       {},
                       std::move(solver_says),
                       std::move(output_says),
                       nullptr};
  events(problem);
  // the last thing to be made: the graph moves into it
  problem.equations = std::make_shared<const expression_source>(expression_source{
      std::move(scope_.graph), derivative, invariant, static_cast<std::uint32_t>(names_.size()), file_.second_order});
  if (result_.errors.empty() && result_.unknown.empty()) result_.problem = std::move(problem);
}

void problem_maker::definitions() {
  for (const entry& one : file_.definitions)  // those that are there, but come later
    if (!one.indices.empty())
      for_each_element(one, [&](const element& what) {
        element_table& family = scope_.families.at(one.name);
        if (family.find(what.at) != element_table::missing)
          throw expression::fault{at_key, "found `" + element_name(one.name, one.indices.size(), what.at) +
                                              "` again, expected each element once"};
        family.set(what.at, element_table::not_yet);
      });
  if (!result_.errors.empty()) return;
  for (const entry& one : file_.definitions) {
    if (!result_.errors.empty()) return;  // later ones may need it
    for_each_element(one, [&](const element& what) {
      const id node = inserted(what);
      if (one.indices.empty()) scope_.single[one.name] = node;
      else scope_.families.at(one.name).set(what.at, node);
    });
  }
}

std::vector<problem_maker::id> problem_maker::derivatives() {
  std::vector<id> all(names_.size());
  std::vector<bool> given;
  if (!result_.errors.empty()) return all;
  const std::string section = file_.second_order ? "[acceleration]" : "[derivative]";
  const auto insert = [&](std::size_t which, const element& what) { all[which] = inserted(what); };
  for_each_component(file_.derivatives, section, insert, given);
  for_each_component(
      file_.algebraic, "[derivative] and [algebraic]",
      [&](std::size_t which, const element& what) {
        insert(which, what);
        algebraic_.resize(names_.size());
        algebraic_[which] = true;
      },
      given);
  const std::size_t equations = file_.second_order ? names_.size() / 2 : names_.size();
  given.resize(equations);  // the derivatives of positions are the velocities
  const std::vector<entry>& first = file_.derivatives.empty() ? file_.algebraic : file_.derivatives;
  report_missing(given, section, first[0].where);
  all.resize(equations);
  return all;
}

void problem_maker::events(file_problem& out) {
  for (const event_entry& event : file_.events) {
    const id function = inserted({event.when})[0];
    if (scope_.graph[function].uses == dependence::nothing && result_.errors.empty())
      error(event.when.where, "found a value that never changes, expected an expression of the state or of t");
    std::vector<std::size_t> sets;
    std::vector<id> changes;
    std::vector<std::string> names;
    std::vector<bool> given;
    for_each_component(
        event.sets, "`set`",
        [&](std::size_t which, const element& what) {
          sets.push_back(which);
          changes.push_back(inserted(what));
          names.push_back(names_[which]);
        },
        given);
    out.events.push_back({event.name, event.direction, event.stops, values({function}, {event.name}), std::move(sets),
                          values(changes, std::move(names))});
  }
}

solver_settings problem_maker::solver() {
  solver_settings out;
  out.method = file_.method;
  out.compensated = file_.compensated;
  out.consistent = file_.consistent;
  for (const entry& setting : file_.settings) {
    const std::optional<double> given = number(setting);
    if (!given) continue;
    const double value = *given;
    const bool may_be_zero = setting.name == "rtol" || setting.name == "min_step";
    if (!(value > 0 || (may_be_zero && value == 0)))
      error(setting.where, "`" + setting.name + "` is " + shown(value) + ", expected a number above 0");
    if (setting.name == "step") out.step = value;
    if (setting.name == "rtol") out.rtol = value;
    if (setting.name == "min_step") out.min_step = value;
    if (setting.name == "max_step") out.max_step = value;
    if (setting.name == "max_evaluations") {
      if (value != std::floor(value) || value > 9e18)
        error(setting.where, "`max_evaluations` is " + shown(value) + ", expected a whole number");
      else out.max_evaluations = static_cast<std::int64_t>(value);
    }
  }
  const auto tolerance = [&](const element& one) {
    const double value = number(one);
    if (!(value >= 0))
      throw expression::fault{at_value, "`atol` is " + shown(value) + ", expected a number that is not negative"};
    return value;
  };
  if (file_.atol.empty()) return out;
  if (file_.atol[0].name.empty()) {
    for_each_element(file_.atol[0], [&](const element& one) { out.atol.push_back(tolerance(one)); });
    return out;
  }
  out.atol.resize(names_.size());
  std::vector<bool> given;
  for_each_component(
      file_.atol, "the table of atol", [&](std::size_t which, const element& one) { out.atol[which] = tolerance(one); },
      given);
  report_missing(given, "the table of atol", file_.atol[0].where);
  return out;
}

output_settings problem_maker::output() {
  output_settings out;
  for (const entry& setting : file_.output) {
    const std::optional<double> given = number(setting);
    if (!given) continue;
    const double value = *given;
    if (setting.name == "every") {
      if (!(value > 0)) error(setting.where, "`every` is " + shown(value) + ", expected a number above 0");
      out.every = value;
    } else if (value != std::floor(value) || !(value >= 2) || value > most_points) {
      error(setting.where, "`points` is " + shown(value) + ", expected a whole number from 2 to " + shown(most_points));
    } else {
      out.points = static_cast<std::int64_t>(value);
    }
  }
  std::unordered_set<std::string_view> components;
  if (!file_.plot.empty()) components.insert(names_.begin(), names_.end());
  std::unordered_set<std::string> seen;
  for (const toml_value* name : file_.plot)
    if (seen.insert(as_element_name(name->text)).second) add_plotted(*name, components, out.plot);
  return out;
}

// A component, or all elements of a family.
void problem_maker::add_plotted(const toml_value& name, const std::unordered_set<std::string_view>& components,
                                std::vector<std::string>& plot) {
  const std::string wanted = as_element_name(name.text);
  if (components.contains(wanted)) return plot.push_back(wanted);
  const std::size_t before = plot.size();
  const bool is_family = scope_.families.contains(wanted);
  const bool is_velocity = wanted.ends_with('\'');
  const std::string start = wanted.substr(0, wanted.size() - (is_velocity ? 1 : 0)) + "[";
  if (is_family)
    for (const std::string& component : names_)
      if (component.starts_with(start) && component.ends_with('\'') == is_velocity) plot.push_back(component);
  if (plot.size() == before)
    error(name.value_at,
          "unknown component `" + name.text + "` to plot" + remedy(wanted, names_, "one of the state's"));
}

// ---- entries and their elements ----

index_box problem_maker::box_of(const entry& what) {
  index_box box;
  box.indices = what.indices.size();
  problem_scope::index_names no_names;
  index_values no_values;
  const auto whole = [&](const expression::tree& tree) {
    return scope_.whole_number(scope_.bind(tree, no_names), no_values, at_key, what.name);
  };
  for (std::size_t k = 0; k < box.indices; ++k) {
    const expression::index_range& range = what.indices[k];
    box.first[k] = whole(range.first);
    box.last[k] = range.name.empty() ? box.first[k] : whole(range.last);
  }
  if (box.count() > most_elements)
    throw expression::fault{at_key, "`" + what.source->key + "` has " + std::to_string(box.count()) +
                                        " elements, expected at most " + std::to_string(most_elements)};
  return box;
}

// What is wrong with one element is said once for all of them.
void problem_maker::for_each_element(const entry& what, const visitor& visit) {
  guarded(what, [&] {
    const index_box box = box_of(what);
    problem_scope::index_names names;
    for (const expression::index_range& index : what.indices)
      if (!index.name.empty()) names.push_back(index.name);
    const bound_expression value = scope_.bind(what.value, names);
    index_values indices;
    for (std::int64_t i = box.first[0]; i <= box.last[0]; ++i)
      for (std::int64_t j = box.first[1]; j <= box.last[1]; ++j) {
        const element_index at = {i, j};
        indices.clear();
        for (std::size_t k = 0; k < box.indices; ++k)
          if (!what.indices[k].name.empty()) indices.push_back(static_cast<double>(at[k]));
        visit({what, at, value, indices});
      }
  });
}

void problem_maker::guarded(const entry& what, const std::function<void()>& work) {
  try {
    work();
  } catch (const expression::fault& fault) {
    error(fault.offset == at_key     ? what.source->key_at
          : fault.offset == at_value ? what.where
                                     : file_.document->at(*what.source, fault.offset),
          fault.what);
  } catch (const std::length_error& full) {
    error(what.where, std::string(full.what()) + ", expected fewer");
  }
}

double problem_maker::number(const element& what) {
  const double value = scope_.number(what.value, what.indices);
  if (!std::isfinite(value))
    throw expression::fault{at_value, "`" + element_name(what.of.name, what.of.indices.size(), what.at) + "` is " +
                                          shown(value) + ", expected a finite number"};
  return value;
}

std::optional<double> problem_maker::number(const entry& what) {
  std::optional<double> value;
  for_each_element(what, [&](const element& one) { value = number(one); });
  return value;
}

double problem_maker::given_or(const std::string& name, const element& what) {
  const auto given = values_.find(name);
  return given != values_.end() ? given->second : number(what);
}

std::vector<problem_maker::id> problem_maker::inserted(const std::vector<entry>& entries) {
  std::vector<id> nodes(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    for_each_element(entries[i], [&](const element& one) { nodes[i] = inserted(one); });
  return nodes;
}

expression_values problem_maker::values(const std::vector<id>& nodes, std::vector<std::string> names) const {
  return {program(nodes), std::move(names)};
}

expression::program problem_maker::program(const std::vector<id>& nodes) const {
  return {scope_.graph, nodes, static_cast<std::uint32_t>(1 + names_.size())};
}

void problem_maker::error(const place& where, std::string what) {
  constexpr std::size_t most_errors = 100;
  if (result_.errors.size() < most_errors) result_.errors.push_back({where, std::move(what)});
}

problem_file::made problem_file::make(const std::map<std::string, double>& values) const {
  made result;
  problem_maker(*this, values, result).make();
  sort_by_place(result.errors);
  return result;
}

}  // namespace ensue
