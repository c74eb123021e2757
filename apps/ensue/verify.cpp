// ensue verify: our numbers beside published ones, row by row.
#include "commands.hpp"
#include "verified.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace ensue::command {
namespace {

std::vector<verified_row> all_rows() {
  std::vector<verified_row> rows;
  add_end_states(rows);
  add_mechanics(rows);
  add_textbooks(rows);
  return rows;
}

void print(const std::vector<verified_row>& rows) {
  std::size_t width = 0;
  for (const verified_row& r : rows) width = std::max(width, r.what.size());
  fmt::print("{:<{}}  {:>22}  {:>22}  {:>10}  {:>6}\n", "", width, "theirs", "ours", "difference", "within");
  for (const verified_row& r : rows)
    fmt::print("{:<{}}  {:>22.15g}  {:>22.15g}  {:>10.1e}  {:>6.0e}{}\n", r.what, width, r.theirs, r.ours, r.difference,
               r.within, r.holds() ? "" : "  off");
  const auto off = std::count_if(rows.begin(), rows.end(), [](const verified_row& r) { return !r.holds(); });
  fmt::print(
      "\n{} of {} hold. Numbers shown are of the first component; the difference is the largest of all, relative to "
      "|theirs| + a "
      "size below which numbers are as good as zero: 1, or what --json says.\n",
      rows.size() - static_cast<std::size_t>(off), rows.size());
}

void print_as_json(const std::vector<verified_row>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const verified_row& r : rows)
    list.push_back({{"what", r.what},
                    {"theirs", r.theirs},
                    {"ours", r.ours},
                    {"difference", r.difference},
                    {"within", r.within},
                    {"size", r.size},
                    {"holds", r.holds()},
                    {"source", r.source}});
  fmt::print("{}\n", list.dump());
}

}  // namespace

void add_verify_command(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand("verify", "Puts our numbers beside published ones, row by row");
  command->footer(
      "For example, it needs no file:\n"
      "  ensue verify --json\n"
      "Exit status: 0 all hold, 1 one does not.");
  command->add_flag("--json", *json, "Prints JSON, for programs");
  command->callback([json] {
    const std::vector<verified_row> rows = all_rows();
    *json ? print_as_json(rows) : print(rows);
    if (!std::all_of(rows.begin(), rows.end(), [](const verified_row& r) { return r.holds(); })) throw ended_early{};
  });
}

}  // namespace ensue::command
