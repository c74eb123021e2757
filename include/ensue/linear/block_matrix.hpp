/// Symmetric matrices of 3×3 blocks over a graph: particles and what joins them. The matrix of implicit cloth, springs, solids.
///
///     block_matrix3<double> A(particles, edges);          // edges: pairs (i, j), in any order, either way round
///     A.clear();
///     A.add_to_diagonal(i, block3<double>::identity(m));
///     A.add_spring(i, j, B);                              // +B at (i, i) and (j, j), −B at (i, j) and (j, i)
///     A.multiply(x, y);
///
/// Only the diagonal and the blocks above it are kept, A(j, i) = A(i, j)ᵀ: half the bytes, and bytes are what a product costs. A lattice
/// of particles with springs to its 8 neighbours takes 72 + 4·76 + 4 bytes a particle.
#pragma once

#include <ensue/linear/block.hpp>
#include <ensue/linear/pattern.hpp>
#include <ensue/numbers/state.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ensue::linear {

template <plain_scalar T> class block_matrix3 {
 public:
  using value_type = T;
  block_matrix3() = default;
  /// The structure from a graph's edges; all values zero. An edge named twice is one, an edge from i to i none.
  block_matrix3(std::size_t particles, std::span<const std::pair<std::size_t, std::size_t>> edges)
      : block_matrix3(std::make_shared<const sparsity_pattern>(upper_of(particles, edges))) {}
  /// Over a pattern that is there already: blocks strictly above the diagonal.
  explicit block_matrix3(std::shared_ptr<const sparsity_pattern> upper)
      : upper_(std::move(upper)), diagonal_(upper_->rows + 1), above_(upper_->nonzeros() + 1) {}

  std::size_t particles() const { return upper_->rows; }
  std::size_t size() const { return 3 * upper_->rows; }
  std::size_t bytes() const {
    const std::size_t blocks = diagonal_.size() + above_.size(), indices = upper_->columns.size() + upper_->row_start.size();
    return blocks * sizeof(block3<T>) + indices * sizeof(index_type);
  }
  /// Where the blocks above the diagonal are, shared with preconditioners; above(k) belongs to its k-th column.
  const std::shared_ptr<const sparsity_pattern>& pattern() const { return upper_; }

  void clear() {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) diagonal_[i] = {};
    for (std::size_t k = 0; k < above_.size(); ++k) above_[k] = {};
  }
  block3<T>& diagonal(std::size_t i) { return diagonal_[i]; }
  const block3<T>& diagonal(std::size_t i) const { return diagonal_[i]; }
  block3<T>& above(std::size_t k) { return above_[k]; }
  const block3<T>& above(std::size_t k) const { return above_[k]; }
  /// Of (i, j), i < j: k for `above`, so that a loop over springs that looks them up once needs no search; `absent` where there is none.
  std::size_t position(std::size_t i, std::size_t j) const { return upper_->position(i, j); }

  /// The block (i, j), wherever it is kept; zero where there is none.
  block3<T> block(std::size_t i, std::size_t j) const {
    if (i == j) return diagonal_[i];
    const std::size_t k = i < j ? position(i, j) : position(j, i);
    if (k == sparsity_pattern::absent) return {};
    return i < j ? above_[k] : above_[k].transposed();
  }

  void add_to_diagonal(std::size_t i, const block3<T>& b) { diagonal_[i] += b; }
  /// A(i, j) += B and with it A(j, i) += Bᵀ. False where the graph has no such edge.
  bool add(std::size_t i, std::size_t j, const block3<T>& b) {
    if (i == j) return diagonal_[i] += b, true;
    const std::size_t k = i < j ? position(i, j) : position(j, i);
    if (k == sparsity_pattern::absent) return false;
    above_[k] += i < j ? b : b.transposed();
    return true;
  }
  /// What a spring with the symmetric stiffness B between i and j gives.
  bool add_spring(std::size_t i, std::size_t j, block3<T> b) {
    const std::size_t k = i < j ? position(i, j) : position(j, i);
    if (k == sparsity_pattern::absent) return false;
    diagonal_[i] += b, diagonal_[j] += b;
    above_[k] += (b *= T(-1));
    return true;
  }

  /// y = A x. Each block above the diagonal is read once and used twice, for its row and, transposed, for its column.
  void multiply(std::span<const T> x, std::span<T> y) const { multiply_rows<true>(0, particles(), x.data(), y.data(), nullptr); }
  /// What the rows from `begin` to `end` give: to y between them, which is written, and to `beyond`, which is added to, from `end` on.
  void multiply_rows(std::size_t begin, std::size_t end, std::span<const T> x, std::span<T> y, std::span<T> beyond) const {
    multiply_rows<false>(begin, end, x.data(), y.data(), beyond.data());
  }
  void operator()(std::span<const T> x, std::span<T> y) const { multiply(x, y); }

 private:
  template <bool Whole>
  void multiply_rows(std::size_t begin, std::size_t end, const T* ENSUE_RESTRICT in, T* ENSUE_RESTRICT out, T* ENSUE_RESTRICT beyond) const {
    const std::size_t n = particles();
    const index_type* const start = upper_->row_start.data();
    const index_type* const columns = upper_->columns.data();
    if (n == 0) return;
    // Four lanes of the last particle would reach beyond x.
    const T* const last = in + 3 * (n - 1);
    const T padded[4] = {last[0], last[1], last[2], T(0)};
    // y is cleared only as far as it is about to be written: a pass of its own would fetch it twice.
    std::size_t cleared = begin;
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t reached = start[i] < start[i + 1] ? static_cast<std::size_t>(columns[start[i + 1] - 1]) : i;
      if (!Whole && reached >= end) reached = end - 1;
      for (; cleared <= reached; ++cleared) out[3 * cleared] = out[3 * cleared + 1] = out[3 * cleared + 2] = T(0);
      const four_lanes<T> own[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]};
      product_sum<T> sum;
      sum.add(diagonal_[i], four_lanes<T>::load(i + 1 < n ? in + 3 * i : padded));
      for (index_type k = start[i]; k < start[i + 1]; ++k) {
        const block3<T>& b = above_[static_cast<std::size_t>(k)];
        const auto j = static_cast<std::size_t>(columns[k]);
        sum.add(b, four_lanes<T>::load(j + 1 < n ? in + 3 * j : padded));
        const four_lanes<T> other = transposed_product(b, own);
        T* const theirs = Whole || j < end ? out + 3 * j : beyond + 3 * (j - end);
        for (int c = 0; c < 3; ++c) theirs[c] += lane(other, c);
      }
      for (int c = 0; c < 3; ++c) out[3 * i + static_cast<std::size_t>(c)] += sum.element(c);
    }
  }

  static sparsity_pattern upper_of(std::size_t particles, std::span<const std::pair<std::size_t, std::size_t>> edges) {
    std::vector<sparsity_pattern::entry> entries;
    entries.reserve(edges.size());
    for (const auto& [i, j] : edges)
      if (i != j) entries.emplace_back(i < j ? i : j, i < j ? j : i);
    return sparsity_pattern::from_entries(particles, particles, entries);
  }

  std::shared_ptr<const sparsity_pattern> upper_;
  buffer<block3<T>> diagonal_, above_;  // and one block more, for block_row
};

}  // namespace ensue::linear
