// Names that expressions know by themselves, and the one that somebody may have meant.
#include "expressions/expression_lexer.hpp"

#include <algorithm>
#include <limits>

namespace ensue::expression {
namespace {

constexpr int any_number = std::numeric_limits<int>::max();
constexpr function known_functions[] = {
    {"if", operation::choose, 3, 3},        {"min", operation::min, 2, any_number},
    {"max", operation::max, 2, any_number}, {"abs", operation::abs, 1, 1},
    {"sign", operation::sign, 1, 1},        {"floor", operation::floor, 1, 1},
    {"ceil", operation::ceil, 1, 1},        {"sqrt", operation::sqrt, 1, 1},
    {"cbrt", operation::cbrt, 1, 1},        {"exp", operation::exp, 1, 1},
    {"log", operation::log, 1, 1},          {"log10", operation::log10, 1, 1},
    {"pow", operation::pow, 2, 2},          {"hypot", operation::hypot, 2, any_number},
    {"sin", operation::sin, 1, 1},          {"cos", operation::cos, 1, 1},
    {"tan", operation::tan, 1, 1},          {"asin", operation::asin, 1, 1},
    {"acos", operation::acos, 1, 1},        {"atan", operation::atan, 1, 1},
    {"atan2", operation::atan2, 2, 2},      {"sinh", operation::sinh, 1, 1},
    {"cosh", operation::cosh, 1, 1},        {"tanh", operation::tanh, 1, 1},
};

// Letters missing, wrong, too many or transposed (optimal string alignment); in halves, because a letter of the other case and
// one typed twice count half.
int distance_in_halves(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 2 * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = 2 * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
      const int leave_out = i > 1 && a[i - 1] == a[i - 2] ? 1 : 2, put_in = j > 1 && b[j - 1] == b[j - 2] ? 1 : 2;
      now[j] = std::min({last[j] + leave_out, now[j - 1] + put_in, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 2);
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::span<const function> functions() { return known_functions; }

bool is_name(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  for (const char c : text)
    if (!is_letter(c) && !is_digit(c)) return false;
  return true;
}

std::string_view reserved_meaning(std::string_view name) {
  if (name == "t") return "time";
  if (name == "pi") return "the constant 3.14159…";
  if (name == "e") return "the constant 2.71828…";
  if (name == "sum") return "a function";
  for (const function& f : known_functions)
    if (f.name == name) return "a function";
  return {};
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 64;  // a name longer than this is no slip of the finger
  if (name.size() > longest || candidates.size() > most_candidates) return {};
  // One slip in three letters; a name of one letter may only have the wrong case.
  int allowed = name.size() < 2 ? 1 : 2 * std::max<int>(1, static_cast<int>(name.size()) / 3);
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest || (candidate.size() == 1 && name.size() > 1)) continue;
    const int distance = distance_in_halves(name, candidate);
    if (distance > allowed || (distance == allowed && !found.empty())) continue;
    allowed = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string found = nearest(name, candidates);
  return found.empty() ? "" : ", did you mean `" + found + "`?";
}

}  // namespace ensue::expression
