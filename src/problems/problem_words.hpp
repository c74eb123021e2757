/// Words of messages about problem files.
#pragma once

#include "expressions/expression.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace ensue {

inline std::string in_brackets(std::string_view name) { return "[" + std::string(name) + "]"; }

inline std::string listed(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& name : all) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// ", did you mean `x`?" or ", expected …".
inline std::string remedy(std::string_view name, const std::vector<std::string>& candidates,
                          const std::string& expected) {
  const std::string hint = expression::did_you_mean(name, candidates);
  return hint.empty() ? ", expected " + expected : hint;
}

inline std::string counted_indices(std::size_t n) { return n == 0 ? "no index" : n == 1 ? "one index" : "two indices"; }

/// The shortest text that reads back to the same number.
inline std::string shown(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace ensue
