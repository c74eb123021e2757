// The state of a problem file: which components there are, their initial values, and which lines are about which of them.
#include "problems/problem_maker.hpp"
#include "problems/problem_toml.hpp"
#include "problems/problem_words.hpp"

#include <algorithm>

namespace ensue {

using expression::dependence;

void problem_maker::parameters() {
  for (const entry& parameter : file_.parameters) {
    if (!result_.errors.empty()) return;  // later ones may need it
    for_each_element(parameter, [&](const element& one) {
      scope_.single[parameter.name] = scope_.graph.constant(given_or(parameter.name, one));
    });
  }
}

// Makes room for the elements of families, before any of them is computed.
void problem_maker::declare(const std::vector<entry>& entries, bool inserted) {
  for (const entry& one : entries) {
    if (!result_.errors.empty()) return;  // a bound that is wrong is so on many lines
    guarded(one, [&] {
      const index_box box = box_of(one);
      scope_.reserve_work(box.count(), one.value, inserted);
      if (one.indices.empty()) return;
      declared_ += box.count();
      if (declared_ > most_elements)
        throw expression::fault{at_key, "with `" + one.source->key + "` the problem has more than " +
                                            std::to_string(most_elements) + " elements, expected fewer"};
      if (!scope_.families[one.name].declare(box))
        throw expression::fault{at_key, "found `" + one.source->key + "` far from the other elements of `" + one.name +
                                            "`, expected them side by side"};
    });
  }
}

void problem_maker::families() {
  declare(file_.start, false);
  declare(file_.velocities, false);
  declare(file_.definitions, true);
  for (const auto* equations : {&file_.derivatives, &file_.algebraic, &file_.exact})
    for (const entry& one : *equations)
      if (result_.errors.empty()) guarded(one, [&] { scope_.reserve_work(box_of(one).count(), one.value, true); });
}

void problem_maker::components() {
  for (auto& [name, family] : scope_.families) family.complete();
  scope_.single["t"] = scope_.graph.input(0, dependence::time);
  const std::size_t errors = result_.errors.size();
  for (const entry& one : file_.start) {
    const std::size_t before = names_.size();
    for_each_element(one, [&](const element& what) {
      const std::string name = element_name(one.name, one.indices.size(), what.at);
      const id input = scope_.graph.input(static_cast<std::uint32_t>(1 + names_.size()), dependence::state);
      if (one.indices.empty()) scope_.single[name] = input;
      else if (scope_.families.at(one.name).find(what.at) == element_table::missing)
        scope_.families.at(one.name).set(what.at, input);
      else throw expression::fault{at_key, "found `" + name + "` again, expected each element once"};
      names_.push_back(name);
      start_.push_back(given_or(name, what));
    });
    if (names_.size() == before && result_.errors.size() == errors)
      error(one.source->key_at, "found `" + one.source->key + "` without an element, expected at least one");
  }
  if (file_.second_order && result_.errors.empty()) velocities();
}

// Velocities are the second half of the state, in the order of the positions.
void problem_maker::velocities() {
  const std::size_t positions = names_.size();
  for (std::size_t i = 0; i < positions; ++i) names_.push_back(names_[i] + '\'');
  start_.resize(2 * positions);
  std::vector<bool> given(2 * positions);
  std::fill_n(given.begin(), positions, true);
  for (const entry& one : file_.velocities)
    for_each_element(one, [&](const element& what) {
      const std::size_t position = component(one.name.substr(0, one.name.size() - 1), what.at);
      const std::string name = element_name(one.name, one.indices.size(), what.at);
      if (position == nowhere)
        throw expression::fault{at_key, "found `" + name + "` in [velocity], expected an element of [position]"};
      const std::size_t slot = positions + position;
      if (given[slot]) throw expression::fault{at_key, "found `" + name + "` again, expected each element once"};
      given[slot] = true;
      const id input = scope_.graph.input(static_cast<std::uint32_t>(1 + slot), dependence::velocity);
      if (one.indices.empty()) scope_.single[name] = input;
      else scope_.families.at(one.name).set(what.at, input);
      start_[slot] = given_or(name, what);
    });
  report_missing(given, "[velocity]", file_.velocities[0].where);
}

// Which component an element is; a name without indices is its own only element.
std::size_t problem_maker::component(const std::string& name, const element_index& at) const {
  const auto single = scope_.single.find(name);
  const auto family = scope_.families.find(name);
  const id node = single != scope_.single.end()     ? single->second
                  : family != scope_.families.end() ? family->second.find(at)
                                                    : element_table::missing;
  if (!element_table::is_node(node) || scope_.graph[node].what != expression::operation::variable) return nowhere;
  return scope_.graph[node].a - 1;
}

void problem_maker::for_each_component(const std::vector<entry>& entries, const std::string& section,
                                       const std::function<void(std::size_t, const element&)>& visit,
                                       std::vector<bool>& given) {
  given.resize(names_.size());
  for (const entry& one : entries)
    for_each_element(one, [&](const element& what) {
      const std::size_t which = component(one.name, what.at);
      const auto name = [&] { return element_name(one.name, one.indices.size(), what.at); };
      if (which == nowhere)
        throw expression::fault{at_key, "found `" + name() + "` in " + section + ", expected an element of the state"};
      if (given[which])
        throw expression::fault{at_key, "found `" + name() + "` again in " + section + ", expected each element once"};
      given[which] = true;
      visit(which, what);
    });
}

void problem_maker::report_missing(const std::vector<bool>& given, const std::string& section, const place& where) {
  const auto first = std::find(given.begin(), given.end(), false);
  if (first == given.end() || !result_.errors.empty()) return;
  const auto others = std::count(first + 1, given.end(), false);
  error(where, "found no `" + names_[static_cast<std::size_t>(first - given.begin())] + "`" +
                   (others > 0 ? " and " + std::to_string(others) + " others" : "") + " in " + section +
                   ", expected a line for each component");
}

void problem_maker::report_unknown_values() {
  std::vector<std::string> known = names_;
  for (const entry& one : file_.parameters) known.push_back(one.name);
  for (const auto& [name, value] : values_)
    if (std::find(known.begin(), known.end(), name) == known.end())
      result_.unknown.push_back("unknown name `" + name + "`" + remedy(name, known, "a parameter or an initial value"));
}

}  // namespace ensue
