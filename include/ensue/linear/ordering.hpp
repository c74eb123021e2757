/// Reverse Cuthill–McKee: an order of the unknowns in which a sparse matrix has a narrow band.
///
///     const auto order = reverse_cuthill_mckee(pattern);          // bandwidth_in_order(pattern, order)
///
/// Cuthill & McKee (1969), "Reducing the bandwidth of sparse symmetric matrices", Proc. 24th ACM Nat. Conf., 157–172; reversed: George
/// (1971). Starting points: George & Liu (1979), "An implementation of a pseudoperipheral node finder", ACM TOMS 5, 284–295.
#pragma once

#include <ensue/linear/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ensue::linear {
namespace detail {

/// Neighbours in the graph of A + Aᵀ.
class adjacency {
 public:
  explicit adjacency(const sparsity_pattern& p) : rows_(p), columns_(p.transposed()) {}
  template <class Body> void for_each_neighbour(std::size_t i, const Body& body) const {
    for (const index_type j : rows_.row(i)) body(static_cast<std::size_t>(j));
    for (const index_type j : columns_.row(i)) body(static_cast<std::size_t>(j));
  }
  /// Twice the number of neighbours where the pattern is symmetric: all that is compared is which has more.
  std::size_t degree(std::size_t i) const { return rows_.row(i).size() + columns_.row(i).size(); }

 private:
  const sparsity_pattern& rows_;
  sparsity_pattern columns_;
};

/// Breadth first, from the end of `order` on: each level's nodes in the order of their parents, a parent's by ascending degree.
struct breadth_first {
  const adjacency& graph;
  std::vector<std::size_t>& mark;  ///< the number of the search that has seen a node
  std::size_t search = 0;

  /// Returns how many levels there are; `last_level` is where in `order` the last one begins.
  std::size_t run(std::size_t start, std::vector<std::size_t>& order, std::size_t& last_level) {
    ++search;
    std::size_t levels = 0, first = order.size();
    order.push_back(start);
    mark[start] = search;
    while (first < order.size()) {
      const std::size_t end = order.size();
      last_level = first;
      ++levels;
      for (; first < end; ++first) {
        const std::size_t children = order.size();
        graph.for_each_neighbour(order[first], [&](std::size_t j) {
          if (mark[j] == search) return;
          mark[j] = search;
          order.push_back(j);
        });
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(children), order.end(), [&](std::size_t a, std::size_t b) {
          const std::size_t da = graph.degree(a), db = graph.degree(b);
          return da != db ? da < db : a < b;
        });
      }
    }
    return levels;
  }
};

}  // namespace detail

/// order[k] is the unknown that becomes the k-th. Time linear in the nonzeros, times a handful of searches a component.
inline std::vector<std::size_t> reverse_cuthill_mckee(const sparsity_pattern& p) {
  const detail::adjacency graph(p);
  std::vector<std::size_t> mark(p.rows, 0), order;
  std::vector<bool> done(p.rows, false);
  order.reserve(p.rows);
  detail::breadth_first search{graph, mark};
  for (std::size_t seed = 0; seed < p.rows; ++seed) {
    if (done[seed]) continue;
    // From a node of least degree in the last level, as long as that makes the levels more: the far end of the component.
    const std::size_t begin = order.size();
    std::size_t start = seed, last_level = 0;
    std::size_t levels = search.run(start, order, last_level);
    for (bool deeper = true; deeper;) {
      const std::size_t far = *std::min_element(order.begin() + static_cast<std::ptrdiff_t>(last_level), order.end(),
                                                [&](std::size_t a, std::size_t b) { return graph.degree(a) < graph.degree(b); });
      order.resize(begin);
      const std::size_t found = search.run(far, order, last_level);
      deeper = found > levels;
      levels = found;
    }
    for (std::size_t k = begin; k < order.size(); ++k) done[order[k]] = true;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// Where each unknown went: inverse[order[k]] = k.
inline std::vector<std::size_t> inverse_order(const std::vector<std::size_t>& order) {
  std::vector<std::size_t> inverse(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) inverse[order[k]] = k;
  return inverse;
}

/// The bandwidth that a pattern has in another order, without making that pattern.
inline bandwidth bandwidth_in_order(const sparsity_pattern& p, const std::vector<std::size_t>& order) {
  const std::vector<std::size_t> place = inverse_order(order);
  bandwidth b;
  for (std::size_t i = 0; i < p.rows; ++i)
    for (const index_type j : p.row(i)) {
      const std::size_t r = place[i], c = place[static_cast<std::size_t>(j)];
      if (c < r) b.lower = std::max(b.lower, r - c);
      else b.upper = std::max(b.upper, c - r);
    }
  return b;
}

}  // namespace ensue::linear
