/// What the registry says of every method is what its type states, and what its integrator does.
#include <ensue/registry.hpp>

#include <ensue/ensue.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace ensue;

using settings = options<std::span<double>>;

struct lorenz {
  template <class X, class DX> void operator()(double, const X& u, DX& du) const {
    du[0] = 10 * (u[1] - u[0]);
    du[1] = u[0] * (28 - u[2]) - u[1];
    du[2] = u[0] * u[1] - 8. / 3 * u[2];
  }
};
const vec start{1., 0., 0.};

/// The registry's entry of a type.
template <class Method> const method_info& entry() {
  const method_info* found = find_method(Method::name);
  if (!found) throw std::runtime_error(std::string(Method::name) + " is not in the registry");
  return *found;
}

template <class Method> struct registry : testing::Test {};
TYPED_TEST_SUITE(registry, tests::typed<tests::tested_methods>);

TYPED_TEST(registry, says_what_the_table_says) {
  const method_info& info = entry<TypeParam>();
  const auto& table = TypeParam::table;
  EXPECT_EQ(info.name, TypeParam::name);
  EXPECT_EQ(info.citation, TypeParam::citation);
  EXPECT_EQ(info.order, table.order);
  EXPECT_EQ(info.stages, table.stages);
  EXPECT_EQ(info.fsal, table.fsal());
  EXPECT_EQ(info.adaptive, table.embedded_rows > 0);
  ASSERT_EQ(info.embedded_orders.size(), static_cast<std::size_t>(table.embedded_rows));
  for (std::size_t row = 0; row < info.embedded_orders.size(); ++row)
    EXPECT_EQ(info.embedded_orders[row], table.embedded[row].order);
  EXPECT_EQ(info.embedded_order(), table.embedded_rows > 0 ? table.embedded[0].order : 0);
  const auto& dense = ensue::detail::dense_table_of<TypeParam>();
  EXPECT_EQ(info.dense_order, std::min(table.order, dense.dense_degree > 0 ? dense.dense_order : 3));
  EXPECT_EQ(info.real_stability, real_stability_interval(table));
  EXPECT_EQ(info.imaginary_stability, imaginary_stability_interval(table));
}

/// Fixed and adaptive, there and back, frame by frame: the same numbers as the type's.
TYPED_TEST(registry, makes_the_integrator_of_the_type_bit_for_bit) {
  for (const bool fixed : {true, false}) {
    const auto made = entry<TypeParam>().make(lorenz{}, start, 2, {.rtol = 1e-5, .step = fixed ? 0.01 : 0.});
    integrator typed{problem{lorenz{}, start, {2, 2}}, TypeParam{}, {.rtol = 1e-5, .step = fixed ? 0.01 : 0.}};
    const auto expect_the_same = [&] {
      EXPECT_EQ(made->time(), typed.time());
      ASSERT_EQ(made->state().size(), 3u);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(made->state()[i], typed.state()[i]) << "x[" << i << "]";
      EXPECT_EQ(made->statistics().steps, typed.statistics().steps);
      EXPECT_EQ(made->statistics().rejected, typed.statistics().rejected);
      EXPECT_EQ(made->statistics().evaluations, typed.statistics().evaluations);
      EXPECT_EQ(made->message(), typed.message());
      EXPECT_EQ(made->ending().how, typed.ending().how);
    };
    expect_the_same();
    EXPECT_EQ(made->advance_to(2.125), typed.advance_to(2.125));
    expect_the_same();
    EXPECT_EQ(made->advance_to(2.0625), typed.advance_to(2.0625));
    EXPECT_EQ(made->advance(0.02), typed.advance(0.02));
    EXPECT_EQ(made->advance(0.02), typed.advance(0.02));
    expect_the_same();
    made->set_state(std::vector{1., 2., 3.});
    typed.set_state(vec{1., 2., 3.});
    EXPECT_EQ(made->step(), typed.step());
    expect_the_same();

    std::vector<double> inside(3);
    vec<double, 3> typed_inside{};
    const double last = made->time() - 1e-3;
    made->interpolate(last, inside);
    typed.interpolate(last, typed_inside);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(inside[i], typed_inside[i]);

    made->set_state(-1, start);
    typed.set_state(-1, start);
    expect_the_same();
    EXPECT_EQ(&made->info(), &entry<TypeParam>());
  }
}

/// A formula is a promise: f is called as often as it says, exactly, with fixed steps, adaptive ones, rejected ones, a first step
/// given or chosen, and after the state was changed.
TYPED_TEST(registry, counts_evaluations_as_its_formula_does) {
  const method_info& info = entry<TypeParam>();
  const evaluation_formula& per = info.evaluations;
  long calls = 0;
  const auto counted = [&calls](double t, std::span<const double> x, std::span<double> dx) {
    ++calls;
    dx[0] = x[1];
    dx[1] =
        -std::sin(x[0]) * (1 + 50 * std::exp(-20 * (t - 3) * (t - 3)));  // a blow at t = 3, so that steps are rejected
  };
  const std::vector pendulum{1.2, 0.1};
  const auto expect_the_formula = [&](const any_integrator& run, int restarts, int choices) {
    const auto& cost = run.statistics();
    EXPECT_EQ(cost.evaluations, calls);
    EXPECT_EQ(cost.evaluations, per.start + per.accepted * cost.steps + per.rejected * cost.rejected +
                                    per.restart * restarts + per.first_step_choice * choices);
  };

  const auto fixed = info.make(counted, pendulum, 0, {.step = 0.01});
  EXPECT_EQ(fixed->advance_to(5), outcome::finished);
  EXPECT_EQ(fixed->statistics().steps, 500);
  expect_the_formula(*fixed, 0, 0);
  fixed->set_state(pendulum);
  EXPECT_EQ(fixed->advance_to(6), outcome::finished);
  expect_the_formula(*fixed, 1, 0);

  if (!info.adaptive) return;
  for (const double first_step : {0., 2.}) {
    calls = 0;
    const auto adaptive = info.make(counted, pendulum, 0, {.rtol = 1e-5, .atol = 1e-7, .first_step = first_step});
    EXPECT_EQ(adaptive->advance_to(6), outcome::finished);
    if (first_step > 0) {
      EXPECT_GT(adaptive->statistics().rejected, 0);
    }
    expect_the_formula(*adaptive, 0, first_step == 0 ? 1 : 0);
    adaptive->set_state(pendulum);
    EXPECT_EQ(adaptive->advance_to(4), outcome::finished) << "backwards";
    expect_the_formula(*adaptive, 1, first_step == 0 ? 1 : 0);
  }
}

/// The formula's numbers by hand, where the paper or the issue states them.
TEST(registry_of_methods, has_the_known_costs) {
  const auto cost_of = [](const char* name) { return find_method(name)->evaluations; };
  EXPECT_EQ(cost_of("dp54"), (evaluation_formula{1, 6, 6, 1, 1}));
  EXPECT_EQ(cost_of("rkf45"), (evaluation_formula{0, 6, 5, 0, 1}));
  EXPECT_EQ(cost_of("dop853"), (evaluation_formula{1, 12, 11, 1, 1, 3}));
  EXPECT_EQ(cost_of("rk4"), (evaluation_formula{0, 4, 3, 0, 0}));
  EXPECT_EQ(cost_of("doubling(rk4)"), (evaluation_formula{0, 11, 10, 0, 1}));
}

TEST(registry_of_methods, keeps_the_order_of_the_list_and_each_name_once) {
  std::vector<std::string> listed;
  tests::for_each_method([&]<class Method> { listed.emplace_back(Method::name); });
  tests::for_each_method<tests::second_order_methods>([&]<class Method> { listed.emplace_back(Method::name); });
  tests::for_each_method<tests::implicit_methods>([&]<class Method> { listed.emplace_back(Method::name); });
  tests::for_each_method<tests::rotation_methods>([&]<class Method> { listed.emplace_back(Method::name); });
  std::vector<std::string> registered;
  for (const method_info* method : all_methods()) registered.emplace_back(method->name);
  EXPECT_EQ(registered, listed);
  EXPECT_EQ(std::set(registered.begin(), registered.end()).size(), registered.size());
}

TEST(registry_of_methods, finds_names_with_either_dash) {
  for (const method_info* method : all_methods()) {
    std::string name(method->name);
    for (char& c : name) c = c == '-' ? '_' : c;
    EXPECT_EQ(find_method(name), method);
    for (char& c : name) c = c == '_' ? '-' : c;
    EXPECT_EQ(find_method(name), method);
  }
  EXPECT_TRUE(same_method_name("semi-implicit_euler", "semi_implicit-euler"));
  EXPECT_FALSE(same_method_name("semi-implicit-euler", "semi implicit euler"));
  EXPECT_EQ(find_method(""), nullptr);
  EXPECT_EQ(find_method("dp5"), nullptr);
  EXPECT_EQ(find_method("dp544"), nullptr);
}

TEST(registry_of_methods, guesses_what_was_meant) {
  const auto guess = [](const char* typed) {
    const method_info* nearest = nearest_method(typed);
    return nearest ? std::string(nearest->name) : "nothing";
  };
  EXPECT_EQ(guess("dp45"), "dp54");
  EXPECT_EQ(guess("DP54"), "dp54");
  EXPECT_EQ(guess("tsit"), "tsit5");
  EXPECT_EQ(guess("eular"), "euler");
  EXPECT_EQ(guess("dopri853"), "dop853");
  EXPECT_EQ(guess("doubling-rk4"), "doubling(rk4)");
  EXPECT_EQ(guess("backwards-differences"), "nothing");
  EXPECT_EQ(guess(""), "nothing");
  EXPECT_EQ(no_such_method("dp45"), "there is no method 'dp45'; did you mean 'dp54'?");
  EXPECT_NE(no_such_method("cranknicolson").find("there are euler, midpoint, "), std::string::npos);
}

TEST(system_function, takes_models_of_every_kind) {
  struct with_member {
    double rate;
    bool derivative(double, std::span<const double> x, std::span<double> dx) const {
      dx[0] = -rate * x[0];
      return x[0] < 10;
    }
  };
  std::vector<double> x{2.}, dx{0.};
  EXPECT_TRUE(system_function([](double t, const auto& u, auto& du) { du[0] = t * u[0]; })(3, x, dx));
  EXPECT_EQ(dx[0], 6);
  EXPECT_TRUE(system_function(with_member{5})(0, x, dx));
  EXPECT_EQ(dx[0], -10);
  EXPECT_FALSE(system_function(with_member{5})(0, std::vector{11.}, dx));
  int calls = 0;
  auto counting = [&calls, own = 0](double, std::span<const double>, std::span<double> du) mutable {
    du[0] = ++own, ++calls;
  };
  const system_function f = std::ref(counting), copy = f;
  f(0, x, dx), copy(0, x, dx);
  EXPECT_EQ(dx[0], 2) << "std::ref shares one model";
  EXPECT_EQ(calls, 2);
}

TEST(any_integrator, does_not_touch_its_start_and_refuses_other_lengths) {
  const std::vector<double> x0{1.};
  const auto decay = [](double, auto x, auto dx) { dx[0] = -x[0]; };
  const auto sim = find_method("dp54")->make(decay, x0, 0, {});
  EXPECT_EQ(sim->advance_to(1), outcome::finished) << sim->message();
  EXPECT_NEAR(sim->state()[0], std::exp(-1.), 1e-6);
  EXPECT_EQ(x0[0], 1);
  std::vector<double> two(2);
  EXPECT_THROW(sim->set_state(two), std::length_error);
  EXPECT_THROW(sim->set_state(0, two), std::length_error);
  EXPECT_THROW(sim->interpolate(0.9, two), std::length_error);
  EXPECT_EQ(sim->time(), 1);
}

TEST(any_integrator, ends_as_the_type_does) {
  const auto grows = [](double, auto x, auto dx) { dx[0] = x[0] * x[0]; };
  const auto sim = find_method("tsit5")->make(grows, std::vector{1.}, 0, {});
  EXPECT_NE(sim->advance_to(2), outcome::finished);
  EXPECT_NEAR(sim->time(), 1, 1e-3);
  EXPECT_EQ(sim->ending().component, 0);
  EXPECT_FALSE(sim->message().empty());
}

/// Steps are smaller after bad failures at jumps of f (control/caution.hpp); by name the loop is told so by another way than by type.
template <class Method> void expect_the_same_care_at_jumps(const char* name) {
  const auto jumps = [](double t, const auto& x, auto& dx) { dx[0] = -x[0] + (std::sin(5 * t) > 0 ? 1. : -1.); };
  const auto made = find_method(name)->make(jumps, std::vector{1.}, 0, {.rtol = 1e-6, .atol = 1e-6});
  integrator typed{problem{jumps, vec{1.}, {0, 10}}, Method{}, {.rtol = 1e-6, .atol = 1e-6}};
  EXPECT_EQ(made->advance_to(10), outcome::finished);
  EXPECT_EQ(typed.advance_to(10), outcome::finished);
  EXPECT_EQ(made->statistics().steps, typed.statistics().steps) << name;
  EXPECT_EQ(made->statistics().rejected, typed.statistics().rejected) << name;
  EXPECT_EQ(made->state()[0], typed.state()[0]) << name;
}
TEST(any_integrator, is_as_careful_at_jumps_as_the_type) {
  expect_the_same_care_at_jumps<dp54>("dp54");
  expect_the_same_care_at_jumps<tsit5>("tsit5");
  expect_the_same_care_at_jumps<dop853>("dop853");
  expect_the_same_care_at_jumps<automatic>("auto");
}

}  // namespace
