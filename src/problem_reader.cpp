#include "problem_reader.hpp"

#include <ensue/registry.hpp>

#include <cmath>

namespace ensue {
namespace {

using names = std::vector<std::string>;

const names known_keys = {"title",    "from",     "to",           "parameters", "definitions", "state", "derivative",
                          "position", "velocity", "acceleration", "invariants", "exact",       "solver"};
const names later_keys = {"boundary", "event", "algebraic", "output", "model"};
const names known_settings = {"method", "step", "rtol", "atol", "min_step", "max_step", "max_evaluations"};
constexpr std::string_view of_second_order = "[position], [velocity] and [acceleration]";

bool contains(const names& all, std::string_view one) {
  for (const std::string& each : all)
    if (each == one) return true;
  return false;
}

std::string listed(const names& all) {
  std::string text;
  for (const std::string& name : all) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// ", did you mean `x`?" or ", expected …".
std::string remedy(std::string_view name, const names& candidates, const std::string& expected) {
  const std::string hint = expression::did_you_mean(name, candidates);
  return hint.empty() ? ", expected " + expected : hint;
}

std::string in_brackets(std::string_view name) { return "[" + std::string(name) + "]"; }

}  // namespace

problem_file problem_reader::read() {
  const toml_value& root = document_.root();
  problem_file out;
  check_sections();
  if (const toml_value* title = root.find("title")) {
    if (title->what == toml_value::form::text) out.title = title->text;
    else error(title->value_at, "found " + title->text + ", expected a title in quotes");
  }
  items times;
  for (const char* name : {"from", "to"})
    if (const toml_value* time = root.find(name)) times.push_back(scalar(*time));

  // Names first, because expressions may use those of later sections.
  const items parameters = section("parameters");
  declare(parameters, meaning::parameter);
  items start = section(second_order_ ? "position" : "state", true);
  declare(start, meaning::component);
  const items definitions = section("definitions");
  declare(definitions, meaning::definition);
  const items derivatives = section_for_each(second_order_ ? "acceleration" : "derivative", start);
  if (second_order_) {
    items velocities = section_for_each("velocity", start);
    for (item& velocity : velocities) velocity.what.name += '\'';
    declare(velocities, meaning::velocity);
    start.insert(start.end(), velocities.begin(), velocities.end());
  }
  const items invariants = section("invariants");
  const items exact = exact_section();

  check_names(times, parameters_only);
  check_names(parameters, earlier_parameters);
  check_names(start, parameters_only);
  check_names(definitions, everything);
  const items ordered = in_order(definitions);
  check_names(derivatives, everything);
  check_names(invariants, everything);
  check_names(exact, known_beforehand);
  read_solver(out, start);

  const auto entries = [](const items& from) {
    std::vector<entry> all;
    for (const item& one : from) all.push_back(one.what);
    return all;
  };
  out.second_order = second_order_;
  for (const item& time : times) (time.what.name == "from" ? out.from : out.to) = time.what;
  out.parameters = entries(parameters);
  out.definitions = entries(ordered);
  out.start = entries(start);
  out.derivatives = entries(derivatives);
  out.invariants = entries(invariants);
  out.exact = entries(exact);
  return out;
}

void problem_reader::check_sections() {
  const toml_value& root = document_.root();
  const bool is_model = root.find("model") != nullptr;
  for (const toml_value& value : root.members) {
    const bool is_section = value.what == toml_value::form::table || value.text == "an array";
    const std::string name = is_section ? in_brackets(value.key) : "`" + value.key + "`";
    if (contains(later_keys, value.key))
      error(value.key_at, name + " is not yet supported by this version, expected a problem without it");
    else if (!contains(known_keys, value.key) && !is_model)  // a model has a table of its own
      error(value.key_at,
            enough() ? "" : "unknown key " + name + remedy(value.key, known_keys, "one of " + listed(known_keys)));
  }
  const toml_value* first = root.find("state");
  if (!first) first = root.find("derivative");
  second_order_ = root.find("position") || root.find("velocity") || root.find("acceleration");
  if (first && second_order_)
    error(first->key_at, "found " + in_brackets(first->key) + " in a problem of second order, expected only " +
                             std::string(of_second_order) + ", or only [state] and [derivative]");
}

const toml_value* problem_reader::table(std::string_view name, bool required) {
  const toml_value* const found = document_.root().find(name);
  if (!found) {
    if (required)
      error({}, "found no section " + in_brackets(name) + ", expected " +
                    (second_order_ ? "" : "[state] and [derivative], or ") + std::string(of_second_order));
    return nullptr;
  }
  if (found->what != toml_value::form::table) {
    error(found->value_at,
          "found " + found->text + ", expected a section " + in_brackets(name) + " with a line for each name");
    return nullptr;
  }
  if (required && found->members.empty())
    error(found->key_at, "found " + in_brackets(name) + " without a line, expected at least one");
  return found;
}

problem_reader::items problem_reader::section(std::string_view name, bool required) {
  items all;
  if (const toml_value* found = table(name, required))
    for (const toml_value& member : found->members) all.push_back(scalar(member));
  return all;
}

// A section that needs a line for every component; in the components' order.
problem_reader::items problem_reader::section_for_each(std::string_view name, const items& components) {
  const toml_value* const found = table(name, true);
  return found && !components.empty() ? for_each(*found, in_brackets(name), components) : items{};
}

problem_reader::items problem_reader::for_each(const toml_value& table, const std::string& name,
                                               const items& components) {
  std::unordered_map<std::string_view, const toml_value*> members;
  for (const toml_value& member : table.members) members.emplace(member.key, &member);
  items all;
  names known;
  for (const item& component : components) {
    known.push_back(component.what.name);
    if (const auto found = members.extract(component.what.name)) all.push_back(scalar(*found.mapped()));
    else if (!refused_.contains(component.what.name))
      error(table.key_at, "found no `" + component.what.name + "` in " + name + ", expected a line for each component");
  }
  for (const toml_value& member : table.members)
    if (members.contains(member.key))
      error(member.key_at, enough() ? ""
                                    : "unknown component `" + member.key + "` in " + name +
                                          remedy(member.key, known, "one of the state's"));
  return all;
}

problem_reader::items problem_reader::exact_section() {
  items all;
  for (const item& one : section("exact")) {
    const auto found = names_.find(one.what.name);
    if (found != names_.end() && (found->second.what == meaning::component || found->second.what == meaning::velocity))
      all.push_back(one);
    else error(one.source->key_at, "unknown component `" + one.what.name + "` in [exact], expected one of the state");
  }
  return all;
}

// A number, or an expression. What is wrong counts as 0 from here on, so that it is said once.
problem_reader::item problem_reader::scalar(const toml_value& value) {
  item result{{value.key, value.value_at, expression::number(0)}, &value};
  if (value.what == toml_value::form::number) {
    if (std::isfinite(value.number)) result.what.value = expression::number(value.number);
    else
      error(value.value_at,
            std::string("found ") + (std::isnan(value.number) ? "nan" : "inf") + ", expected a finite number");
  } else if (value.what == toml_value::form::text) {
    expression::parsed parsed = expression::parse(value.text);
    if (parsed.fault) error(document_.at(value, parsed.fault->offset), parsed.fault->what);
    else result.what.value = std::move(parsed.tree);
  } else {
    error(value.value_at, "found " + value.text + ", expected a number or an expression in quotes");
  }
  return result;
}

void problem_reader::read_solver(problem_file& out, const items& start) {
  const toml_value* const found = table("solver", false);
  if (!found) return;
  items numbers;
  for (const toml_value& member : found->members) {
    if (!contains(known_settings, member.key)) {
      error(member.key_at, "unknown setting `" + member.key + "` in [solver]" +
                               remedy(member.key, known_settings, "one of " + listed(known_settings)));
    } else if (member.key == "method") {
      if (member.what != toml_value::form::text)
        error(member.value_at, "found " + member.text + ", expected a method's name in quotes");
      else if (!find_method(member.text)) error(member.value_at, no_such_method(member.text));
      else out.method = member.text;
    } else if (member.key == "atol") {
      out.atol = tolerances(member, start);
    } else {
      numbers.push_back(scalar(member));
    }
  }
  if (found->find("step") && (found->find("rtol") || found->find("atol")))
    error(found->find("step")->key_at,
          "found `step` and a tolerance, expected one of them: `step` fixes the steps, rtol and atol let the error "
          "choose");
  check_names(numbers, parameters_only);
  for (const item& number : numbers) out.settings.push_back(number.what);
}

// One for all, or a table with one for each component.
std::vector<entry> problem_reader::tolerances(const toml_value& value, const items& start) {
  const items all =
      value.what == toml_value::form::table ? for_each(value, "the table of atol", start) : items{scalar(value)};
  check_names(all, parameters_only);
  std::vector<entry> entries;
  for (const item& one : all) entries.push_back(one.what);
  return entries;
}

}  // namespace ensue
