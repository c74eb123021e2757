/// Elements of families: u[1] … u[N], v[1,1] … v[N,M].
#pragma once

#include "expressions/expression.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ensue {

using element_index = std::array<std::int64_t, 2>;  ///< of one index the second is 0

inline constexpr double largest_index = 1e9;

/// first ≤ index ≤ last, of each index.
struct index_box {
  std::size_t indices = 0;  ///< how many: 0, 1, 2
  element_index first = {0, 0}, last = {0, 0};

  std::size_t count() const {
    std::size_t n = 1;
    for (std::size_t k = 0; k < indices; ++k)
      n *= last[k] < first[k] ? 0 : static_cast<std::size_t>(last[k] - first[k] + 1);
    return n;
  }
  bool contains(const element_index& at) const {
    return at[0] >= first[0] && at[0] <= last[0] && at[1] >= first[1] && at[1] <= last[1];
  }
};

/// "u[3]", "v[2,3]", "u[3]'" of the family u'; of no index the name itself.
std::string element_name(std::string_view family, std::size_t indices, const element_index& at);

/// The same name as `element_name` writes it: "u' [ 3 ]" is "u[3]'".
std::string as_element_name(std::string_view text);

/// The nodes of a family's elements. Its box is the smallest around all that was declared.
class element_table {
 public:
  using id = expression::graph::id;
  static constexpr id missing = static_cast<id>(-1);  ///< not in the file
  static constexpr id not_yet = static_cast<id>(-2);  ///< in the file, but not computed so far
  static bool is_node(id i) { return i < not_yet; }

  /// False if the box would be much larger than what was declared in it.
  bool declare(const index_box& more);

  id find(const element_index& at) const { return !ids_.empty() && box_.contains(at) ? ids_[offset(at)] : missing; }
  void set(const element_index& at, id node) { ids_[offset(at)] = node; }  ///< of a declared element

  const index_box& box() const { return box_; }

  /// Makes room, after all declarations.
  void complete() { ids_.assign(box_.count(), missing); }

 private:
  std::size_t offset(const element_index& at) const {
    return static_cast<std::size_t>((at[0] - box_.first[0]) * (box_.last[1] - box_.first[1] + 1) +
                                    (at[1] - box_.first[1]));
  }

  index_box box_;
  std::size_t declared_ = 0;
  std::vector<id> ids_;
};

}  // namespace ensue
