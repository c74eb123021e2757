/// What once came out otherwise in a batch than alone: last steps, what is undefined or no number, what neighbours left behind, many components.
#include <ensue/batch/batch.hpp>
#include <ensue/methods.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace ensue;

using batch_options = options<std::span<double>>;

/// Each of these in a batch of so many lanes, as `solve` runs it: its state, its ending and what it cost.
template <int Lanes, class System, class State, class Method, class Settings>
void expect_as_alone(const System& f, const std::vector<State>& starts, const std::vector<interval<real_type<State>>>& spans, Method method, Settings settings) {
  options<State> alone;
  batch_options together;
  settings(alone), settings(together);
  std::vector<State> states = starts;
  std::vector<trajectory_ending> endings(states.size());
  batch{f, method, together}.template advance<Lanes>(states, spans, endings);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto run = solve(f, starts[i], spans[i], method, alone);
    EXPECT_EQ(endings[i].how, run.outcome) << i << ": " << run.message();
    EXPECT_EQ(endings[i].steps, run.statistics.steps) << i;
    EXPECT_EQ(endings[i].rejected, run.statistics.rejected) << i;
    EXPECT_EQ(endings[i].smallest_step_accepted, run.ending[0].smallest_step_accepted) << i;
    for (std::size_t c = 0; c < states[i].size(); ++c) EXPECT_EQ(states[i][c], run.state[c]) << i;
  }
}

/// Half of what remains is rounded, so that the other half may be longer than the step that was proposed.
TEST(batch_as_alone, takes_the_same_last_steps) {
  const auto rests = [](const auto&, const auto& x, auto& dx) { dx[0] = 0. * x[0]; };
  constexpr double spacing = 0x1p-49;  // of numbers from 8 on
  for (const int n : {100001, 100003})
    expect_as_alone<4>(rests, std::vector{vec<double, 1>{1.}}, {{8., 8. + n * spacing}}, dp54{}, [&](auto& s) { s.first_step = (n / 2. + 0.25) * spacing; });
}

TEST(batch_as_alone, ends_where_no_step_that_is_allowed_moves_the_clock) {
  const auto rests = [](const auto&, const auto& x, auto& dx) { dx[0] = 0. * x[0]; };
  expect_as_alone<4>(rests, std::vector{vec<double, 1>{1.}}, {{8., 9.}}, dp54{}, [](auto& s) { s.max_step = 0x1p-52; });
}

TEST(batch_as_alone, sees_that_f_is_not_defined_where_the_last_step_begins) {
  const auto gap = [](const auto& t, const auto& x, auto& dx) {
    dx[0] = -x[0];
    return t != std::remove_cvref_t<decltype(t)>(0.5);
  };
  expect_as_alone<4>(gap, std::vector{vec<double, 1>{1.}}, {{0., 1.}}, doubling<midpoint>{}, [](auto& s) { s.rtol = 0.1, s.atol = 0.1, s.first_step = 0.7; });
}

TEST(batch_as_alone, shrinks_alike_after_an_error_that_is_no_number) {
  const auto quintic = [](const auto&, const auto& x, auto& dx) { dx[0] = 1e10 * x[0] * x[0] * x[0] * x[0] * x[0], dx[1] = x[0]; };
  const std::vector<vec<double, 2>> start{{-1.15, 0.45}};
  const std::vector<interval<double>> span{{0., -0.08}};
  const auto usual = [](auto& s) { s.rtol = 1e-6, s.atol = 1e-9, s.first_step = 1e-4; };
  expect_as_alone<4>(quintic, start, span, rkf45{}, usual);
  expect_as_alone<4>(quintic, start, span, rkf45{}, [&](auto& s) { usual(s), s.norm = norms::maximum; });
  expect_as_alone<4>(quintic, start, span, rkf45{}, [&](auto& s) { usual(s), s.control.law = laws::pi; });
}

TEST(batch_as_alone, is_not_blamed_for_what_a_neighbour_left_behind) {
  const auto quintic = [](const auto&, const auto& x, auto& dx) { dx[0] = x[0] * x[0] * x[0] * x[0] * x[0] * 1e10, dx[1] = x[0]; };
  const interval<double> span{8, 8.0192113750484602};
  const vec<double, 2> start{-0.28782657252608557, 0.80803650120425696};
  for (double y = -0.3; y > -1e70; y *= 1.3)
    expect_as_alone<1>(quintic, std::vector{vec<double, 2>{y, 1.}, start, vec<double, 2>{y, 1.}}, {span, span, span}, rkf45{}, [](auto& s) {
      s.rtol = 0., s.atol = 4.24452e-07, s.first_step = 2.0612006242130605e-06, s.min_step = 3.13464e-09;
      s.when_too_small = at_min_step::accept_and_mark, s.max_evaluations = 20000;
    });
}

TEST(batch_as_alone, adds_up_the_errors_of_many_components_in_the_same_order) {
  const auto ring = [](const auto&, const auto& x, auto& dx) {
    for (std::size_t i = 0; i < 12; ++i) dx[i] = x[(i + 1) % 12] - 0.3 * x[i] * x[(i + 5) % 12];
  };
  std::vector<vec<double, 12>> starts(1000);
  for (std::size_t n = 0; n < starts.size(); ++n)
    for (std::size_t i = 0; i < 12; ++i) starts[n][i] = 1 + 0.1 * std::sin(double(n * 12 + i));
  expect_as_alone<4>(ring, starts, std::vector<interval<double>>(starts.size(), {0., 10.}), vern7{}, [](auto& s) { s.rtol = 1e-6, s.atol = 1e-8; });
}

struct decay_by_p {
  double p = 2;
  void operator()(const auto&, const auto& x, auto& dx) const { dx[0] = -p * x[0]; }
};
TEST(batch_as_alone, takes_a_system_whose_own_member_is_called_p) {
  expect_as_alone<4>(decay_by_p{}, std::vector(10, vec<double, 1>{1.}), std::vector<interval<double>>(10, {0., 1.}), dp54{}, [](auto&) {});
}

TEST(batch, refuses_no_spans_for_some_trajectories) {
  std::vector<vec<double, 1>> states(5, vec<double, 1>{1.});
  const std::vector<interval<double>> none;
  EXPECT_THROW(batch([](const auto&, const auto& x, auto& dx) { dx[0] = -x[0]; }, dp54{}).advance(states, none), std::length_error);
}

/// Lanes that rest are put aside with what was lost of their sums, for which states of run-time length have memory only once it is asked for.
TEST(batch, compensates_states_of_run_time_length) {
  const auto f = [](const auto&, const auto& x, auto& dx) { dx[0] = -x[0], dx[1] = x[0]; };
  const auto moved = [&]<int Lanes>(std::integral_constant<int, Lanes>) {
    std::vector<double> x;
    for (int i = 0; i < 10; ++i) x.push_back(1 + 0.1 * i);
    trajectory_table<double> table;
    table.stride = 2, table.count = 5, table.first = {x.data(), x.data() + 1};
    EXPECT_TRUE((batch{f, bs32{}, batch_options{.compensated = true}}.template advance<Lanes>(table, {0., 1.}).all_finished()));
    return x;
  };
  EXPECT_EQ(moved(std::integral_constant<int, 8>{}), moved(std::integral_constant<int, 1>{}));
}

}  // namespace
