#include "table_file.hpp"

#include "endings.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ensue::command {
namespace {

bool is_json(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  if (end != ".csv" && end != ".json")
    throw wrong_input(fmt::format("--output {}: expected a name that ends with .csv or .json", path));
  return end == ".json";
}

}  // namespace

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

table_file::table_file(const std::string& path, const file_problem& problem)
    : json_(is_json(path)), file_("--output", path) {
  std::vector<std::string> names{"t"};
  names.insert(names.end(), problem.names.begin(), problem.names.end());
  names.insert(names.end(), problem.invariants.names().begin(), problem.invariants.names().end());
  if (json_) {
    const auto text = [](const nlohmann::json& value) {
      return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    file_.write(fmt::format("{{\"title\":{},\"names\":{},\n\"rows\":[", text(problem.title), text(names)));
  } else {
    for (std::string& name : names) name = csv_field(name);
    file_.write(fmt::format("{}\n", fmt::join(names, ",")));
  }
}

void table_file::write(const row& each) {
  const auto number = [&](double value) {
    if (json_ && !std::isfinite(value)) fmt::format_to(std::back_inserter(line_), "null");
    else fmt::format_to(std::back_inserter(line_), "{}", value);  // the shortest that reads back to the same double
  };
  line_.clear();
  if (json_) fmt::format_to(std::back_inserter(line_), "{}[", first_ ? "" : ",\n");
  first_ = false;
  number(each.t);
  for (const auto values : {each.state, each.invariants})
    for (const double value : values) {
      line_.push_back(',');
      number(value);
    }
  line_.push_back(json_ ? ']' : '\n');
  file_.write({line_.data(), line_.size()});
}

bool table_file::finish() {
  if (json_) file_.write("]}\n");
  return file_.finish();
}

}  // namespace ensue::command
