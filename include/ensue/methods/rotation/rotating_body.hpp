/// A rotating body: its orientation, and its angular momentum in space.
///
///     ensue::rotating_body<double> box{orientation, momentum};
///     box.orientation().rotate(corner), box.angular_momentum()
///
/// The momentum is kept in space, not in the body, because there it changes by torques alone: without one, no method ever touches it, and
/// it holds bit for bit. What the body sees of it, m = Rᵀ L, follows from the orientation.
#pragma once

#include <ensue/methods/rotation/group.hpp>
#include <ensue/methods/rotation/quaternion.hpp>

namespace ensue {

template <class T> struct rotating_body {
  T elements[7];  ///< w, x, y, z of the orientation (body to space); the angular momentum

  using value_type = T;
  using tangent = vec<T, 6>;  ///< angular velocity in the body's frame, torque in space
  static constexpr std::size_t extent = 7;
  ENSUE_HD ENSUE_INLINE static constexpr std::size_t size() { return extent; }
  ENSUE_HD ENSUE_INLINE constexpr T* data() { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr const T* data() const { return elements; }
  ENSUE_HD ENSUE_INLINE constexpr T& operator[](std::size_t i) { return elements[i]; }
  ENSUE_HD ENSUE_INLINE constexpr const T& operator[](std::size_t i) const { return elements[i]; }
  friend constexpr bool operator==(const rotating_body&, const rotating_body&) = default;

  ENSUE_HD ENSUE_INLINE static constexpr rotating_body of(const quaternion<T>& q, const vec<T, 3>& momentum) {
    return {q[0], q[1], q[2], q[3], momentum[0], momentum[1], momentum[2]};
  }
  ENSUE_HD ENSUE_INLINE constexpr quaternion<T> orientation() const { return {elements[0], elements[1], elements[2], elements[3]}; }
  ENSUE_HD ENSUE_INLINE constexpr vec<T, 3> angular_momentum() const { return {elements[4], elements[5], elements[6]}; }
  /// The angular momentum as the body sees it.
  ENSUE_HD ENSUE_INLINE constexpr vec<T, 3> body_momentum() const { return orientation().rotate_back(angular_momentum()); }

  // The group: rotations, and momenta that are added.
  ENSUE_HD ENSUE_INLINE rotating_body plus(const tangent& u) const {
    return of(orientation().plus({u[0], u[1], u[2]}), {elements[4] + u[3], elements[5] + u[4], elements[6] + u[5]});
  }
  ENSUE_HD ENSUE_INLINE constexpr rotating_body velocity(const tangent& w) const {
    return of(orientation().velocity({w[0], w[1], w[2]}), {w[3], w[4], w[5]});
  }
  ENSUE_HD ENSUE_INLINE static constexpr tangent bracket(const tangent& u, const tangent& w) {
    const vec<T, 3> c = cross(vec<T, 3>{u[0], u[1], u[2]}, vec<T, 3>{w[0], w[1], w[2]});
    return {c[0], c[1], c[2], T(0), T(0), T(0)};
  }
  ENSUE_HD ENSUE_INLINE static void return_to_group(T* x) { quaternion<T>::return_to_group(x); }
};

}  // namespace ensue
