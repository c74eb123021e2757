/// Unit quaternions: group laws, exp and log, matrices, every scalar.
#include <ensue/numbers/dual.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/methods/rotation/rotating_body.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace ensue;

template <class T> struct quaternions : testing::Test {
  std::mt19937 random{3};
  vec<T, 3> vector(double size) {
    std::normal_distribution<double> normal;
    vec<T, 3> v{T(normal(random)), T(normal(random)), T(normal(random))};
    const T scale = T(size) / std::sqrt(dot(v, v));
    return {scale * v[0], scale * v[1], scale * v[2]};
  }
};
using plain = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(quaternions, plain);

template <class A> auto distance(const A& a, const A& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, static_cast<double>(std::fabs(a[i] - b[i])));
  return worst;
}

TYPED_TEST(quaternions, form_a_group_that_turns_vectors) {
  using T = TypeParam;
  const double tiny = 8 * static_cast<double>(epsilon<T>);
  for (int n = 0; n < 100; ++n) {
    const auto a = quaternion<T>::exp(this->vector(2)), b = quaternion<T>::exp(this->vector(3)), c = quaternion<T>::exp(this->vector(0.4));
    const auto v = this->vector(1);
    EXPECT_LE(distance((a * b) * c, a * (b * c)), tiny);
    EXPECT_LE(distance(a * a.conjugate(), quaternion<T>::identity()), tiny);
    EXPECT_LE(distance((a * b).rotate(v), a.rotate(b.rotate(v))), tiny);
    EXPECT_LE(distance(a.rotate_back(a.rotate(v)), v), tiny);
    EXPECT_LE(std::fabs(static_cast<double>(dot(a.rotate(v), a.rotate(v)) - T(1))), tiny);
    EXPECT_LE(distance(a.turned(b), b[0] < T(0) ? -(a * b) : a * b), tiny) << "turned is a product whose sign keeps the way short";
    const auto m = a.matrix();
    EXPECT_LE(distance(vec<T, 3>{dot(m[0], v), dot(m[1], v), dot(m[2], v)}, a.rotate(v)), tiny);
    const auto back = quaternion<T>::from_matrix(m);
    EXPECT_LE(std::min(distance(back, a), distance(-back, a)), tiny);
  }
}

TYPED_TEST(quaternions, turn_about_an_axis_by_the_right_hand) {
  using T = TypeParam;
  const auto quarter = quaternion<T>::exp({T(0), T(0), T(std::acos(-1.L) / 2)});
  EXPECT_LE(distance(quarter.rotate({T(1), T(0), T(0)}), vec<T, 3>{T(0), T(1), T(0)}), 4 * static_cast<double>(epsilon<T>));
}

TYPED_TEST(quaternions, have_a_logarithm_at_every_angle) {
  using T = TypeParam;
  for (const double angle : {0., 1e-30, 1e-9, 1e-3, 0.0346, 0.0347, 0.0999, 0.1, 0.1001, 1., 3., 3.1415}) {
    const auto u = this->vector(angle);
    const auto q = quaternion<T>::exp(u);
    EXPECT_LE(distance(q.log(), u), 8 * static_cast<double>(epsilon<T>) * angle) << angle;
    EXPECT_LE(distance((-q).log(), u), 8 * static_cast<double>(epsilon<T>) * angle) << angle;
    const long double half = angle / 2.L;
    EXPECT_LE(std::fabs(static_cast<double>(q[0] - std::cos(half))), 2 * static_cast<double>(epsilon<T>)) << angle;
  }
}

TYPED_TEST(quaternions, of_matrices_with_any_largest_component) {
  using T = TypeParam;
  for (std::size_t i = 0; i < 3; ++i) {
    vec<T, 3> u{T(0.1), T(0.05), T(-0.1)};
    u[i] = T(3.1);
    const auto q = quaternion<T>::exp(u), back = quaternion<T>::from_matrix(q.matrix());
    EXPECT_LE(std::min(distance(back, q), distance(-back, q)), 8 * static_cast<double>(epsilon<T>));
  }
}

/// d/ds of x.plus(s w) at s = 0 is what `velocity` says, by dual numbers; the series near 0 and the functions beyond.
TEST(tangents, are_velocities_of_the_numbers) {
  using D = dual<double, 1>;
  const auto x = rotating_body<double>::of(quaternion<double>::exp({0.3, -1., 2.}), {1., 2., 3.});
  const vec<double, 6> w{0.5, -0.2, 0.7, 1., 0., -2.};
  rotating_body<D> moved;
  vec<D, 6> sw;
  for (std::size_t i = 0; i < 7; ++i) moved[i] = D(x[i]);
  for (std::size_t i = 0; i < 6; ++i) sw[i] = D::variable(0) * w[i];
  moved = moved.plus(sw);
  const auto velocity = x.velocity(w);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_DOUBLE_EQ(moved[i].value, x[i]);
    EXPECT_NEAR(moved[i].derivative[0], velocity[i], 1e-15);
  }
  // Far from 0: exp((s + ds) u) = exp(s u) exp(ds u), and through log and back.
  const auto q = quaternion<D>::exp({D::variable(1) * 1.5, D(0), D::variable(1) * 2.});
  const auto expected = quaternion<double>::exp({1.5, 0., 2.}).velocity({1.5, 0., 2.});
  const auto again = quaternion<D>::exp(q.log());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(q[i].derivative[0], expected[i], 1e-15);
    EXPECT_NEAR(again[i].derivative[0], expected[i], 1e-14);
  }
}

TEST(lanes_of_quaternions, are_the_scalar_ones) {
  using P = pack<double, 4>;
  const double sizes[4] = {0, 1e-5, 0.7, 3};
  const auto u = P::load(sizes);
  const auto q = quaternion<P>::exp({u, u * P(0.5), -u});
  const auto l = q.log();
  for (int lane = 0; lane < 4; ++lane) {
    const double s = sizes[lane];
    const auto alone = quaternion<double>::exp({s, s * 0.5, -s});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(q[i][lane], alone[i]);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(l[i][lane], alone.log()[i]);
  }
}

}  // namespace
