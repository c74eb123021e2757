/// y = A x of a block_matrix3 by a crew, in parts that depend on the matrix alone: the same bits for any number of threads.
///
///     parted_product<double> product(A);        // memory
///     product(hands, A, x, y);
///
/// A part has rows of its own. What they give, transposed, to rows of later parts is kept aside and added when all are done, in the order of the parts.
#pragma once

#include <ensue/linear/block_matrix.hpp>
#include <ensue/linear/crew.hpp>
#include <ensue/numbers/state.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace ensue::linear {

template <plain_scalar T> class parted_product {
 public:
  parted_product() = default;
  explicit parted_product(const block_matrix3<T>& a) {
    const sparsity_pattern& upper = *a.pattern();
    const std::size_t rows = a.particles(), count = std::clamp<std::size_t>(rows / least_rows, 1, most_parts);
    // The same number of blocks in each, as nearly as rows allow.
    const auto blocks_before = [&](std::size_t row) { return row + static_cast<std::size_t>(upper.row_start[row]); };
    std::size_t begin = 0;
    for (std::size_t p = 0; p < count; ++p) {
      std::size_t end = p + 1 == count ? rows : begin;
      while (end < rows && blocks_before(end) * count < blocks_before(rows) * (p + 1)) ++end;
      std::size_t reached = end;
      for (std::size_t row = begin; row < end; ++row)
        if (upper.row_start[row] < upper.row_start[row + 1])
          reached = std::max(reached, static_cast<std::size_t>(upper.columns[static_cast<std::size_t>(upper.row_start[row + 1] - 1)]) + 1);
      parts_.push_back({begin, end, buffer<T>(3 * (reached - end))});
      begin = end;
    }
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const part& each : parts_) sum += each.beyond.size() * sizeof(T);
    return sum;
  }

  void operator()(crew& hands, const block_matrix3<T>& a, std::span<const T> x, std::span<T> y) {
    if (parts_.size() == 1) return a.multiply(x, y);
    hands.each(parts_.size(), [&](std::size_t number) {
      part& own = parts_[number];
      std::fill_n(own.beyond.data(), own.beyond.size(), T(0));
      a.multiply_rows(own.begin, own.end, x, y, {own.beyond.data(), own.beyond.size()});
    });
    hands.each(parts_.size(), [&](std::size_t number) {
      for (std::size_t earlier = 0; earlier < number; ++earlier) add(parts_[earlier], parts_[number], y.data());
    });
  }

 private:
  static constexpr std::size_t least_rows = 256, most_parts = 16;
  struct part {
    std::size_t begin, end;
    buffer<T> beyond;  ///< from `end` on
  };

  static void add(const part& from, const part& to, T* y) {
    const std::size_t first = 3 * to.begin, last = std::min(3 * to.end, 3 * from.end + from.beyond.size());
    for (std::size_t i = first; i < last; ++i) y[i] += from.beyond[i - 3 * from.end];
  }

  std::vector<part> parts_;
};

}  // namespace ensue::linear
