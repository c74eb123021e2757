#include "problems/problem_toml.hpp"

#include "problems/hardened_toml.hpp"

#include <algorithm>

namespace ensue {
namespace {

place place_of(const hardened_toml::source_position& position) { return {position.line, position.column}; }

std::string described(const hardened_toml::node& node) {
  switch (node.type()) {
    case hardened_toml::node_type::boolean: return "a truth value";
    case hardened_toml::node_type::date: return "a date";
    case hardened_toml::node_type::time: return "a time of day";
    case hardened_toml::node_type::date_time: return "a date and time";
    case hardened_toml::node_type::array: return "an array";
    case hardened_toml::node_type::table: return "a table";
    case hardened_toml::node_type::string: return "a text";
    default: return "a number";
  }
}

// Depth is limited: by toml++ for values inside values, by `deepest_key` for keys.
toml_value converted(const hardened_toml::node& node) {
  toml_value value;
  value.value_at = place_of(node.source().begin);
  if (const auto* integer = node.as_integer()) {
    value.what = toml_value::form::number;
    value.number = static_cast<double>(integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    value.what = toml_value::form::number;
    value.number = real->get();
  } else if (const auto* string = node.as_string()) {
    value.what = toml_value::form::text;
    value.text = string->get();
    return value;
  } else if (const auto* truth = node.as_boolean()) {
    value.what = toml_value::form::truth;
    value.number = truth->get() ? 1 : 0;
  } else if (const auto* array = node.as_array()) {
    value.what = toml_value::form::array;
    for (const auto& member : *array) value.members.push_back(converted(member));
  } else if (const auto* table = node.as_table()) {
    value.what = toml_value::form::table;
    for (const auto& [key, member] : *table) {
      toml_value inside = converted(member);
      inside.key = key.str();
      inside.key_at = place_of(key.source().begin);
      value.members.push_back(std::move(inside));
    }
    // toml++ sorts by name; the order of the file is the order of the state.
    std::sort(value.members.begin(), value.members.end(),
              [](const toml_value& a, const toml_value& b) { return a.key_at < b.key_at; });
  }
  value.text = described(node);
  return value;
}

// Where a key has more dots than any problem file needs: toml++ would make a table in a table of each, and leave them by
// recursion. A dot counts outside strings and comments, and a key ends at any of , = { } or the end of the line.
constexpr int most_dots = 16;

std::optional<std::size_t> deepest_key(std::string_view text) {
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::string_view three = text.substr(i, 3);
      const bool long_string = three.size() == 3 && three[1] == c && three[2] == c;
      const std::string_view quote = three.substr(0, long_string ? 3 : 1);
      for (i += quote.size(); i < text.size() && text.substr(i, quote.size()) != quote; ++i) {
        if (c == '"' && text[i] == '\\') ++i;
        if (!long_string && i < text.size() && text[i] == '\n') break;  // no TOML; the parser says so
      }
      i += quote.size() - 1;
    } else if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '.') {
      if (++dots > most_dots) return i;
    } else if (c == ',' || c == '=' || c == '{' || c == '}' || c == '\n') {
      dots = 0;
    }
  }
  return {};
}

}  // namespace

const toml_value* toml_value::find(std::string_view name) const {
  for (const toml_value& member : members)
    if (member.key == name) return &member;
  return nullptr;
}

toml_document::toml_document(std::string_view text, std::vector<problem_error>& errors) : text_(text), line_starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  root_.what = toml_value::form::table;

  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    errors.push_back({{}, "found a byte 0, expected a text file"});
    return;
  }
  if (const auto deep = deepest_key(text)) {
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), *deep);
    errors.push_back(
        {{static_cast<std::uint32_t>(next - line_starts_.begin()), static_cast<std::uint32_t>(*deep - *(next - 1) + 1)},
         "found a key of more than " + std::to_string(most_dots) + " parts, expected a section and a name"});
    return;
  }
  const hardened_toml::parse_result parsed = hardened_toml::parse(text);
  if (parsed) {
    root_ = converted(parsed.table());
  } else {
    const place where = place_of(parsed.error().source().begin);
    errors.push_back({where, syntax_error(parsed.error().description(), where)});
  }
}

std::string_view toml_document::line(std::uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  const std::size_t start = line_starts_[number - 1];
  return std::string_view(text_).substr(start, text_.find('\n', start) - start);
}

// What toml++ says, with the remedy for the mistakes that writing equations in TOML invites.
std::string toml_document::syntax_error(std::string_view description, const place& where) const {
  const std::string what = "not TOML: " + std::string(description);
  const auto says = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
  if (says("redefine")) return what + "; expected each name once";
  if (!says("Error while parsing")) return what;
  const std::string_view here = line(where.line);
  const std::size_t equals = here.find('=');
  if (equals == std::string_view::npos) return what;
  const std::string_view key = here.substr(0, equals);
  const std::size_t value = here.find_first_not_of(" \t", equals + 1);
  if (key.find('\'') != std::string_view::npos && key.find('"') == std::string_view::npos)
    return what + "; expected a name such as x' in double quotes: \"x'\"";
  if (value != std::string_view::npos && here[value] != '"' && here[value] != '\'')
    return what + "; expected a number, or an expression in double quotes";
  return what;
}

place toml_document::at(const toml_value& value, std::size_t offset) const {
  return value.what == toml_value::form::text ? in_string(value.value_at, offset) : value.value_at;
}

place toml_document::in_string(const place& start, std::size_t offset) const {
  place now = start;
  if (now.line > line_starts_.size()) return now;
  std::size_t i = line_starts_[now.line - 1];
  // toml++ counts columns in characters, not in bytes.
  const auto is_first_byte = [&](std::size_t k) {
    return k >= text_.size() || (static_cast<unsigned char>(text_[k]) & 0xc0) != 0x80;
  };
  for (std::uint32_t column = 1; column < now.column && i < text_.size(); ++column) do
      ++i;
    while (!is_first_byte(i));
  const auto step = [&] {
    if (text_[i] == '\n') now = {now.line + 1, 1};
    else if (is_first_byte(i + 1)) ++now.column;
    ++i;
  };
  const auto steps = [&](std::size_t n) {
    for (; n > 0 && i < text_.size(); --n) step();
  };

  if (i >= text_.size()) return now;
  const char quote = text_[i];
  if (quote != '"' && quote != '\'') {  // a key without quotes
    steps(offset);
    return now;
  }
  const bool long_string = text_.compare(i, 3, std::string(3, quote)) == 0;
  steps(long_string ? 3 : 1);
  if (long_string) {
    if (text_.compare(i, 2, "\r\n") == 0) steps(2);
    else if (text_.compare(i, 1, "\n") == 0) steps(1);
  }
  for (std::size_t done = 0; i < text_.size();) {
    if (quote == '"' && text_[i] == '\\') {
      const char what = i + 1 < text_.size() ? text_[i + 1] : '\0';
      if (what == '\n' || what == '\r' || what == ' ' || what == '\t') {  // a line continued: nothing of the value
        steps(1);
        while (i < text_.size() && (text_[i] == '\n' || text_[i] == '\r' || text_[i] == ' ' || text_[i] == '\t'))
          step();
        continue;
      }
      if (done >= offset) break;
      const std::size_t digits = what == 'u' ? 4 : what == 'U' ? 8 : 0;
      const unsigned long code = digits ? std::strtoul(text_.substr(i + 2, digits).c_str(), nullptr, 16) : 0;
      done += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      steps(2 + digits);
    } else {
      if (done >= offset) break;
      ++done;
      steps(text_.compare(i, 2, "\r\n") == 0 ? 2 : 1);  // either end of a line is one character of the value
    }
  }
  return now;
}

}  // namespace ensue
