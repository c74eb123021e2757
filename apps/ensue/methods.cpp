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
            {"dense", cost.dense}}},
          {"dense_order", method.dense_order},
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

void print_methods() {
  using line = std::array<std::string, 10>;
  std::vector<line> lines = {
      {"", "", "", "", "evaluations", "", "", "dense", "stable to", ""},
      {"method", "order", "embedded", "stages", "a step", "rejected", "FSAL", "order", "real, imag", "from"}};
  for (const method_info* method : all_methods())
    lines.push_back({std::string(method->name), std::to_string(method->order), joined(method->embedded_orders),
                     std::to_string(method->stages), std::to_string(method->evaluations.accepted),
                     method->adaptive ? std::to_string(method->evaluations.rejected) : "-", method->fsal ? "yes" : "-",
                     std::to_string(method->dense_order),
                     is_for_groups(method->needs)
                         ? "-"
                         : fmt::format("{:5.2f} {:5.2f}", method->real_stability, method->imaginary_stability),
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
      "Stable: x' = -k x for h k up to the first number, x'' = -w^2 x for h w up to the second.\n");
}

}  // namespace

void add_methods_command(CLI::App& app) {
  struct arguments {
    bool json = false;
    std::string tableau;
  };
  const auto given = std::make_shared<arguments>();
  CLI::App* command = app.add_subcommand("methods", "Every method: orders, evaluations a step, stability, citation");
  command->add_flag("--json", given->json, "As JSON, for programs");
  const CLI::Option* tableau =
      command
          ->add_option("--tableau", given->tableau,
                       "Instead, the orders of a Butcher table in a TOML file: c, a, b, embedded")
          ->type_name("FILE");
  command->callback([given, tableau] {
    if (tableau->count() > 0) report_tableau(given->tableau, given->json);
    else if (given->json) print_methods_as_json();
    else print_methods();
  });
}

}  // namespace ensue::command
