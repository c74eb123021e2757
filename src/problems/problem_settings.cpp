// The sections of problem files that are no equations: [solver], [output] and [[event]].
#include "problems/problem_reader.hpp"
#include "problems/problem_words.hpp"

#include <ensue/registry.hpp>

#include <algorithm>

namespace ensue {

void problem_reader::check_keys(const toml_value& table, const std::string& section, const names& known) {
  for (const toml_value& member : table.members)
    if (std::find(known.begin(), known.end(), member.key) == known.end())
      error(member.key_at, enough() ? ""
                                    : "unknown setting `" + member.key + "` in " + section +
                                          remedy(member.key, known, "one of " + listed(known)));
}

void problem_reader::read_solver(problem_file& out, const items& components) {
  const toml_value* const found = table("solver", false);
  if (!found) return;
  check_keys(*found, "[solver]", {"method", "step", "rtol", "atol", "min_step", "max_step", "max_evaluations", "compensated", "consistent"});
  for (const char* name : {"step", "rtol", "min_step", "max_step", "max_evaluations"})
    if (const toml_value* number = found->find(name)) out.settings.push_back(scalar(*number));
  check_names(out.settings, parameters_only);
  if (const toml_value* method = found->find("method")) {
    if (method->what != toml_value::form::text)
      error(method->value_at, "found " + method->text + ", expected a method's name in quotes");
    else if (!find_method(method->text)) error(method->value_at, no_such_method(method->text));
    else out.method = method->text;
  }
  if (const toml_value* compensated = found->find("compensated")) out.compensated = truth(*compensated);
  if (const toml_value* consistent = found->find("consistent")) out.consistent = truth(*consistent);
  if (const toml_value* atol = found->find("atol")) out.atol = tolerances(*atol, components);
  if (found->find("step") && (found->find("rtol") || found->find("atol")))
    error(found->find("step")->key_at,
          "found `step` and a tolerance, expected one of them: `step` fixes the steps, rtol and atol let the error "
          "choose");
  for (const char* bound : {"min_step", "max_step"})
    if (found->find("step") && found->find(bound))
      error(found->find(bound)->key_at, "found `step` and `" + std::string(bound) + "`, expected one of them: `step` fixes the steps, " + bound + " bounds those that the error chooses");
}

// One for all, or a table with one for each component.
problem_reader::items problem_reader::tolerances(const toml_value& value, const items& components) {
  items all;
  if (value.what == toml_value::form::table) {
    all = lines(value, true);
    check_components(value, "the table of atol", all, components);
  } else {
    all.push_back(scalar(value));
    all[0].name.clear();
  }
  check_names(all, parameters_only);
  return all;
}

void problem_reader::read_output(problem_file& out) {
  const toml_value* const found = table("output", false);
  if (!found) return;
  check_keys(*found, "[output]", {"points", "every", "plot"});
  for (const char* name : {"points", "every"})
    if (const toml_value* number = found->find(name)) out.output.push_back(scalar(*number));
  check_names(out.output, parameters_only);
  if (out.output.size() == 2) error(found->find("every")->key_at, "found `points` and `every`, expected one of them");
  const toml_value* const plot = found->find("plot");
  if (!plot) return;
  const bool is_list = plot->what == toml_value::form::array;
  if (!is_list) out.plot.push_back(plot);
  else
    for (const toml_value& name : plot->members) out.plot.push_back(&name);
  for (const toml_value* name : out.plot)
    if (name->what != toml_value::form::text)
      error(name->value_at, "found " + name->text + ", expected a name in quotes, or a list of these: [\"x\", \"y\"]");
}

void problem_reader::read_events(problem_file& out) {
  const toml_value* const found = document_.root().find("event");
  if (!found) return;
  const bool is_list = found->what == toml_value::form::array;
  if (!is_list) error(found->key_at, "found " + found->text + " `event`, expected [[event]], in double brackets");
  for (std::size_t i = 0; is_list && i < found->members.size(); ++i) {
    const toml_value& one = found->members[i];
    if (one.what == toml_value::form::table) out.events.push_back(event(one, i + 1));
    else error(one.value_at, "found " + one.text + ", expected [[event]] with `when`");
  }
}

bool problem_reader::truth(const toml_value& value) {
  if (value.what != toml_value::form::truth) error(value.value_at, "found " + value.text + ", expected true or false");
  return value.what == toml_value::form::truth && value.number != 0;
}

event_entry problem_reader::event(const toml_value& table, std::size_t number) {
  event_entry result;
  check_keys(table, "[[event]]", {"name", "when", "direction", "set", "stop"});
  result.name = "event " + std::to_string(number);
  if (const toml_value* name = table.find("name")) {
    if (name->what == toml_value::form::text) result.name = name->text;
    else error(name->value_at, "found " + name->text + ", expected a name in quotes");
  }
  if (const toml_value* when = table.find("when")) {
    result.when = scalar(*when);
    check_names({result.when}, everything);
  } else {
    error(table.value_at, "found no `when` in [[event]], expected an expression that crosses zero where it happens");
  }
  if (const toml_value* direction = table.find("direction")) {
    if (direction->text == "rising") result.direction = crossing::rising;
    else if (direction->text == "falling") result.direction = crossing::falling;
    else if (direction->text != "both")
      error(direction->value_at,
            "found " + (direction->what == toml_value::form::text ? "`" + direction->text + "`" : direction->text) +
                ", expected \"rising\", \"falling\" or \"both\"");
  }
  if (const toml_value* stop = table.find("stop")) result.stops = truth(*stop);
  if (const toml_value* set = table.find("set")) result.sets = changes(*set);
  return result;
}

// { "y'" = "-0.8*y'" }: what an event sets.
problem_reader::items problem_reader::changes(const toml_value& value) {
  if (value.what != toml_value::form::table) {
    error(value.value_at, "found " + value.text + ", expected a table of new values: { \"x\" = \"-x\" }");
    return {};
  }
  items all = lines(value, true);
  for (const entry& one : all)
    if (const std::string why = why_not(one.name, everything, 0); !why.empty()) {
      error(one.source->key_at, why);
    } else if (const auto found = names_.find(one.name);
               found == names_.end() ||
               (found->second.what != meaning::component && found->second.what != meaning::velocity) ||
               found->second.indices != one.indices.size()) {
      error(one.source->key_at, "found `" + one.source->key + "`, expected a component of the state");
    }
  check_names(all, everything);
  return all;
}

}  // namespace ensue
