#include "problem_file.hpp"

#include "problem_reader.hpp"
#include "problem_toml.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unordered_map>

namespace ensue {

using expression::dependence;
using expression::graph;

std::string problem_error::text(std::string_view file) const {
  return std::string(file) + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " + what;
}

// ---- reading ----

namespace {

// The whole of a file that is no longer than it may be; otherwise an error.
std::string contents(const std::string& path, std::vector<problem_error>& errors) {
  const auto refuse = [&](const std::string& what) {
    errors.push_back({{},
                      what + ", expected a problem file (TOML) of at most " +
                          std::to_string(most_bytes_of_problem_file) + " bytes"});
    return std::string();
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return refuse("found a folder");
  if (std::filesystem::is_regular_file(path, ignored) &&
      std::filesystem::file_size(path, ignored) > most_bytes_of_problem_file)
    return refuse("the file is too large");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return refuse(std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, n);
    if (text.size() > most_bytes_of_problem_file) return refuse("the file is too large");  // a pipe has no size
  }
  if (std::ferror(file.get())) return refuse(std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

}  // namespace

problem_reading read_problem(std::string_view text) {
  problem_reading result;
  const toml_document document(text, result.errors);
  if (!result.errors.empty()) return result;
  problem_reader reader(document, result.errors);
  problem_file file = reader.read();
  if (result.errors.empty()) result.file = std::move(file);
  // In the order of the file, whatever order they were found in. (std::stable_sort is not for clang with libstdc++ 12, which
  // warns inside it.)
  for (auto next = result.errors.begin(); next != result.errors.end(); ++next) {
    const auto before = [](const problem_error& a, const problem_error& b) { return a.where < b.where; };
    std::rotate(std::upper_bound(result.errors.begin(), next, *next, before), next, next + 1);
  }
  if (reader.left_out() > 0)
    result.errors.push_back(
        {result.errors.back().where, "and " + std::to_string(reader.left_out()) + " more errors, expected none"});
  return result;
}

problem_reading read_problem_file(const std::string& path) {
  problem_reading result;
  const std::string text = contents(path, result.errors);
  return result.errors.empty() ? read_problem(text) : result;
}

// ---- evaluating ----

expression_system::expression_system(expression::program derivatives, bool second_order)
    : evaluator_(std::move(derivatives)),
      size_(evaluator_.size() * (second_order ? 2 : 1)),
      second_order_(second_order) {}

void expression_system::operator()(double t, std::span<const double> x, std::span<double> dx) {
  const std::size_t size = size_, equations = evaluator_.size();
  double* const inputs = evaluator_.inputs();
  inputs[0] = t;
  for (std::size_t i = 0; i < size; ++i) inputs[1 + i] = x[i];
  evaluator_.run();
  double* const computed = dx.data() + (size - equations);
  for (std::size_t i = 0; i < equations; ++i) computed[i] = evaluator_[i];
  if (second_order_) std::copy_n(x.data() + equations, equations, dx.data());
}

expression_values::expression_values(expression::program values, std::vector<std::string> names)
    : evaluator_(std::move(values)), names_(std::move(names)) {}

void expression_values::evaluate(double t, std::span<const double> x) {
  double* const inputs = evaluator_.inputs();
  inputs[0] = t;
  std::copy(x.begin(), x.end(), inputs + 1);
  evaluator_.run();
}

// ---- making a problem ----

namespace {

std::string shown(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// Turns a file's trees into one graph. Slot 0 is time, then comes the state.
class maker {
 public:
  maker(const problem_file& file, const std::map<std::string, double>& values, std::vector<problem_error>& errors)
      : file_(file), values_(values), errors_(errors) {}

  file_problem make() {
    for (const entry& parameter : file_.parameters) meanings_[parameter.name] = graph_.constant(given_or(parameter));
    const double from = file_.from ? number(*file_.from) : 0;
    std::optional<double> to;
    if (file_.to) to = number(*file_.to);
    std::vector<double> start;
    std::vector<std::string> names;
    for (const entry& component : file_.start) {
      start.push_back(given_or(component));
      names.push_back(component.name);
    }
    solver_settings solver = settings();

    meanings_["t"] = graph_.input(0, dependence::time);
    for (std::size_t i = 0; i < names.size(); ++i)
      meanings_[names[i]] = graph_.input(static_cast<std::uint32_t>(1 + i),
                                         names[i].back() == '\'' ? dependence::velocity : dependence::state);
    for (const entry& definition : file_.definitions) meanings_[definition.name] = inserted(definition);

    dependence uses = dependence::nothing;
    for (const entry& derivative : file_.derivatives) uses = uses | graph_[inserted(derivative)].uses;
    std::vector<std::size_t> exact_components;
    for (const entry& one : file_.exact) exact_components.push_back(graph_[meanings_.at(one.name)].a - 1);
    return {file_.title,
            from,
            to,
            file_.second_order,
            names,
            std::move(start),
            expression_system(program(file_.derivatives), file_.second_order),
            uses,
            expression_values(program(file_.invariants), names_of(file_.invariants)),
            expression_values(program(file_.exact), names_of(file_.exact)),
            std::move(exact_components),
            {},
            expression_values(program({}), {}),
            expression_values(program({}), {}),
            std::move(solver),
            {},
            source()};
  }

 private:
  graph::id inserted(const entry& what) {
    std::vector<graph::id> ids;
    for (const auto& name : what.value.names) ids.push_back(meanings_.at(name.text));
    return graph_.insert(what.value, ids);
  }

  // A value that is a number once the parameters are.
  double number(const entry& what) {
    const double value = graph_[inserted(what)].value;
    if (!std::isfinite(value))
      errors_.push_back({what.where, "`" + what.name + "` is " + shown(value) + ", expected a finite number"});
    return value;
  }

  double given_or(const entry& what) {
    const auto given = values_.find(what.name);
    return given != values_.end() ? given->second : number(what);
  }

  expression::program program(const std::vector<entry>& entries) {
    std::vector<graph::id> outputs;
    for (const entry& one : entries) outputs.push_back(inserted(one));
    return {graph_, outputs, static_cast<std::uint32_t>(1 + file_.start.size())};
  }

  // The last thing to be made: the graph moves into it.
  std::shared_ptr<const expression_source> source() {
    std::vector<graph::id> equations;
    for (const entry& one : file_.derivatives) equations.push_back(inserted(one));
    const auto size = static_cast<std::uint32_t>(file_.start.size());
    return std::make_shared<const expression_source>(
        expression_source{std::move(graph_), std::move(equations), size, file_.second_order});
  }

  static std::vector<std::string> names_of(const std::vector<entry>& entries) {
    std::vector<std::string> names;
    for (const entry& one : entries) names.push_back(one.name);
    return names;
  }

  solver_settings settings() {
    solver_settings out;
    out.method = file_.method;
    for (const entry& setting : file_.settings) {
      const double value = number(setting);
      const bool may_be_zero = setting.name == "rtol" || setting.name == "min_step";
      if (!(value > 0 || (may_be_zero && value == 0)))
        errors_.push_back({setting.where, "`" + setting.name + "` is " + shown(value) + ", expected a number above 0"});
      if (setting.name == "step") out.step = value;
      if (setting.name == "rtol") out.rtol = value;
      if (setting.name == "min_step") out.min_step = value;
      if (setting.name == "max_step") out.max_step = value;
      if (setting.name == "max_evaluations") {
        if (value != std::floor(value) || value > 9e18)
          errors_.push_back({setting.where, "`max_evaluations` is " + shown(value) + ", expected a whole number"});
        else out.max_evaluations = static_cast<std::int64_t>(value);
      }
    }
    for (const entry& one : file_.atol) {
      out.atol.push_back(number(one));
      if (!(out.atol.back() >= 0))
        errors_.push_back(
            {one.where, "`atol` is " + shown(out.atol.back()) + ", expected a number that is not negative"});
    }
    return out;
  }

  const problem_file& file_;
  const std::map<std::string, double>& values_;
  std::vector<problem_error>& errors_;
  graph graph_;
  std::unordered_map<std::string, graph::id> meanings_;
};

}  // namespace

problem_file::made problem_file::make(const std::map<std::string, double>& values) const {
  made result;
  std::vector<std::string> names;
  for (const auto* entries : {&parameters, &start})
    for (const entry& one : *entries) names.push_back(one.name);
  for (const auto& [name, value] : values)
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string hint = expression::did_you_mean(name, names);
      result.unknown.push_back("unknown name `" + name + "`" +
                               (hint.empty() ? ", expected a parameter or an initial value" : hint));
    }
  file_problem problem = maker(*this, values, result.errors).make();
  if (result.errors.empty() && result.unknown.empty()) result.problem = std::move(problem);
  return result;
}

}  // namespace ensue
