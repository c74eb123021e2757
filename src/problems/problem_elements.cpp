#include "problems/problem_elements.hpp"

#include <algorithm>

namespace ensue {

std::string element_name(std::string_view family, std::size_t indices, const element_index& at) {
  std::string name(family);
  if (indices == 0) return name;
  const bool is_velocity = name.back() == '\'';
  if (is_velocity) name.pop_back();
  name += '[' + std::to_string(at[0]);
  if (indices == 2) name += ',' + std::to_string(at[1]);
  return name + (is_velocity ? "]'" : "]");
}

std::string as_element_name(std::string_view text) {
  std::string name;
  for (const char c : text)
    if (c != ' ' && c != '\t') name += c;
  if (const std::size_t at = name.find("'["); at != std::string::npos) {
    name.erase(at, 1);
    name += '\'';
  }
  return name;
}

bool element_table::declare(const index_box& more) {
  if (more.count() == 0) return true;
  if (declared_ == 0) box_ = more;
  for (std::size_t k = 0; k < 2; ++k) {
    box_.first[k] = std::min(box_.first[k], more.first[k]);
    box_.last[k] = std::max(box_.last[k], more.last[k]);
  }
  declared_ += more.count();
  return box_.count() <= 4 * declared_ + 4096;
}

}  // namespace ensue
