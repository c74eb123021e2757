/// What must never happen in a pack: one bad trajectory that spoils its neighbours. Each lane is compared with the run alone,
/// bit for bit.
#include "reliability/support.hpp"

namespace {

using namespace ensue;
using namespace ensue::tests;

constexpr int width = 4;
using real4 = pack<double, width>;

/// What goes wrong, and when (in time), lane by lane; 'n' not a number, 'f' not defined, 'p' a pole, 's' stiff, ' ' nothing.
template <class T> struct troubled {
  char trouble[width] = {' ', ' ', ' ', ' '};
  int first = 0;  ///< the lane that lane 0 of T stands for

  mask_of<T> operator()(const T& t, const vec<T, 2>& x, vec<T, 2>& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] * x[0] * x[0] + T(0.1) * t;
    mask_of<T> defined(true);
    for (int l = 0; l < lanes_of<T>; ++l) {
      const char what = trouble[first + l];
      if (what == 'n' && lane(t, l) > 0.7) set_lane(dx[1], l, not_a_number);
      if (what == 'f' && lane(t, l) > 0.7) set_lane(defined, l, false);
      if (what == 'p') set_lane(dx[0], l, lane(x[0], l) * lane(x[0], l));
      if (what == 's') set_lane(dx[1], l, -1e4 * lane(x[1], l));
    }
    return defined;
  }
};

template <class Method> struct lanes : testing::Test {
  using many = vec<real4, 2>;
  using alone = vec<double, 2>;

  static many starts() {
    many x;
    for (int l = 0; l < width; ++l) set_lane(x[0], l, 1 + 0.25 * l), set_lane(x[1], l, 0.5 * l);
    return x;
  }

  /// The pack's run against the four runs alone.
  template <class Edit = void (*)(int, options<alone>&)>
  static void expect_like_alone(
      const troubled<real4>& model, many start, double step, Edit edit = [](int, options<alone>&) {}) {
    options<many> s;
    real4 ends, step_sizes, firsts;
    options<alone> each[width];
    for (int l = 0; l < width; ++l) {
      each[l].step = step * (1 + 0.1 * l);
      each[l].rtol = 1e-5;
      each[l].max_evaluations = plenty;
      edit(l, each[l]);
      set_lane(ends, l, 2 - 0.2 * l);
      set_lane(step_sizes, l, each[l].step);
      set_lane(firsts, l, each[l].first_step);
    }
    s.rtol = 1e-5, s.step = step_sizes, s.first_step = firsts;
    s.max_evaluations = each[0].max_evaluations;
    const auto together = solve(model, start, {real4(0), ends}, Method{}, s);
    for (int l = 0; l < width; ++l) {
      const alone x{lane(start[0], l), lane(start[1], l)};
      const troubled<double> own{{model.trouble[0], model.trouble[1], model.trouble[2], model.trouble[3]}, l};
      const auto run = solve(own, x, {0, lane(ends, l)}, Method{}, each[l]);
      const auto where = testing::Message() << "lane " << l << ", trouble '" << model.trouble[l]
                                            << "': alone: " << run.message() << " Together: " << together.message(l);
      EXPECT_EQ(together.ending[l].how, run.outcome) << where;
      EXPECT_EQ(together.ending[l].component, run.ending[0].component) << where;
      EXPECT_TRUE(same_bits(lane(together.t, l), run.t)) << where;
      for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(same_bits(lane(together.state[i], l), run.state[i])) << where << " component " << i;
      EXPECT_EQ(lane(together.statistics.steps, l), run.statistics.steps) << where;
      EXPECT_EQ(lane(together.statistics.rejected, l), run.statistics.rejected) << where;
      EXPECT_EQ(lane(together.statistics.evaluations, l), run.statistics.evaluations) << where;
    }
  }

  static void expect_no_spoiling(const troubled<real4>& model, many start = starts()) {
    if (is_adaptive<Method>::value) expect_like_alone(model, start, 0);
    expect_like_alone(model, start, 0.01);
  }
};
TYPED_TEST_SUITE(lanes, typed<tested_kinds_with_packs>);

TYPED_TEST(lanes, without_trouble_are_not_other_than_runs_alone) { this->expect_no_spoiling({}); }

TYPED_TEST(lanes, are_not_spoiled_by_one_whose_derivative_is_no_number) {
  this->expect_no_spoiling({{' ', 'n', ' ', ' '}});
}

TYPED_TEST(lanes, are_not_spoiled_by_one_whose_f_is_not_defined) { this->expect_no_spoiling({{' ', ' ', 'f', ' '}}); }

TYPED_TEST(lanes, are_not_spoiled_by_one_that_blows_up) { this->expect_no_spoiling({{'p', ' ', ' ', ' '}}); }

TYPED_TEST(lanes, are_not_spoiled_by_one_that_starts_from_no_number) {
  for (int l = 0; l < width; ++l) {
    auto start = this->starts();
    set_lane(start[1], l, not_a_number);
    this->expect_no_spoiling({}, start);
    set_lane(start[1], l, infinite);
    this->expect_no_spoiling({}, start);
  }
}

TYPED_TEST(lanes, are_not_spoiled_whoever_is_in_trouble) {
  this->expect_no_spoiling({{'n', 'f', 'p', ' '}});
  this->expect_no_spoiling({{' ', 'p', 'n', 'f'}});
  this->expect_no_spoiling({{'n', 'n', 'n', 'n'}});
  this->expect_no_spoiling({{'f', 'f', 'f', 'f'}});
}

/// A lane that needs a thousand times the steps of its neighbours, and one that is out of evaluations.
TYPED_TEST(lanes, are_not_spoiled_by_one_that_is_late_or_out_of_budget) {
  if constexpr (is_adaptive<TypeParam>::value) {
    this->expect_like_alone({{' ', 's', ' ', ' '}}, this->starts(), 0, [](int, auto& s) { s.max_evaluations = 3'000; });
    this->expect_like_alone({{' ', ' ', ' ', 's'}}, this->starts(), 0, [](int l, auto& s) {
      s.max_evaluations = 2'000;
      s.first_step = l == 2 ? 0 : 0.01 * (l + 1);
    });
  }
}

TYPED_TEST(lanes, in_frames_are_not_other_than_runs_alone) {
  const troubled<real4> model{{' ', 'n', ' ', 'f'}};
  options<vec<real4, 2>> s{.max_evaluations = plenty};
  if (!is_adaptive<TypeParam>::value) s.step = real4(0.03);
  integrator together{model, this->starts(), TypeParam{}, s};
  for (int i = 0; i < 10; ++i) together.advance(real4(0.125));
  for (int l = 0; l < width; ++l) {
    options<vec<double, 2>> own = own_way<TypeParam, vec<double, 2>>(0.03);
    own.max_evaluations = plenty;
    integrator alone{troubled<double>{{' ', 'n', ' ', 'f'}, l},
                     vec{lane(this->starts()[0], l), lane(this->starts()[1], l)}, TypeParam{}, own};
    for (int i = 0; i < 10; ++i) alone.advance(0.125);
    if (alone.ending().how == outcome::finished) {
      EXPECT_TRUE(same_bits(lane(together.time(), l), alone.time())) << "lane " << l;
      for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(same_bits(lane(together.state()[i], l), alone.state()[i])) << "lane " << l;
    }
    EXPECT_EQ(together.ending(l).how, alone.ending().how) << "lane " << l;
  }
}

/// Lanes that finished early keep their last step for the interpolant.
TYPED_TEST(lanes, that_have_finished_do_not_lose_their_last_step) {
  options<vec<real4, 2>> s;
  s.rtol = 1e-4;
  if (!is_adaptive<TypeParam>::value) s.step = real4(0.03);
  integrator together{troubled<real4>{}, this->starts(), TypeParam{}, s};
  real4 ends, inside;
  for (int l = 0; l < width; ++l) set_lane(ends, l, 0.5 + 0.3 * l), set_lane(inside, l, lane(ends, l) - 0.01);
  together.advance_to(ends);
  vec<real4, 2> found;
  together.interpolate(inside, found);
  for (int l = 0; l < width; ++l) {
    options<vec<double, 2>> own = own_way<TypeParam, vec<double, 2>>(0.03);
    own.rtol = 1e-4;
    integrator alone{troubled<double>{{}, l}, vec{lane(this->starts()[0], l), lane(this->starts()[1], l)}, TypeParam{},
                     own};
    alone.advance_to(lane(ends, l));
    vec<double, 2> expected;
    alone.interpolate(lane(inside, l), expected);
    for (int i = 0; i < 2; ++i)
      EXPECT_TRUE(same_bits(lane(found[i], l), expected[i]))
          << "lane " << l << ": " << lane(found[i], l) << " and " << expected[i];
  }
}

}  // namespace
