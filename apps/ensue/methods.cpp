// ensue methods: what every method is and costs.
#include "commands.hpp"
#include "tableau.hpp"

#include <ensue/registry.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ensue::command {
namespace {

using json = nlohmann::ordered_json;

const char* what_it_takes(const method_info& method) {
  switch (method.needs) {
    case system_needed::any: break;
    case system_needed::acceleration: return "second order";
    case system_needed::position_force: return "position force";
    case system_needed::tangent: return "rotations";
    case system_needed::inertia: return "rigid bodies";
  }
  return "any system";
}

json as_json(const method_info& method) {
  const evaluation_formula& cost = method.evaluations;
  return {{"name", method.name},
          {"order", method.order},
          {"embedded_order", method.adaptive ? json(method.embedded_order()) : json()},
          {"stages", method.stages},
          {"evaluations_per_step", cost.accepted},
          {"fsal", method.fsal},
          {"adaptive", method.adaptive},
          {"embedded_orders", std::vector<int>(method.embedded_orders.begin(), method.embedded_orders.end())},
          {"evaluations",
           {{"start", cost.start},
            {"accepted", cost.accepted},
            {"rejected", cost.rejected},
            {"restart", cost.restart},
            {"first_step_choice", cost.first_step_choice},
            {"dense", cost.dense},
            {"iterates", cost.iterates},
            {"differentiates", cost.differentiates}}},
          {"dense_order", method.dense_order},
          {"takes", what_it_takes(method)},
          {"symplectic", method.symplectic},
          {"symmetric", method.symmetric},
          {"leaves_the_step", method.leaves_the_step},
          {"l_stable", method.l_stable},
          {"stability", {{"real", method.real_stability}, {"imaginary", method.imaginary_stability}}},
          {"citation", method.citation}};
}

/// A list of one object a line: for programs, and still to be read.
void print_methods_as_json() {
  std::string text;
  for (const method_info* method : all_methods()) text += (text.empty() ? "[" : ",\n ") + as_json(*method).dump();
  fmt::print("{}]\n", text);
}

std::string joined(std::span<const int> orders) {
  std::string text;
  for (const int order : orders) text += (text.empty() ? "" : ", ") + std::to_string(order);
  return text.empty() ? "-" : text;
}

std::string what_it_keeps(const method_info& method) {
  return std::string(method.symplectic ? "area" : "") + (method.symplectic && method.symmetric ? ", " : "") +
         (method.symmetric ? "way back" : "") + (method.symplectic || method.symmetric ? "" : "-");
}

void print_methods() {
  using line = std::array<std::string, 12>;
  std::vector<line> lines = {
      {"", "", "", "", "evaluations", "", "", "dense", "stable to", "", "", ""},
      {"method", "order", "embedded", "stages", "a step", "rejected", "FSAL", "order", "real, imag", "takes", "keeps", "from"}};
  for (const method_info* method : all_methods())
    lines.push_back({std::string(method->name), std::to_string(method->order), joined(method->embedded_orders),
                     std::to_string(method->stages),
                     std::to_string(method->evaluations.accepted) + (method->evaluations.iterates ? "+" : "") +
                         (method->evaluations.differentiates ? "'" : ""),
                     method->adaptive ? std::to_string(method->evaluations.rejected) : "-", method->fsal ? "yes" : "-",
                     std::to_string(method->dense_order),
                     is_for_groups(method->needs)
                         ? "-"
                         : fmt::format("{:5.2f} {:5.2f}", method->real_stability, method->imaginary_stability),
                     what_it_takes(*method) + std::string(method->leaves_the_step ? " *" : "  "), what_it_keeps(*method),
                     std::string(method->citation)});
  line::size_type widths[std::tuple_size_v<line>] = {};
  for (const line& each : lines)
    for (std::size_t i = 0; i < each.size(); ++i) widths[i] = std::max(widths[i], each[i].size());
  for (const line& each : lines) {
    std::string text = fmt::format("{:<{}}", each[0], widths[0]);
    for (std::size_t i = 1; i + 1 < each.size(); ++i) text += fmt::format("  {:>{}}", each[i], widths[i]);
    text += "  " + each.back();
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
  fmt::print(
      "\nEvaluations of f: for an accepted step and for a rejected one; one more at the start of a run where a step "
      "ends with\n"
      "the f that the next one begins with, and one more where the first step is chosen automatically.\n"
      "With +: at least so many, and more for as long as the iteration that solves the step's equations gains digits.\n"
      "With ': and the Jacobian f' of every accepted step, from the problem file's expressions, or n + 1 evaluations of f;\n"
      "with +', only where the last one no longer serves.\n"
      "Stable: x' = -k x for h k up to the first number, x'' = -w^2 x for h w up to the second.\n"
      "Takes: any system x' = f(t, x), only x'' = a(t, x, x'), only forces that depend on positions (* asks for them at times before\n"
      "and after the step), only states that are rotations. Keeps: area in phase space (symplectic), the way back (a step back undoes a step).\n");
}

}  // namespace

void add_methods_command(CLI::App& app) {
  struct arguments {
    bool json = false;
    std::string tableau;
  };
  const auto given = std::make_shared<arguments>();
  CLI::App* command =
      app.add_subcommand("methods", "Lists every method: orders, evaluations a step, stability, citation");
  command->footer(
      "For example:\n"
      "  ensue methods                          the table, with what its columns mean below it\n"
      "  ensue methods --tableau heun.toml      with c = [0, 1], a = [[], [1]], b = [\"1/2\", \"1/2\"] in the file: "
      "order 2\n"
      "Exit status: 0 listed, 2 wrong input.");
  command->add_flag("--json", given->json, "Prints JSON, for programs");
  const CLI::Option* tableau =
      command
          ->add_option("--tableau", given->tableau,
                       "Finds instead the orders of a Butcher table of your own: c, a, b, embedded (TOML)")
          ->type_name("FILE");
  command->callback([given, tableau] {
    if (tableau->count() > 0) report_tableau(given->tableau, given->json);
    else if (given->json) print_methods_as_json();
    else print_methods();
  });
}

}  // namespace ensue::command
