/// What is integrated: anything with a length and contiguous elements.
///
///     ensue::vec x{1., 0., 0.};                  // vec<double, 3>: the type fixes the length
///     std::vector<double> many(1000, 1.);        // the value does
///     std::span<double> there(memory, n);        // in memory of the caller's
///
/// `ensue::vec<T, N>`, `std::array`, `std::vector`, Eigen's vectors, spans over memory the caller owns. A fixed-size state
/// never allocates; a dynamic one does when the solver is constructed and not after.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ensue {

/// A plain fixed-size array, usable in device code.
///
///     ensue::vec<double, 3> u{1., 0., 0.};
///     ensue::vec v{1., 0., 0.};             // vec<double, 3>
template <class T, std::size_t N> struct vec {
  T elements[N];

  using value_type = T;
  static constexpr std::size_t extent = N;
  ENSUE_HD ENSUE_INLINE constexpr T& operator[](std::size_t i) { return elements[i]; }
  ENSUE_HD ENSUE_INLINE constexpr const T& operator[](std::size_t i) const { return elements[i]; }
  ENSUE_HD ENSUE_INLINE static constexpr std::size_t size() { return N; }
  ENSUE_HD ENSUE_INLINE constexpr T* data() { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr const T* data() const { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr T* begin() { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr T* end() { return elements + N; }
  ENSUE_HD ENSUE_INLINE constexpr const T* begin() const { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr const T* end() const { return elements + N; }
  friend constexpr bool operator==(const vec&, const vec&) = default;
};
template <class T, class... U> vec(T, U...) -> vec<T, 1 + sizeof...(U)>;

/// A length and contiguous elements that can be written.
template <class S>
concept state = requires(S& s, const S& constant) {
  { constant.size() } -> std::convertible_to<std::size_t>;
  { *constant.data() };
} && !std::is_const_v<std::remove_reference_t<decltype(*std::declval<S&>().data())>>;

template <state S> using element_of = std::remove_cvref_t<decltype(*std::declval<S&>().data())>;
template <state S> using real_type = real_of<element_of<S>>;
template <state S> using mask_type = mask_of<element_of<S>>;
template <state S> using count_type = count_of<element_of<S>>;

namespace detail {
template <class S> consteval std::size_t known_extent() {
  if constexpr (requires { S::extent; }) {
    return S::extent < static_cast<std::size_t>(-1) ? S::extent : 0;  // std::dynamic_extent is the largest size_t
  } else if constexpr (requires { S::SizeAtCompileTime; }) {
    return static_cast<int>(S::SizeAtCompileTime) > 0 ? static_cast<std::size_t>(S::SizeAtCompileTime) : 0;  // Eigen
  } else if constexpr (requires { std::tuple_size<S>::value; }) {
    return std::tuple_size<S>::value;  // std::array
  } else {
    return 0;
  }
}
}  // namespace detail

/// The number of elements where the type fixes it, 0 where it does not.
template <class S> inline constexpr std::size_t extent_of = detail::known_extent<std::remove_cv_t<S>>();

/// A view does not own its elements: its constness does not reach them.
template <class S>
concept state_view = state<S> && !std::is_const_v<std::remove_reference_t<decltype(*std::declval<const S&>().data())>>;

/// Memory of a length chosen once, for solvers whose state type owns no memory. Its functions are constexpr so that nvcc lets
/// functions for host and device mention them.
template <class T> class buffer {
 public:
  using value_type = T;
  buffer() = default;
  explicit constexpr buffer(std::size_t size) : elements_(size ? new T[size]() : nullptr), size_(size) {}
  constexpr buffer(const T* first, std::size_t size) : buffer(size) {
    for (std::size_t i = 0; i < size; ++i) elements_[i] = first[i];
  }
  constexpr buffer(const buffer& other) : buffer(other.elements_, other.size_) {}
  constexpr buffer(buffer&& other) noexcept { swap(other); }
  constexpr buffer& operator=(buffer other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~buffer() { delete[] elements_; }
  constexpr void swap(buffer& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
  }
  constexpr std::size_t size() const { return size_; }
  constexpr T* data() { return elements_; }
  constexpr const T* data() const { return elements_; }
  constexpr T& operator[](std::size_t i) { return elements_[i]; }
  constexpr const T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  T* elements_ = nullptr;
  std::size_t size_ = 0;
};

/// A buffer that a model sees as the view type its caller chose.
template <state_view S> class viewed_buffer {
 public:
  constexpr viewed_buffer() : memory_(extent_of<S>), view_(memory_.data(), memory_.size()) {}
  constexpr viewed_buffer(const S& source) : memory_(source.data(), source.size()), view_(memory_.data(), memory_.size()) {}
  constexpr viewed_buffer(const viewed_buffer& other) : memory_(other.memory_), view_(memory_.data(), memory_.size()) {}
  constexpr viewed_buffer& operator=(viewed_buffer other) noexcept {
    swap(other);
    return *this;
  }
  constexpr void swap(viewed_buffer& other) noexcept {
    memory_.swap(other.memory_);
    std::swap(view_, other.view_);
  }
  constexpr std::size_t size() const { return memory_.size(); }
  constexpr element_of<S>* data() { return memory_.data(); }
  constexpr const element_of<S>* data() const { return memory_.data(); }
  constexpr element_of<S>& operator[](std::size_t i) { return memory_[i]; }
  constexpr const element_of<S>& operator[](std::size_t i) const { return memory_[i]; }
  constexpr S& view() { return view_; }
  constexpr const S& view() const { return view_; }

 private:
  buffer<element_of<S>> memory_;
  S view_;
};

namespace detail {
template <class S> struct storage {
  using type = S;
};
template <state_view S> struct storage<S> {
  using type = viewed_buffer<S>;
};
}  // namespace detail

/// What the solver keeps a state in: the state's own type, or a buffer of its own for a view.
template <state S> using storage_of = typename detail::storage<S>::type;

/// A state as the model sees it.
template <class S> ENSUE_HD ENSUE_INLINE S& as_argument(S& x) { return x; }
template <class S> auto& as_argument(viewed_buffer<S>& x) { return x.view(); }
template <class S> const auto& as_argument(const viewed_buffer<S>& x) { return x.view(); }

namespace detail {
template <class Body, std::size_t... I> ENSUE_HD ENSUE_INLINE void unrolled(const Body& body, std::index_sequence<I...>) {
  (body(I), ...);
}
template <std::size_t Fixed, class Body> ENSUE_HD ENSUE_INLINE void for_each_below(std::size_t n, const Body& body) {
  if constexpr (Fixed > 0 && Fixed <= 8) {
    unrolled(body, std::make_index_sequence<Fixed>{});
  } else {
    ENSUE_INDEPENDENT
    for (std::size_t i = 0; i < (Fixed > 0 ? Fixed : n); ++i) body(i);
  }
}
}  // namespace detail

/// body(i) for every element, each on its own: unrolled where the type fixes a small number of them, free to be vectorised
/// where it does not.
template <class S, class Body> ENSUE_HD ENSUE_INLINE void for_each_element(const S& x, const Body& body) {
  detail::for_each_below<extent_of<S>>(static_cast<std::size_t>(x.size()), body);
}

/// The same for the first half of them: the positions of a state x = (q, v).
template <class S, class Body> ENSUE_HD ENSUE_INLINE void for_each_in_half(const S& x, const Body& body) {
  detail::for_each_below<extent_of<S> / 2>(static_cast<std::size_t>(x.size()) / 2, body);
}

/// All elements in their order, for sums.
template <class S, class Body> ENSUE_HD ENSUE_INLINE void for_each_in_order(const S& x, const Body& body) {
  constexpr std::size_t fixed = extent_of<S>;
  if constexpr (fixed > 0 && fixed <= 8) {
    detail::unrolled(body, std::make_index_sequence<fixed>{});
  } else {
    const std::size_t n = fixed > 0 ? fixed : static_cast<std::size_t>(x.size());
    for (std::size_t i = 0; i < n; ++i) body(i);
  }
}

/// a = b where the mask says so.
template <class S> ENSUE_HD ENSUE_INLINE void take_over(const mask_of<element_of<S>>& where, S& a, const S& b) {
  for_each_element(a, [where, pa = a.data(), pb = b.data()](std::size_t i) ENSUE_INLINE_LAMBDA { pa[i] = select(where, pb[i], pa[i]); });
}

/// Exchanges two states where the mask says so: for one trajectory a swap (of pointers, where states are dynamic), for
/// many a blend.
template <class S> ENSUE_HD ENSUE_INLINE void exchange(const mask_of<element_of<S>>& where, S& a, S& b) {
  using T = element_of<S>;
  if constexpr (std::is_same_v<mask_of<T>, bool>) {
    if (!where) return;
    if constexpr (extent_of<S> == 0) {
      using std::swap;
      if constexpr (requires { a.swap(b); }) a.swap(b);
      else swap(a, b);
    } else {
      for_each_element(a, [pa = a.data(), pb = b.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
        const T kept = pa[i];
        pa[i] = pb[i];
        pb[i] = kept;
      });
    }
  } else {
    for_each_element(a, [&, pa = a.data(), pb = b.data()](std::size_t i) ENSUE_INLINE_LAMBDA {
      const T kept = pa[i];
      pa[i] = select(where, pb[i], pa[i]);
      pb[i] = select(where, kept, pb[i]);
    });
  }
}

/// The same of masks, and of numbers that are one a lane.
template <class M> ENSUE_HD ENSUE_INLINE void exchange_masks(const M& where, M& a, M& b) {
  const M kept = a;
  a = (where & b) | (a & !where);
  b = (where & kept) | (b & !where);
}
template <class M, class real> ENSUE_HD ENSUE_INLINE void exchange_numbers(const M& where, real& a, real& b) {
  const real kept = a;
  a = select(where, b, a);
  b = select(where, kept, b);
}

/// The largest size of an element, lane by lane.
template <class S> ENSUE_HD ENSUE_INLINE real_of<element_of<S>> largest_of(const S& x) {
  using real = real_of<element_of<S>>;
  real most(0);
  for_each_in_order(x, [&, p = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { most = maximum(most, magnitude(value_of(p[i]))); });
  return most;
}

/// Finite in every element, lane by lane. (0·x is NaN for an infinite or undefined x, and no `max` can lose it.)
template <class S> ENSUE_HD ENSUE_INLINE mask_of<element_of<S>> finite(const S& x) {
  using real = real_of<element_of<S>>;
  real zero = real(0);
  for_each_in_order(x, [&, p = x.data()](std::size_t i) ENSUE_INLINE_LAMBDA { zero = zero + real(0) * value_of(p[i]); });
  return zero == real(0);
}

}  // namespace ensue
