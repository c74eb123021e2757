#include "problems/problem_reader.hpp"

#include "problems/problem_words.hpp"

#include <algorithm>
#include <cmath>

namespace ensue {
namespace {

const std::vector<std::string> known_keys = {
    "title",    "from",     "to",           "parameters", "definitions", "state", "boundary", "derivative", "algebraic",
    "position", "velocity", "acceleration", "invariants", "exact",       "event", "solver",   "output"};
constexpr std::string_view of_second_order = "[position], [velocity] and [acceleration]";

}  // namespace

problem_file problem_reader::read() {
  const toml_value& root = document_.root();
  problem_file out;
  if (!check_sections()) return out;
  if (const toml_value* title = root.find("title")) {
    if (title->what == toml_value::form::text) out.title = title->text;
    else error(title->value_at, "found " + title->text + ", expected a title in quotes");
  }
  for (const char* name : {"from", "to"})
    if (const toml_value* time = root.find(name)) (*name == 'f' ? out.from : out.to) = scalar(*time);

  // Names first, because expressions may use those of later sections.
  out.second_order = second_order_;
  out.parameters = section("parameters", false);
  declare(out.parameters, meaning::parameter);
  if (root.find("model")) {
    read_scene(out);
    return out;
  }
  out.start = section(second_order_ ? "position" : "state", true, true);
  declare(out.start, meaning::component);
  items definitions = section("definitions", true);
  declare(definitions, meaning::definition);
  const std::string_view equations = second_order_ ? "acceleration" : "derivative";
  out.derivatives = section(equations, true, true);
  out.algebraic = section("algebraic", true);
  if (second_order_) {
    out.velocities = section("velocity", true, true);
    if (const toml_value* given = root.find("velocity"))
      check_components(*given, "[velocity]", out.velocities, out.start);
    for (entry& velocity : out.velocities) velocity.name += '\'';
    declare(out.velocities, meaning::velocity);
  }
  if (const toml_value* given = root.find(equations))
    check_components(*given, in_brackets(equations), out.derivatives, out.start, out.algebraic);
  if (const toml_value* given = root.find("algebraic"))
    check_components(*given, "[algebraic]", out.algebraic, out.start, out.start);
  out.invariants = section("invariants", false);
  out.exact = section("exact", true);
  check_exact(out.exact);
  const items boundary = section("boundary", true);
  check_boundary(boundary);

  for (const auto* time : {&out.from, &out.to})
    if (*time) check_names({**time}, parameters_only);
  check_names(out.parameters, earlier_parameters);
  check_names(out.start, parameters_only);
  check_names(out.velocities, parameters_only);
  check_names(definitions, everything);
  check_names(boundary, everything);
  definitions.insert(definitions.end(), boundary.begin(), boundary.end());
  out.definitions = in_order(definitions);
  check_names(out.derivatives, everything);
  check_names(out.algebraic, everything);
  check_names(out.invariants, everything);
  check_names(out.exact, known_beforehand);
  read_events(out);
  items components = out.start;
  components.insert(components.end(), out.velocities.begin(), out.velocities.end());
  read_solver(out, components);
  read_output(out);
  return out;
}

// False if nothing else is worth reading.
bool problem_reader::check_sections() {
  const toml_value& root = document_.root();
  if (root.find("model")) return true;  // has other ones
  for (const toml_value& value : root.members) {
    const bool is_section = value.what == toml_value::form::table || value.what == toml_value::form::array;
    const std::string name = is_section ? in_brackets(value.key) : "`" + value.key + "`";
    if (std::find(known_keys.begin(), known_keys.end(), value.key) == known_keys.end())
      error(value.key_at,
            enough() ? "" : "unknown key " + name + remedy(value.key, known_keys, "one of " + listed(known_keys)));
  }
  const toml_value* first = nullptr;
  for (const char* name : {"state", "derivative", "algebraic"})
    if (!first) first = root.find(name);
  second_order_ = root.find("position") || root.find("velocity") || root.find("acceleration");
  if (first && second_order_)
    error(first->key_at, "found " + in_brackets(first->key) + " in a problem of second order, expected only " +
                             std::string(of_second_order) + ", or only [state] and [derivative]");
  return true;
}

const toml_value* problem_reader::table(std::string_view name, bool required) {
  const toml_value* const found = document_.root().find(name);
  if (!found) {
    const bool all_algebraic = name == "derivative" && document_.root().find("algebraic");
    if (required && !all_algebraic)
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

problem_reader::items problem_reader::section(std::string_view name, bool with_indices, bool required) {
  const toml_value* const found = table(name, required);
  return found ? lines(*found, with_indices) : items{};
}

problem_reader::items problem_reader::lines(const toml_value& table, bool with_indices) {
  items all;
  for (const toml_value& member : table.members) {
    entry line = scalar(member);
    if (!with_indices || take_indices(line)) all.push_back(std::move(line));
  }
  return all;
}

// A section that needs a line for every component, unless that has one elsewhere. Which elements of a family have one is a
// question of numbers.
void problem_reader::check_components(const toml_value& table, const std::string& name, const items& given,
                                      const items& components, const items& elsewhere) {
  if (components.empty()) return;
  std::unordered_set<std::string_view> covered;
  for (const items* lines : {&given, &elsewhere})
    for (const entry& line : *lines) covered.insert(line.name);
  std::unordered_map<std::string_view, std::size_t> known;  // and how many indices they have
  names candidates;
  for (const entry& component : components) {
    known.emplace(component.name, component.indices.size());
    candidates.push_back(component.name);
    if (covered.insert(component.name).second && !refused_.contains(component.name))
      error(table.key_at,
            "found no `" + component.source->key + "` in " + name + ", expected a line for each component");
  }
  for (const entry& line : given) {
    const auto found = known.find(line.name);
    if (found == known.end()) {
      if (!refused_.contains(line.name))
        error(line.source->key_at, enough() ? ""
                                            : "unknown component `" + line.source->key + "` in " + name +
                                                  remedy(line.name, candidates, "one of the state's"));
    } else if (found->second != line.indices.size()) {
      error(line.source->key_at, "found `" + line.source->key + "` in " + name + ", expected `" + line.name +
                                     "` with " + counted_indices(found->second) + ", as in the state");
    }
  }
}

void problem_reader::check_exact(const items& exact) {
  for (const entry& one : exact) {
    const auto found = names_.find(one.name);
    const bool is_component =
        found != names_.end() && (found->second.what == meaning::component || found->second.what == meaning::velocity);
    if (!is_component || found->second.indices != one.indices.size())
      error(one.source->key_at, "unknown component `" + one.source->key + "` in [exact], expected one of the state");
  }
}

void problem_reader::check_boundary(const items& boundary) {
  for (const entry& one : boundary) {
    const auto found = names_.find(one.name);
    const bool is_family = found != names_.end() && found->second.indices > 0 &&
                           (found->second.what == meaning::component || found->second.what == meaning::velocity);
    if (!is_family || found->second.indices != one.indices.size())
      error(one.source->key_at, "found `" + one.source->key +
                                    "` in [boundary], expected an element beyond a family of the state, such as "
                                    "\"u[0]\" beside \"u[i=1..N]\"");
  }
}

// A number, or an expression. What is wrong counts as 0 from here on, so that it is said once.
entry problem_reader::scalar(const toml_value& value) {
  entry result{value.key, value.value_at, expression::number(0), {}, &value};
  if (value.what == toml_value::form::number) {
    if (std::isfinite(value.number)) result.value = expression::number(value.number);
    else
      error(value.value_at,
            std::string("found ").append(std::isnan(value.number) ? "nan" : "inf").append(", expected a finite number"));
  } else if (value.what == toml_value::form::text) {
    expression::parsed parsed = expression::parse(value.text);
    if (parsed.fault) error(document_.at(value, parsed.fault->offset), parsed.fault->what);
    else result.value = std::move(parsed.tree);
  } else {
    error(value.value_at, "found " + value.text + ", expected a number or an expression in quotes");
  }
  return result;
}

// Reads the indices in an entry's name, if there are any. False if they cannot be read.
bool problem_reader::take_indices(entry& of) {
  const std::size_t bracket = of.name.find('[');
  if (bracket == std::string::npos) return true;
  expression::subject subject = expression::parse_subject(of.name);
  if (subject.fault) {
    refused_.insert(of.name.substr(0, bracket));
    error(document_.at_key(*of.source, subject.fault->offset), subject.fault->what);
    return false;
  }
  of.name = std::move(subject.name);
  of.indices = std::move(subject.indices);
  return true;
}

}  // namespace ensue
