// Problem files that name a built-in model (scene.hpp): read, and made with the numbers of their parameters.
#include "problems/problem_maker.hpp"
#include "problems/problem_reader.hpp"
#include "problems/problem_words.hpp"
#include "scenes/scene.hpp"

#include <algorithm>
#include <cmath>

namespace ensue {

void problem_reader::read_scene(problem_file& out) {
  const toml_value& root = document_.root();
  const toml_value& named = *root.find("model");
  const names models = scene_models();
  if (named.what != toml_value::form::text || std::find(models.begin(), models.end(), named.text) == models.end())
    return error(named.value_at, "unknown model " + (named.what == toml_value::form::text ? "`" + named.text + "`" : named.text) +
                                     remedy(named.text, models, "one of " + listed(models)));
  const names known = {"title", "model", "from", "to", "parameters", "solver", "output", named.text};
  for (const toml_value& value : root.members)
    if (std::find(known.begin(), known.end(), value.key) == known.end())
      error(value.key_at, "unknown key `" + value.key + "` beside a built-in model" + remedy(value.key, known, "one of " + listed(known)));
  for (const auto* time : {&out.from, &out.to})
    if (*time) check_names({**time}, parameters_only);
  check_names(out.parameters, earlier_parameters);
  out.second_order = named.text != "bodies";
  const toml_value* const found = root.find(named.text);
  out.scene = scene_entries{named.text, found ? found->key_at : named.key_at};
  if (found && found->what != toml_value::form::table) error(found->value_at, "found " + found->text + ", expected a section " + in_brackets(named.text));
  if (found && found->what == toml_value::form::table) {
    check_keys(*found, in_brackets(named.text), keys_of_scene(named.text));
    for (const toml_value& value : found->members) out.scene->values.push_back(scene_line(value));
  }
  read_solver(out, {});
  read_output(out);
}

// A number, a list of them, a list of lists; or a word.
scene_entry problem_reader::scene_line(const toml_value& value) {
  scene_entry line{value.key, value.value_at};
  if (value.what == toml_value::form::text && is_word_of_scene(value.key)) {
    line.text = value.text;
    return line;
  }
  if (value.what != toml_value::form::array) {
    line.rows = {{scalar(value)}};
  } else if (std::any_of(value.members.begin(), value.members.end(), [](const toml_value& each) { return each.what == toml_value::form::array; })) {
    for (const toml_value& row : value.members) {
      line.rows.emplace_back();
      if (row.what != toml_value::form::array) error(row.value_at, "found " + row.text + ", expected a list, as the others are");
      for (const toml_value& each : row.members) line.rows.back().push_back(scalar(each));
    }
  } else if (!value.members.empty()) {
    line.rows.emplace_back();
    for (const toml_value& each : value.members) line.rows.back().push_back(scalar(each));
  }
  for (const auto& row : line.rows) check_names(row, parameters_only);
  return line;
}

void problem_maker::make_scene() {
  const scene_entries& given = *file_.scene;
  scene_table table;
  for (const scene_entry& line : given.values) {
    scene_value& value = table[line.key];
    value.where = line.where;
    value.text = line.text;
    for (const auto& row : line.rows) {
      value.rows.emplace_back();
      for (const entry& each : row) value.rows.back().push_back(number(each).value_or(0));
    }
  }
  const double from = file_.from ? number(*file_.from).value_or(0) : 0;
  std::optional<double> to;
  if (file_.to) to = number(*file_.to);
  report_unknown_values();
  if (!result_.errors.empty()) return;
  try {
    const auto made = std::make_shared<const scene>(ensue::make_scene(given.model, table, given.where, file_.folder));
    names_ = made->component_names();
    solver_settings solver_says = solver();
    output_settings output_says = output();
    const expression::program none = program({});
    file_problem problem{file_.title,
                         from,
                         to,
                         made->second_order,
                         names_,
                         made->start,
                         expression_system(made->model, none, made->start.size()),
                         expression::dependence::state,
                         expression_values(made->invariants, none, made->invariant_names),
                         values({}, {}),
                         {},
                         {},
                         std::move(solver_says),
                         std::move(output_says),
                         nullptr,
                         made};
    if (result_.errors.empty() && result_.unknown.empty()) result_.problem = std::move(problem);
  } catch (const scene_fault& fault) {
    error(fault.where, fault.what);
  }
}

}  // namespace ensue
