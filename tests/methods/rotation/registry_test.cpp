/// Methods on rotations by name: they turn rigid bodies as the C++ types do, and refuse what is none.
#include <ensue/integrator.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/registry.hpp>
#include <ensue/methods/rotation/rkmk4.hpp>
#include <ensue/methods/rotation/rotation_splitting.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace ensue;

/// Hangs by its first axis.
struct pull {
  void operator()(double t, const quaternion<double>& q, vec<double, 3>& n) const {
    n = cross(q.rotate({1., 0., 0.}), vec<double, 3>{0., 0.1 * std::sin(t), -0.3});
  }
};
const models::rigid_body<double, pull> body{{0.3, 0.5, 0.9}, {}};
const rotating_body<double> start = body.spinning({0.2, 1., 0.3});
const std::vector<double> numbers(start.elements, start.elements + 7);

template <class Method> void expect_the_same_run() {
  const auto named = find_method(Method::name)->make(body, numbers, 0, {.step = 0.01});
  integrator typed{body, start, Method{}, options<rotating_body<double>>{.step = 0.01}};
  ASSERT_EQ(named->advance_to(2), outcome::finished) << named->message();
  typed.advance_to(2);
  EXPECT_EQ(named->statistics().evaluations, typed.statistics().evaluations);
  std::vector<double> inside(7);
  rotating_body<double> typed_inside;
  named->interpolate(1.995, inside);
  typed.interpolate(1.995, typed_inside);
  const auto& cost = named->info().evaluations;
  EXPECT_EQ(named->statistics().evaluations, cost.start + 200 * cost.accepted + (cost.start ? 0 : 1)) << "the look inside makes the next one's first";
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(named->state()[i], typed.state()[i]);
    EXPECT_EQ(named->derivative()[i], typed.derivative()[i]);
    EXPECT_EQ(inside[i], typed_inside[i]);
  }
}

TEST(rotations_by_name, are_those_of_the_types) {
  expect_the_same_run<rkmk4>();
  expect_the_same_run<rotation_splitting>();
}

TEST(rotations_by_name, refuse_what_is_no_rotation) {
  const auto decay = [](double, auto x, auto dx) { dx[0] = -x[0]; };
  struct spring {
    void acceleration(double, std::span<const double> q, std::span<double> a) const { a[0] = -q[0]; }
  };
  for (const char* name : {"lie-euler", "rkmk4", "free-rotation", "rotation_splitting", "moser_veselov"}) {
    const method_info& method = *find_method(name);
    EXPECT_NE(refusal(method, force_of::none).find("is for rotations"), std::string::npos) << name;
    EXPECT_NE(refusal(method, force_of::position).find("is for rotations"), std::string::npos) << name;
    EXPECT_EQ(refusal(method, force_of::rotation), "") << name;
    EXPECT_THROW(method.make(decay, std::vector{1.}, 0, {.step = 0.1}), std::invalid_argument) << name;
    EXPECT_THROW(method.make(spring{}, std::vector{1., 0.}, 0, {.step = 0.1}), std::invalid_argument) << name;
    EXPECT_THROW(method.make(body, std::vector{1., 0.}, 0, {.step = 0.1}), std::length_error) << name;
  }
}

/// To other methods a body is seven numbers: a tight run agrees, and its quaternion is unit to its tolerance only.
TEST(rotations_by_name, are_numbers_to_other_methods) {
  EXPECT_NE(refusal(*find_method("verlet"), force_of::rotation), "");
  const auto tight = find_method("vern9")->make(body, numbers, 0, {.rtol = 1e-12, .atol = 1e-12});
  const auto turned = find_method("rkmk4")->make(body, numbers, 0, {.step = 1e-3});
  ASSERT_EQ(tight->advance_to(3), outcome::finished);
  ASSERT_EQ(turned->advance_to(3), outcome::finished);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(tight->state()[i], turned->state()[i], 1e-10);
  const auto loose = find_method("dp54")->make(body, numbers, 0, {.rtol = 1e-4, .atol = 1e-4});
  ASSERT_EQ(loose->advance_to(3), outcome::finished);
  const auto x = loose->state();
  EXPECT_GT(std::fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 1), 1e-7);
}

}  // namespace
