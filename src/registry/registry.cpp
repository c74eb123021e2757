#include <ensue/methods.hpp>
#include <ensue/registry.hpp>

#include "registry/method_entry.hpp"
#include "linear/sparse_solver.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ensue {

// Each is defined in the translation unit of its method.
#define ENSUE_METHOD(...) template <> const method_info detail::registered<__VA_ARGS__>::info;
#include <ensue_methods.inc>
#undef ENSUE_METHOD

namespace {

constexpr const method_info* methods[] = {
#define ENSUE_METHOD(...) &detail::registered<__VA_ARGS__>::info,
#include <ensue_methods.inc>
#undef ENSUE_METHOD
};

/// Before anybody asks for a method.
[[maybe_unused]] const bool solves_sparse = bring_sparse_solver();

char same_dash(char c) { return c == '_' ? '-' : c; }

char as_compared(char c) { return same_dash(static_cast<char>(std::tolower(static_cast<unsigned char>(c)))); }

/// How many letters were left out, put in, replaced or exchanged with their neighbour (Damerau 1964; the variant that touches no
/// letter twice). Row i of the table holds the distances of a's first i letters from b's first 0, 1, … ones.
std::size_t mistypings(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = std::max(i, j);
        continue;
      }
      const auto same = [&](std::size_t m, std::size_t n) { return as_compared(a[m - 1]) == as_compared(b[n - 1]); };
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + !same(i, j)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j))
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  return distance[a.size()][b.size()];
}

}  // namespace

std::string refusal(const method_info& method, force_of force, bool has_mass_matrix) {
  if (!has_group_for(method.needs, force)) return std::string(method.name) + " " + ENSUE_NEEDS_GROUP;
  if (!has_order_for(method.needs, force)) return std::string(method.name) + " " + ENSUE_NEEDS_ACCELERATION;
  if (!has_force_for(method.needs, force)) return std::string(method.name) + " " + ENSUE_NEEDS_POSITION_FORCE;
  if (has_mass_matrix && !method.takes_mass_matrix) return std::string(method.name) + " " + ENSUE_NEEDS_NO_MASS_MATRIX;
  return "";
}

std::span<const method_info* const> all_methods() noexcept { return methods; }

bool same_method_name(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, same_dash, same_dash);
}

const method_info* find_method(std::string_view name) noexcept {
  for (const method_info* method : methods)
    if (same_method_name(name, method->name)) return method;
  return nullptr;
}

const method_info* nearest_method(std::string_view name) {
  const method_info* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;  // more than a third mistyped is another word
  for (const method_info* method : methods)
    if (const std::size_t distance = mistypings(name, method->name); distance < least) {
      nearest = method;
      least = distance;
    }
  return nearest;
}

std::string no_such_method(std::string_view name) {
  std::string text = "there is no method '" + std::string(name) + "'; ";
  if (const method_info* nearest = nearest_method(name))
    return text + "did you mean '" + std::string(nearest->name) + "'?";
  text += "there are";
  for (const method_info* method : methods) text += (method == methods[0] ? " " : ", ") + std::string(method->name);
  return text;
}

}  // namespace ensue
