/// What checks a problem file after TOML has been understood: sections, names, expressions. All errors are collected. What
/// depends on the value of a parameter, as the elements of a family do, is left to `problem_file::make`.
#pragma once

#include "problems/problem_file.hpp"
#include "problems/problem_toml.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ensue {

class problem_reader {
 public:
  problem_reader(const toml_document& document, std::vector<problem_error>& errors)
      : document_(document), errors_(errors) {}

  /// Complete only if no error was added.
  problem_file read();

  /// Errors that were not added to the others, because there were too many.
  std::size_t left_out() const { return left_out_; }

 private:
  using items = std::vector<entry>;
  using names = std::vector<std::string>;

  enum class meaning : std::uint8_t { parameter, component, velocity, definition };
  struct symbol {
    meaning what;
    std::size_t position;  ///< in its section
    std::size_t indices;   ///< how many it takes
    place where;
  };

  /// What an expression may use, and how that is said.
  struct permission {
    bool later_parameters, time, state;
    std::string_view expected;
  };
  static constexpr permission earlier_parameters{false, false, false, "an earlier parameter"};
  static constexpr permission parameters_only{true, false, false, "a parameter"};
  static constexpr permission known_beforehand{true, true, false, "a parameter, t or a definition of these"};
  static constexpr permission everything{true, true, true, "a parameter, a component of the state, a definition or t"};

  /// An expression while its names are checked.
  struct checked {
    const entry& of;
    std::size_t position;  ///< of the entry in its section
    bool in_key;
    std::vector<std::string_view> indices;  ///< that are numbers here
  };

  // problem_reader.cpp: sections
  bool check_sections();
  const toml_value* table(std::string_view name, bool required);
  items section(std::string_view name, bool with_indices, bool required = false);
  items lines(const toml_value& table, bool with_indices);
  void check_components(const toml_value& table, const std::string& name, const items& given, const items& components,
                        const items& elsewhere = {});
  void check_exact(const items& exact);
  void check_boundary(const items& boundary);
  entry scalar(const toml_value& value);
  bool take_indices(entry& of);

  // problem_scenes.cpp: built-in models
  void read_scene(problem_file& out);
  scene_entry scene_line(const toml_value& value);

  // problem_settings.cpp: [solver], [output] and [[event]]
  void check_keys(const toml_value& table, const std::string& section, const names& known);
  void read_solver(problem_file& out, const items& components);
  items tolerances(const toml_value& value, const items& components);
  void read_output(problem_file& out);
  void read_events(problem_file& out);
  bool truth(const toml_value& value);
  event_entry event(const toml_value& table, std::size_t number);
  items changes(const toml_value& value);

  // problem_names.cpp: names, of things and inside expressions
  void declare(const items& all, meaning what);
  bool may_be_called(const entry& what);
  void check_names(const items& all, const permission& may);
  void check_tree(const expression::tree& tree, checked& now, const permission& may);
  void check_index(const std::string& name, std::size_t offset, const checked& now);
  place where(const checked& now, std::size_t offset) const;
  std::string why_not(const std::string& name, const permission& may, std::size_t position) const;
  std::string wrong_indices(const expression::tree::name& name) const;
  std::string unknown(const std::string& name, const permission& may) const;
  items in_order(const items& definitions);
  void report_cycle(const place& where, const names& path);

  /// Beyond `most_errors` they are only counted.
  static constexpr std::size_t most_errors = 100;
  bool enough() const { return errors_.size() >= most_errors; }
  void error(const place& where, std::string what) {
    if (enough()) ++left_out_;
    else errors_.push_back({where, std::move(what)});
  }

  const toml_document& document_;
  std::vector<problem_error>& errors_;
  std::size_t left_out_ = 0;
  bool second_order_ = false;
  std::unordered_map<std::string, symbol> names_;
  std::unordered_set<std::string> refused_;   ///< names that were complained about
  std::unordered_set<std::string> changing_;  ///< definitions that change with the state
};

}  // namespace ensue
