/// TOML as the reader of problem files needs it: tables in the order of the file, and the place in the file of every letter
/// of a string. toml++ stays behind this, in one translation unit.
#pragma once

#include "problems/problem_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ensue {

struct toml_value {
  enum class form : std::uint8_t { number, text, truth, table, array, other };

  form what = form::other;
  std::string key;
  place key_at, value_at;
  double number = 0;                ///< of a number; of a truth value 1 or 0
  std::string text;                 ///< of a text: its value; otherwise what it is: "a date", "an array"
  std::vector<toml_value> members;  ///< of a table, in the order of the file; of an array

  const toml_value* find(std::string_view name) const;
};

class toml_document {
 public:
  /// A text that is not TOML leaves an error (toml++ stops at the first) and an empty root.
  toml_document(std::string_view text, std::vector<problem_error>& errors);

  const toml_value& root() const { return root_; }

  /// The place of byte `offset` of a text's value, whatever quotes and escapes it is written with.
  place at(const toml_value& value, std::size_t offset) const;

  /// The same of a value's key.
  place at_key(const toml_value& value, std::size_t offset) const { return in_string(value.key_at, offset); }

 private:
  place in_string(const place& start, std::size_t offset) const;
  std::string syntax_error(std::string_view description, const place& where) const;
  std::string_view line(std::uint32_t number) const;

  std::string text_;
  std::vector<std::size_t> line_starts_;
  toml_value root_;
};

}  // namespace ensue
