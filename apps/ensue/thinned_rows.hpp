/// States along a run in bounded memory: when there are too many, every other one is dropped, and from then on every other one is kept. The first quarter
/// stays as it is, because a run often begins with something fast.
///
///     thinned_rows rows(problem.start.size());
///     rows.keep(t, x);        // of every step
///     rows.finish();          // the last one stays as well
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ensue::command {

class thinned_rows {
 public:
  explicit thinned_rows(std::size_t components);

  void keep(double t, std::span<const double> x);
  /// To be called after the last `keep`.
  void finish();

  std::size_t size() const { return t_.size(); }
  const std::vector<double>& times() const { return t_; }
  std::span<const double> state(std::size_t i) const { return {x_.data() + i * components_, components_}; }

  /// One of so many rows was kept, after the first ones.
  std::size_t stride() const { return stride_; }
  /// Memory ran out: there is less than was asked for.
  bool incomplete() const { return incomplete_; }

 private:
  static constexpr std::size_t most_numbers = std::size_t{1} << 21, most_rows = 2000, fewest_rows = 16;

  void push(double t, std::span<const double> x);
  void drop_every_other();

  std::size_t components_, most_, whole_, stride_ = 1, count_ = 0;  ///< the first `whole_` rows are never dropped
  std::vector<double> t_, x_;
  double newest_t_ = 0;
  std::vector<double> newest_;
  bool newest_is_kept_ = true, incomplete_ = false;
};

}  // namespace ensue::command
