#include "thinned_rows.hpp"

#include <algorithm>
#include <new>

namespace ensue::command {

thinned_rows::thinned_rows(std::size_t components)
    : components_(components), most_(std::clamp(most_numbers / std::max<std::size_t>(components, 1), fewest_rows, most_rows)), whole_(most_ / 4) {}

void thinned_rows::keep(double t, std::span<const double> x) {
  if (incomplete_) return;
  try {
    newest_is_kept_ = count_ < whole_ || (count_ - whole_) % stride_ == 0;
    ++count_;
    if (newest_is_kept_) return push(t, x);
    newest_t_ = t;
    newest_.assign(x.begin(), x.end());
  } catch (const std::bad_alloc&) {  // the run itself goes on
    incomplete_ = true;
    t_ = {}, x_ = {}, newest_ = {};
  }
}

void thinned_rows::finish() {
  if (newest_is_kept_ || incomplete_) return;
  push(newest_t_, newest_);
  newest_is_kept_ = true;
}

void thinned_rows::push(double t, std::span<const double> x) {
  if (t_.size() == most_) {
    drop_every_other();
    stride_ *= 2;
  }
  t_.push_back(t);
  x_.insert(x_.end(), x.begin(), x.end());
}

void thinned_rows::drop_every_other() {
  const std::size_t kept = whole_ + (t_.size() - whole_ + 1) / 2;
  for (std::size_t i = whole_ + 1; i < kept; ++i) {
    const std::size_t from = 2 * i - whole_;
    t_[i] = t_[from];
    std::copy_n(x_.begin() + static_cast<std::ptrdiff_t>(from * components_), components_, x_.begin() + static_cast<std::ptrdiff_t>(i * components_));
  }
  t_.resize(kept);
  x_.resize(kept * components_);
}

}  // namespace ensue::command
