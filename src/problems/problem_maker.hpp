/// Turns a problem file and numbers for its parameters into a problem: families become elements, trees one graph, the graph
/// programs.
#pragma once

#include "problems/problem_file.hpp"
#include "problems/problem_scope.hpp"

#include <functional>
#include <string_view>
#include <unordered_set>

namespace ensue {

class problem_maker {
 public:
  problem_maker(const problem_file& file, const std::map<std::string, double>& values, problem_file::made& result);

  /// The problem, if no error was added to the result.
  void make();

 private:
  using id = expression::graph::id;
  using index_values = problem_scope::index_values;
  /// An element of an entry: which, and with what its expression is to be computed.
  struct element {
    const entry& of;
    const element_index& at;
    const bound_expression& value;
    index_values& indices;
  };
  using visitor = std::function<void(const element&)>;

  // problem_components.cpp: the state
  void parameters();
  void declare(const std::vector<entry>& entries, bool inserted);
  void families();
  void components();
  void velocities();
  std::size_t component(const std::string& name, const element_index& at) const;
  void for_each_component(const std::vector<entry>& entries, const std::string& section,
                          const std::function<void(std::size_t, const element&)>& visit, std::vector<bool>& given);
  void report_missing(const std::vector<bool>& given, const std::string& section, const place& where);
  void report_unknown_values();

  // problem_maker.cpp: what is computed from it
  void definitions();
  std::vector<id> derivatives();
  void events(file_problem& out);
  solver_settings solver();
  output_settings output();
  void add_plotted(const toml_value& name, const std::unordered_set<std::string_view>& components, std::vector<std::string>& plot);

  // problem_scenes.cpp: a built-in model in the place of equations
  void make_scene();

  // entries and their elements
  index_box box_of(const entry& what);
  void for_each_element(const entry& what, const visitor& visit);
  double number(const element& what);
  std::optional<double> number(const entry& what);  ///< nothing if it is wrong
  double given_or(const std::string& name, const element& what);
  id inserted(const element& what) { return scope_.insert(what.value, what.indices); }
  std::vector<id> inserted(const std::vector<entry>& entries);
  expression_values values(const std::vector<id>& nodes, std::vector<std::string> names) const;
  expression::program program(const std::vector<id>& nodes) const;
  void guarded(const entry& what, const std::function<void()>& work);
  void error(const place& where, std::string what);

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  const problem_file& file_;
  std::map<std::string, double> values_;
  problem_file::made& result_;
  problem_scope scope_;
  std::vector<std::string> names_;  ///< of the components
  std::vector<bool> algebraic_;     ///< which of them have no derivative; empty: all have
  std::vector<double> start_;
  std::size_t declared_ = 0;  ///< elements
};

}  // namespace ensue
