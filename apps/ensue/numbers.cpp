#include "numbers.hpp"

#include "expressions/expression.hpp"
#include "endings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ensue::command {

double number_of(std::string_view option, const std::string& text) {
  const auto refuse = [&](const std::string& why) { return wrong_input(fmt::format("{} {}: {}", option, text, why)); };
  const expression::parsed parsed = expression::parse(text);
  if (parsed.fault) throw refuse(parsed.fault->what);
  if (!parsed.tree.names.empty())
    throw refuse(fmt::format("unknown name `{}`, expected a number", parsed.tree.names.front().text));
  expression::graph graph;
  const double value = graph[graph.insert(parsed.tree, {})].value;
  if (!std::isfinite(value)) throw refuse("expected a finite number");
  return value;
}

double number_from(double least, std::string_view option, const std::string& text) {
  const double value = number_of(option, text);
  if (value < least) throw wrong_input(fmt::format("{} {}: expected a number not below {}", option, text, least));
  return value;
}

double positive_number_of(std::string_view option, const std::string& text) {
  const double value = number_of(option, text);
  if (!(value > 0)) throw wrong_input(fmt::format("{} {}: expected a number above 0", option, text));
  return value;
}

std::size_t whole_number_of(std::string_view option, const std::string& text, double most) {
  const double value = positive_number_of(option, text);
  if (value != std::floor(value) || value > most)
    throw wrong_input(fmt::format("{} {}: expected a whole number up to {}", option, text, most));
  return static_cast<std::size_t>(value);
}

std::pair<double, double> range_of(std::string_view option, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 == text.size())
    throw wrong_input(fmt::format("{} {}: expected a range a..b", option, text));
  const double from = number_of(option, text.substr(0, dots)), to = number_of(option, text.substr(dots + 2));
  if (!(from < to)) throw wrong_input(fmt::format("{} {}: expected a range a..b with a below b", option, text));
  return {from, to};
}

}  // namespace ensue::command
