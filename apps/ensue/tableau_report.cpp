#include "endings.hpp"
#include "tableau.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ensue::command {
namespace {

using json = nlohmann::ordered_json;

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(); }

json as_json(const row_report& row) {
  return {{"order", row.order},
          {"residual", static_cast<double>(row.residual)},
          {"violated", row.violated.empty() ? json() : json(row.violated)},
          {"violated_residual", static_cast<double>(row.violated_residual)}};
}

void print_tableau_as_json(const typed_tableau& typed, const order_report& report) {
  json embedded = json::array();
  for (const row_report& row : report.embedded) embedded.push_back(as_json(row));
  const json result = {{"name", typed.name},
                       {"stages", typed.table.stages()},
                       {"explicit", report.is_explicit},
                       {"fsal", report.fsal},
                       {"main", as_json(report.main)},
                       {"embedded", embedded},
                       {"row_sum_residual", static_cast<double>(report.row_sum_residual)},
                       {"stability",
                        {{"real", number_or_null(real_stability_interval(typed.table))},
                         {"imaginary", number_or_null(imaginary_stability_interval(typed.table))}}},
                       {"warnings", report.warnings}};
  fmt::print("{}\n", result.dump());
}

void print_row(const std::string& what, const row_report& row) {
  fmt::print("{:<15}order {}", what, row.order);
  if (row.order > 0) fmt::print(", its conditions hold to {:.1e}", static_cast<double>(row.residual));
  if (row.violated.empty()) fmt::print("; no higher order is looked for");
  else
    fmt::print("; of order {}, {} is off by {:.3e}", row.order + 1, row.violated,
               static_cast<double>(row.violated_residual));
  fmt::print("\n");
}

void print_tableau(const typed_tableau& typed, const order_report& report) {
  const int stages = typed.table.stages();
  fmt::print("{}: {} stage{}, {}{}\n", typed.name, stages, stages == 1 ? "" : "s",
             report.is_explicit ? "explicit" : "implicit", report.fsal ? ", FSAL" : "");
  print_row("b", report.main);
  for (std::size_t i = 0; i < report.embedded.size(); ++i)
    print_row(fmt::format("embedded row {}", i + 1), report.embedded[i]);
  fmt::print("{:<15}right to {:.1e}\n", "row sums of a", static_cast<double>(report.row_sum_residual));
  if (report.is_explicit)
    fmt::print("{:<15}real axis {:.6g}, imaginary axis {:.6g}\n", "stable to", real_stability_interval(typed.table),
               imaginary_stability_interval(typed.table));
  for (const std::string& warning : report.warnings) fmt::print("warning: {}\n", warning);
}

}  // namespace

void report_tableau(const std::string& file, bool as_json) {
  const typed_tableau typed = read_tableau(file);
  const order_report report = check_orders(typed.table);
  if (!report.error.empty()) throw wrong_input(fmt::format("{}:1:1: {}", file, report.error));
  (as_json ? print_tableau_as_json : print_tableau)(typed, report);
}

}  // namespace ensue::command
