#include "tableau.hpp"

#include "problems/hardened_toml.hpp"
#include "endings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace ensue::command {
namespace {

namespace toml = hardened_toml;
using coefficients = std::vector<long double>;

/// "a_3,2", "b_1": stages are counted from 1, as in the literature.
std::string entry(const std::string& name, std::size_t i) {
  return name + (name.find('_') == std::string::npos ? "_" : ",") + std::to_string(i + 1);
}

std::optional<long double> decimal(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  long double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "35/384", "-0.25", "1e-3".
std::optional<long double> fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return decimal(text);
  const auto numerator = decimal(text.substr(0, slash)), denominator = decimal(text.substr(slash + 1));
  if (!numerator || !denominator) return std::nullopt;
  return *numerator / *denominator;  // of 1/0 it is said that it is no number
}

class reader {
 public:
  explicit reader(const std::string& file) : file_(file) {}

  typed_tableau read() {
    const toml::table document = parsed();
    for (const auto& [key, value] : document)
      if (key != "name" && key != "c" && key != "a" && key != "b" && key != "embedded")
        refuse(key.source(), fmt::format("unknown key '{}'; a tableau has c, a, b, embedded and name", key.str()));

    typed_tableau result{file_, {}};
    if (const toml::node* name = document.get("name")) {
      if (!name->is_string()) refuse(name->source(), "name has to be a text in quotes");
      result.name = name->value_or(std::string());
    }
    runtime_tableau& table = result.table;
    const toml::array& c = required(document, "c");
    stages_ = c.size();
    if (stages_ == 0) refuse(c.source(), "c is empty; it holds one number a stage");
    table.c = numbers(c, "c");
    const toml::array& a = required(document, "a");
    if (a.size() != stages_)
      refuse(a.source(), fmt::format("a has {} rows, c has {} entries; a needs one row a stage (the first is [])",
                                     a.size(), stages_));
    for (std::size_t i = 0; i < stages_; ++i) table.a.push_back(numbers(row_of(a, i, "a"), entry("a", i)));
    table.b = complete(required(document, "b"), "b");
    if (const toml::node* embedded = document.get("embedded")) {
      const toml::array& list = array(*embedded, "embedded");
      for (std::size_t i = 0; i < list.size(); ++i)
        table.embedded.push_back(complete(row_of(list, i, "embedded"), entry("embedded", i)));
    }
    return result;
  }

 private:
  [[noreturn]] void refuse(const toml::source_region& where, const std::string& what) const {
    throw wrong_input(fmt::format("{}:{}:{}: {}", file_, where.begin.line, where.begin.column, what));
  }

  toml::table parsed() const {
    std::ifstream stream(file_, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file_))
      throw wrong_input(fmt::format("{}: cannot be read; a file with a tableau was expected", file_));
    toml::parse_result result = toml::parse(stream, file_);
    if (!result) refuse(result.error().source(), std::string(result.error().description()));
    return std::move(result).table();
  }

  const toml::array& required(const toml::table& document, const char* name) const {
    if (const toml::node* node = document.get(name)) return array(*node, name);
    throw wrong_input(fmt::format("{}:1:1: there is no '{}'; a tableau needs c, a and b", file_, name));
  }

  const toml::array& array(const toml::node& node, const std::string& name) const {
    if (const toml::array* found = node.as_array()) return *found;
    refuse(node.source(), fmt::format("{} has to be a list in brackets", name));
  }

  long double number(const toml::node& node, const std::string& name) const {
    std::optional<long double> value;
    if (const auto* integer = node.as_integer()) value = static_cast<long double>(integer->get());
    else if (const auto* real = node.as_floating_point()) value = static_cast<long double>(real->get());
    else if (const auto* text = node.as_string()) value = fraction(text->get());
    if (!value || !std::isfinite(*value))
      refuse(node.source(), fmt::format("{} is no number; expected one, or a fraction as \"35/384\"", name));
    return *value;
  }

  coefficients numbers(const toml::array& list, const std::string& name) const {
    if (list.size() > stages_)
      refuse(list[stages_].source(),
             fmt::format("{} has {} entries, c has {}; at most one a stage was expected", name, list.size(), stages_));
    coefficients values;
    for (std::size_t i = 0; i < list.size(); ++i) values.push_back(number(list[i], entry(name, i)));
    return values;
  }

  coefficients complete(const toml::array& list, const std::string& name) const {
    if (list.size() < stages_)
      refuse(list.source(),
             fmt::format("{} has {} entries, c has {}; one a stage was expected", name, list.size(), stages_));
    return numbers(list, name);
  }

  const toml::array& row_of(const toml::array& list, std::size_t i, const char* name) const {
    if (const toml::array* found = list[i].as_array()) return *found;
    refuse(list[i].source(), fmt::format("{} has to be a list of lists, [[…], […]]", name));
  }

  std::string file_;
  std::size_t stages_ = 0;
};

}  // namespace

typed_tableau read_tableau(const std::string& file) { return reader(file).read(); }

}  // namespace ensue::command
