/// What checks a problem file after TOML has been understood: sections, names, expressions. All errors are collected.
#pragma once

#include "problem_file.hpp"
#include "problem_toml.hpp"

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
  /// An entry with the place it came from, while places of its letters are still wanted.
  struct item {
    entry what;
    const toml_value* source;
  };
  using items = std::vector<item>;

  enum class meaning : std::uint8_t { parameter, component, velocity, definition };
  struct symbol {
    meaning what;
    std::size_t index;  ///< among those of its section
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

  // problem_reader.cpp: sections
  void check_sections();
  const toml_value* table(std::string_view name, bool required);
  items section(std::string_view name, bool required = false);
  items section_for_each(std::string_view name, const items& components);
  items for_each(const toml_value& table, const std::string& name, const items& components);
  items exact_section();
  item scalar(const toml_value& value);
  void read_solver(problem_file& out, const items& start);
  std::vector<entry> tolerances(const toml_value& value, const items& start);

  // problem_names.cpp: names, of things and inside expressions
  void declare(const items& all, meaning what);
  bool may_be_called(const toml_value& value);
  void check_names(const items& all, const permission& may);
  std::string why_not(const std::string& name, const permission& may, std::size_t index) const;
  std::string unknown(const std::string& name, const permission& may) const;
  items in_order(const items& definitions);
  void report_cycle(const items& definitions, const std::vector<std::size_t>& path, std::size_t back_to);

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
  std::unordered_set<std::string> refused_;  ///< names that were complained about
  std::vector<bool> changes_with_state_;     ///< of each definition
};

}  // namespace ensue
