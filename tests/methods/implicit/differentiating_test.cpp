/// What every method that differentiates its model has to do: orders, stiff components, endings. The methods are those of the registry.
#include <ensue/registry.hpp>

#include "support/power.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace ensue;
using tests::swirl;
using numbers = std::vector<double>;

struct differentiating : testing::TestWithParam<const method_info*> {
  const method_info& method() const { return *GetParam(); }
};
std::vector<const method_info*> differentiating_methods() {
  std::vector<const method_info*> found;
  for (const method_info* method : all_methods())
    if (method->evaluations.differentiates) found.push_back(method);
  return found;
}
INSTANTIATE_TEST_SUITE_P(implicit, differentiating, testing::ValuesIn(differentiating_methods()), [](const auto& info) {
  std::string name(info.param->name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST_P(differentiating, has_the_order_stated_on_a_nonlinear_problem_with_time) {
  constexpr double length = 2;
  constexpr int starts = 4;
  const auto f = [](double t, auto x, auto dx) {
    vec<double, 3> slope;
    swirl<double>{}(t, {x[0], x[1], x[2]}, slope);
    for (int i = 0; i < 3; ++i) dx[i] = slope[i];
  };
  const auto error = [&](int n, int part) {
    double sum = 0;
    for (int k = 0; k < starts; ++k) {
      const double from = swirl<double>::period * k / starts;
      const auto run = method().make(f, swirl<double>::solution(from), from, {.step = length / (4 * n)});
      EXPECT_EQ(run->advance_to(from + length), outcome::finished);
      numbers x(3);
      const double t = run->time() - part * length / (4 * n) / 8;
      run->interpolate(t, x);
      const auto exact = swirl<double>::solution(t);
      for (int i = 0; i < 3; ++i) sum += std::pow(x[i] - exact[i], 2);
    }
    return std::sqrt(sum / starts);
  };
  const auto order_at = [&](int part) {
    return tests::observed_power(length, 100, [&](int n) { return error(n, part); }, [](int) { return 2e-12; });
  };
  EXPECT_NEAR(order_at(0), method().order, 0.2);
  RecordProperty("order", std::to_string(order_at(0)));
  EXPECT_GT(order_at(3), method().dense_order - 0.2) << "inside the last step";
}

/// x' = −x, y' = −ky (Baraff & Witkin 1997, section 2).
struct textbook {
  double k = 1e6;
  void operator()(double, std::span<const double> x, std::span<double> dx) const { dx[0] = -x[0], dx[1] = -k * x[1]; }
  void jacobian(double, std::span<const double>, linear::dense_matrix<double>& j) const { j(0, 0) = -1, j(1, 1) = -k; }
};

TEST_P(differentiating, is_stable_as_it_says) {
  EXPECT_EQ(method().real_stability, infinity<double>);
  EXPECT_EQ(method().imaginary_stability, infinity<double>);
  for (const double k : {1e3, 1e6, 1e12}) {
    const auto run = method().make(textbook{k}, numbers{1., 1.}, 0, {.step = 1});
    run->advance_to(1);
    if (method().l_stable) {
      EXPECT_LT(std::abs(run->state()[1]), 30 / k) << "one step of length 1";
    }
    ASSERT_EQ(run->advance_to(100), outcome::finished) << run->message();
    EXPECT_LT(std::abs(run->state()[1]), method().l_stable ? 1e-14 : 1 + 1e-9) << "k = " << k;
  }
}

TEST_P(differentiating, never_warns_of_stiffness) {
  if (!method().adaptive) return;
  const auto run = method().make(textbook{1e4}, numbers{1., 1.}, 0, {.rtol = 1e-3, .max_step = 0.01});
  ASSERT_EQ(run->advance_to(5), outcome::finished);
  EXPECT_GE(run->statistics().steps, 500);
  EXPECT_FALSE(run->ending().stiff());
}

/// f itself is told from f': not defined, not finite.
TEST_P(differentiating, ends_where_f_does) {
  const auto wall = [](double, auto x, auto dx) { return dx[0] = 1, x[0] < 0.5; };
  const auto root = [](double, auto x, auto dx) { dx[0] = 1 + std::sqrt(0.5 - x[0]); };
  for (const double step : {0.0625, 0.}) {
    if (step == 0 && !method().adaptive) continue;
    const auto stopped = method().make(wall, numbers{0.}, 0, {.step = step});
    EXPECT_EQ(stopped->advance_to(3), outcome::derivative_failed) << stopped->message();
    EXPECT_LE(stopped->time(), 0.5 + step + 1e-14);  // x is the sum of the steps, rounded otherwise than t
    const auto broken = method().make(root, numbers{0.}, 0, {.step = step});
    EXPECT_EQ(broken->advance_to(3), outcome::derivative_not_finite) << broken->message();
    EXPECT_EQ(broken->ending().component, 0);
  }
}

/// A frame's step, taken again and again: a stiff spring, hit by the mouse now and then, does not explode.
TEST_P(differentiating, keeps_a_frame_loop_alive) {
  const auto spring = [](double, auto x, auto dx) { dx[0] = x[1], dx[1] = -1e6 * x[0] - 10 * x[1]; };
  const auto run = method().make(spring, numbers{0.01, 0.}, 0, {.step = 1. / 60});
  for (int frame = 0; frame < 600; ++frame) {
    ASSERT_EQ(run->advance(1. / 60), outcome::finished) << run->message();
    if (frame == 300) run->set_state(numbers{0.01, 0.});
  }
  EXPECT_EQ(run->statistics().steps, 600);
  EXPECT_LT(std::abs(run->state()[0]), method().l_stable ? 1e-6 : 0.011);
}

}  // namespace
