/// Where a sparse matrix has elements, in compressed rows; the values of many matrices share one pattern.
///
///     auto p = sparsity_pattern::from_entries(n, n, {{0, 0}, {0, 1}, {1, 1}});
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace ensue::linear {

using index_type = std::int32_t;  ///< half the bytes of a pointer's; 2·10⁹ elements are more than a machine's memory holds

/// Columns of row i: columns[row_start[i]] … columns[row_start[i + 1] − 1], ascending.
struct sparsity_pattern {
  std::size_t rows = 0, width = 0;  ///< the number of rows and of columns
  std::vector<index_type> row_start = {0};
  std::vector<index_type> columns;

  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  using entry = std::pair<std::size_t, std::size_t>;

  std::size_t nonzeros() const { return columns.size(); }
  std::span<const index_type> row(std::size_t i) const {
    return {columns.data() + row_start[i], static_cast<std::size_t>(row_start[i + 1] - row_start[i])};
  }
  /// Where among the values (i, j) is; `absent` where it is not.
  std::size_t position(std::size_t i, std::size_t j) const {
    const auto first = columns.begin() + row_start[i], last = columns.begin() + row_start[i + 1];
    const auto found = std::lower_bound(first, last, static_cast<index_type>(j));
    if (found == last || *found != static_cast<index_type>(j)) return absent;
    return static_cast<std::size_t>(found - columns.begin());
  }

  /// From entries in any order; one named twice is one. Linear time but for the sorting within rows.
  static sparsity_pattern from_entries(std::size_t rows, std::size_t width, std::span<const entry> entries) {
    sparsity_pattern p;
    p.rows = rows, p.width = width;
    p.row_start.assign(rows + 1, 0);
    p.columns.resize(entries.size());
    for (const auto& [i, j] : entries) ++p.row_start[i + 1];
    for (std::size_t i = 0; i < rows; ++i) p.row_start[i + 1] += p.row_start[i];
    std::vector<index_type> next(p.row_start.begin(), p.row_start.end() - 1);
    for (const auto& [i, j] : entries) p.columns[static_cast<std::size_t>(next[i]++)] = static_cast<index_type>(j);
    p.sort_rows();
    return p;
  }
  static sparsity_pattern from_entries(std::size_t rows, std::size_t width, std::initializer_list<entry> entries) {
    return from_entries(rows, width, std::span<const entry>(entries.begin(), entries.size()));
  }

  /// Every (i, j) with i − lower ≤ j ≤ i + upper.
  static sparsity_pattern banded(std::size_t n, std::size_t lower, std::size_t upper) {
    sparsity_pattern p;
    p.rows = p.width = n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i > lower ? i - lower : 0; j <= i + upper && j < n; ++j) p.columns.push_back(static_cast<index_type>(j));
      p.row_start.push_back(static_cast<index_type>(p.columns.size()));
    }
    return p;
  }

  /// The pattern of Aᵀ. `origin`, where given, receives for each of its elements the position of that element in A.
  sparsity_pattern transposed(std::vector<index_type>* origin = nullptr) const {
    sparsity_pattern t;
    t.rows = width, t.width = rows;
    t.row_start.assign(width + 1, 0);
    t.columns.resize(columns.size());
    if (origin) origin->resize(columns.size());
    for (const index_type j : columns) ++t.row_start[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 0; j < width; ++j) t.row_start[j + 1] += t.row_start[j];
    std::vector<index_type> next(t.row_start.begin(), t.row_start.end() - 1);
    for (std::size_t i = 0; i < rows; ++i)
      for (index_type k = row_start[i]; k < row_start[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])]++);
        t.columns[at] = static_cast<index_type>(i);
        if (origin) (*origin)[at] = k;
      }
    return t;
  }

  /// Every (i, j) of this one or of the other, which has as many rows and columns.
  sparsity_pattern united(const sparsity_pattern& other) const {
    sparsity_pattern p;
    p.rows = rows, p.width = width;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto a = row(i), b = other.row(i);
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(p.columns));
      p.row_start.push_back(static_cast<index_type>(p.columns.size()));
    }
    return p;
  }

  friend bool operator==(const sparsity_pattern&, const sparsity_pattern&) = default;

 private:
  void sort_rows() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto first = columns.begin() + row_start[i], last = columns.begin() + row_start[i + 1];
      std::sort(first, last);
      const auto end = std::unique(first, last);
      row_start[i] = static_cast<index_type>(kept);
      kept = static_cast<std::size_t>(std::copy(first, end, columns.begin() + static_cast<std::ptrdiff_t>(kept)) - columns.begin());
    }
    row_start[rows] = static_cast<index_type>(kept);
    columns.resize(kept);
  }
};

/// How far a pattern's elements lie from its diagonal.
struct bandwidth {
  std::size_t lower = 0, upper = 0;
  friend bool operator==(const bandwidth&, const bandwidth&) = default;
};

inline bandwidth bandwidth_of(const sparsity_pattern& p) {
  bandwidth b;
  for (std::size_t i = 0; i < p.rows; ++i) {
    const auto row = p.row(i);
    if (row.empty()) continue;
    const auto first = static_cast<std::size_t>(row.front()), last = static_cast<std::size_t>(row.back());
    if (first < i) b.lower = std::max(b.lower, i - first);
    if (last > i) b.upper = std::max(b.upper, last - i);
  }
  return b;
}

}  // namespace ensue::linear
