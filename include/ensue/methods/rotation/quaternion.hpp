/// Rotations of space as unit quaternions w + xi + yj + zk, over any scalar.
///
///     const auto turn = ensue::quaternion<double>::exp({0., 0., 1.57});     // a quarter turn about the third axis
///     const auto both = first * turn;                                       // turn, then first
///     const auto there = both.rotate(ensue::vec{1., 0., 0.});
///
/// q and −q are the same rotation. A product of unit quaternions is one up to rounding; nothing here renormalises. As a state
/// (methods/rotation/group.hpp) a quaternion is the orientation of a body whose angular velocity is given, in the body's own frame.
#pragma once

#include <ensue/numbers/config.hpp>
#include <ensue/numbers/scalar.hpp>
#include <ensue/numbers/state.hpp>

#include <cmath>

namespace ensue {

template <class T> ENSUE_HD ENSUE_INLINE constexpr T dot(const vec<T, 3>& a, const vec<T, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T> ENSUE_HD ENSUE_INLINE constexpr vec<T, 3> cross(const vec<T, 3>& a, const vec<T, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Rows of a 3×3 matrix.
template <class T> using matrix3 = vec<vec<T, 3>, 3>;

template <class T> struct quaternion {
  T elements[4];  ///< w, x, y, z

  using value_type = T;
  using base = base_of<T>;
  using tangent = vec<T, 3>;  ///< of the group: a rotation vector in the body's frame
  static constexpr std::size_t extent = 4;
  ENSUE_HD ENSUE_INLINE static constexpr std::size_t size() { return extent; }
  ENSUE_HD ENSUE_INLINE constexpr T* data() { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr const T* data() const { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr T& operator[](std::size_t i) { return elements[i]; }
  ENSUE_HD ENSUE_INLINE constexpr const T& operator[](std::size_t i) const { return elements[i]; }
  friend constexpr bool operator==(const quaternion&, const quaternion&) = default;

  ENSUE_HD ENSUE_INLINE static constexpr quaternion identity() { return {T(1), T(0), T(0), T(0)}; }
  ENSUE_HD ENSUE_INLINE static constexpr quaternion of(const T& scalar, const vec<T, 3>& v) { return {scalar, v[0], v[1], v[2]}; }
  ENSUE_HD ENSUE_INLINE constexpr const T& scalar_part() const { return elements[0]; }
  ENSUE_HD ENSUE_INLINE constexpr vec<T, 3> vector_part() const { return {elements[1], elements[2], elements[3]}; }
  ENSUE_HD ENSUE_INLINE constexpr T squared_norm() const {
    return (elements[0] * elements[0] + elements[1] * elements[1]) + (elements[2] * elements[2] + elements[3] * elements[3]);
  }

  ENSUE_HD ENSUE_INLINE friend constexpr quaternion operator*(const quaternion& a, const quaternion& b) {
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],  //
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],  //
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],  //
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  }
  ENSUE_HD ENSUE_INLINE constexpr quaternion operator-() const { return {-elements[0], -elements[1], -elements[2], -elements[3]}; }
  /// The rotation back.
  ENSUE_HD ENSUE_INLINE constexpr quaternion conjugate() const { return {elements[0], -elements[1], -elements[2], -elements[3]}; }

  /// The body's vector v as space sees it: v + 2w(u×v) + 2u×(u×v) with u = (x, y, z).
  ENSUE_HD ENSUE_INLINE constexpr vec<T, 3> rotate(const vec<T, 3>& v) const {
    const vec<T, 3> u = vector_part(), c = cross(u, v), twice = {c[0] + c[0], c[1] + c[1], c[2] + c[2]}, d = cross(u, twice);
    return {v[0] + elements[0] * twice[0] + d[0], v[1] + elements[0] * twice[1] + d[1], v[2] + elements[0] * twice[2] + d[2]};
  }
  /// The vector v of space as the body sees it.
  ENSUE_HD ENSUE_INLINE constexpr vec<T, 3> rotate_back(const vec<T, 3>& v) const { return conjugate().rotate(v); }

  /// The rotation about u by the angle |u|.
  ENSUE_HD ENSUE_INLINE static quaternion exp(const vec<T, 3>& u) {
    using std::cos, std::sin, std::sqrt;
    const T squared = dot(u, u);
    const auto small = squared < T(short_angle);
    T half_sine = series_of_sine(squared), cosine = series_of_cosine(squared);
    if (!all(small)) {
      const T angle = sqrt(select(small, T(1), squared)), half = base(0.5) * angle;
      half_sine = select(small, half_sine, sin(half) / angle);
      cosine = select(small, cosine, cos(half));
    }
    return {cosine, half_sine * u[0], half_sine * u[1], half_sine * u[2]};
  }

  /// The shortest rotation vector: exp(log(q)) is q or −q.
  ENSUE_HD ENSUE_INLINE vec<T, 3> log() const {
    using std::atan2, std::sqrt;
    const auto beyond = elements[0] < T(0);
    const T w = select(beyond, -elements[0], elements[0]);
    const vec<T, 3> v = vector_part();
    const T squared = dot(v, v);
    const auto small = squared < T(short_sine);
    T scale = series_of_arcsine(squared);
    if (!all(small)) {
      const T length = sqrt(select(small, T(1), squared));
      scale = select(small, scale, T(base(2)) * atan2(length, w) / length);
    }
    scale = select(beyond, -scale, scale);
    return {scale * v[0], scale * v[1], scale * v[2]};
  }

  /// q·turn for a unit quaternion `turn`, of which only the vector part v is taken at its word: q + q·(turn − 1), where
  /// w − 1 = −|v|²/(1 + w). A turn that is off its unit length by a rounding error, always the same, would stretch q by n of them in n
  /// equal steps; this one is off by |v|² of it. The sign of `turn` is chosen so that w ≥ 0, which makes q a continuous function of time.
  ENSUE_HD ENSUE_INLINE constexpr quaternion turned(const quaternion& turn) const {
    const auto beyond = turn[0] < T(0);
    const T w = select(beyond, -turn[0], turn[0]);
    const vec<T, 3> u = turn.vector_part(), v = {select(beyond, -u[0], u[0]), select(beyond, -u[1], u[1]), select(beyond, -u[2], u[2])};
    const quaternion change = *this * of(-(dot(v, v) / (T(1) + w)), v);
    return {elements[0] + change[0], elements[1] + change[1], elements[2] + change[2], elements[3] + change[3]};
  }

  ENSUE_HD ENSUE_INLINE constexpr matrix3<T> matrix() const {
    const vec<T, 3> c[3] = {rotate({T(1), T(0), T(0)}), rotate({T(0), T(1), T(0)}), rotate({T(0), T(0), T(1)})};
    return {vec<T, 3>{c[0][0], c[1][0], c[2][0]}, vec<T, 3>{c[0][1], c[1][1], c[2][1]}, vec<T, 3>{c[0][2], c[1][2], c[2][2]}};
  }

  /// Of a rotation matrix. Four times the product of a component with each of the four are sums of entries; the component that is
  /// largest is divided by (S. W. Shepperd 1978, J. Guidance and Control 1, 223–224).
  ENSUE_HD ENSUE_INLINE static quaternion from_matrix(const matrix3<T>& m) {
    using std::sqrt;
    const T one(1);
    const T squares[4] = {one + m[0][0] + m[1][1] + m[2][2], one + m[0][0] - m[1][1] - m[2][2],
                          one - m[0][0] + m[1][1] - m[2][2], one - m[0][0] - m[1][1] + m[2][2]};
    const T wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
    const T xy = m[1][0] + m[0][1], xz = m[0][2] + m[2][0], yz = m[2][1] + m[1][2];
    const T rows[4][4] = {{squares[0], wx, wy, wz}, {wx, squares[1], xy, xz}, {wy, xy, squares[2], yz}, {wz, xz, yz, squares[3]}};
    T largest_square = squares[0];
    quaternion q = {rows[0][0], rows[0][1], rows[0][2], rows[0][3]};
    for (int i = 1; i < 4; ++i) {
      const auto larger = squares[i] > largest_square;
      largest_square = select(larger, squares[i], largest_square);
      for (int j = 0; j < 4; ++j) q.elements[j] = select(larger, rows[i][j], q.elements[j]);
    }
    const T scale = base(0.5) / sqrt(largest_square);
    return {scale * q[0], scale * q[1], scale * q[2], scale * q[3]};
  }

  // As a group (methods/rotation/group.hpp): u is a rotation vector in the body's frame.
  ENSUE_HD ENSUE_INLINE quaternion plus(const tangent& u) const { return turned(exp(u)); }
  ENSUE_HD ENSUE_INLINE constexpr quaternion velocity(const tangent& omega) const {  // q' = q·(0, ω)/2
    const quaternion d = *this * of(T(0), omega);
    return {base(0.5) * d[0], base(0.5) * d[1], base(0.5) * d[2], base(0.5) * d[3]};
  }
  ENSUE_HD ENSUE_INLINE static constexpr tangent bracket(const tangent& u, const tangent& w) { return cross(u, w); }
  /// The unit quaternion nearest to four numbers: for interpolants, whose polynomials leave the group.
  ENSUE_HD ENSUE_INLINE static void return_to_group(T* q) {
    using std::sqrt;
    const T scale = T(1) / sqrt(quaternion{q[0], q[1], q[2], q[3]}.squared_norm());
    for (int i = 0; i < 4; ++i) q[i] = scale * q[i];
  }

 private:
  // Squares of an angle and of a sine below which five terms of the series are exact to 1e-20.
  static constexpr base short_angle = base(1e-2), short_sine = base(3e-4);

  /// sin(θ/2)/θ and cos(θ/2) from x = θ².
  ENSUE_HD ENSUE_INLINE static constexpr T series_of_sine(const T& x) {
    return base(0.5) + x * (base(-1 / 48.L) + x * (base(1 / 3840.L) + x * (base(-1 / 645120.L) + x * base(1 / 185794560.L))));
  }
  ENSUE_HD ENSUE_INLINE static constexpr T series_of_cosine(const T& x) {
    return base(1) + x * (base(-1 / 8.L) + x * (base(1 / 384.L) + x * (base(-1 / 46080.L) + x * base(1 / 10321920.L))));
  }
  /// 2·arcsin(s)/s from x = s².
  ENSUE_HD ENSUE_INLINE static constexpr T series_of_arcsine(const T& x) {
    return base(2) + x * (base(1 / 3.L) + x * (base(3 / 20.L) + x * (base(5 / 56.L) + x * base(35 / 576.L))));
  }
};

}  // namespace ensue
