/// No memory at the n-th `new`, for every n of a run: std::bad_alloc arrives, or the run does without, and nothing is leaked.
#include "problems/file_problem.hpp"
#include "problems/problem_file.hpp"
#include "reliability/allocations.hpp"
#include "reliability/faulty_runs.hpp"
#include "sculpting/sculpting.hpp"
#include "support/registered.hpp"
#include "support/sanitized.hpp"
#include "problems/sweep.hpp"

#include <ensue/models/rigid_body.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/save.hpp>

#include <functional>

namespace {

using namespace ensue;
using namespace ensue::tests;

/// Runs the body once for each of its allocations, with that one failing.
void expect_no_leak(const char* of, const std::function<void()>& body) {
  failing_allocation = 0;
  body();  // what is made once and kept
  std::int64_t before = allocations;
  body();
  const std::int64_t needed = allocations - before, stride = sanitized ? 1 + needed / 30 : 1 + needed / 2000;
  ASSERT_GT(needed, 0);
  for (std::int64_t n = 1; n <= needed; n += stride) {
    const std::int64_t in_use = blocks_in_use;
    bool thrown = false;
    failing_allocation = allocations + n;
    try {
      body();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    failing_allocation = 0;
    ASSERT_EQ(blocks_in_use, in_use) << "leaked: " << of << ", without memory at allocation " << n << " of " << needed << (thrown ? "" : ", which the run did without");
  }
}

struct pendulum {
  void acceleration(double, std::span<const double> q, std::span<double> a) const { a[0] = -std::sin(q[0]); }
};
void decay(double, std::span<const double> x, std::span<double> dx) { dx[0] = x[1], dx[1] = -x[0] - 30 * x[1]; }

task task_for(const method_info& method) {
  if (is_for_groups(method.needs)) {
    const models::rigid_body<double> body{{0.3, 0.5, 0.9}};
    const rotating_body<double> start = body.spinning({0.2, 1., 0.3});
    return {"rigid body", body, {start.elements, start.elements + 7}, 0.5, 1. / 16};
  }
  if (method.needs == system_needed::any) return {"decay", decay, {1, 0}, 0.5, 1. / 16};
  return {"pendulum", pendulum{}, {1, 0}, 0.5, 1. / 16};
}

struct out_of_memory_with : testing::TestWithParam<const method_info*> {};

TEST_P(out_of_memory_with, leaks_nothing) {
  const method_info& method = *GetParam();
  expect_no_leak(method.name.data(), [&] {
    const task one = task_for(method);
    const auto sim = method.make(one.f, one.start, 0, settings_for(method, one));
    const any_event level{[](double, std::span<const double> x) { return x[0] - 0.9; }, [](double, std::span<double>) { return reaction::change; }};
    const auto look = [](double, std::span<const double>) {};
    if (is_for_groups(method.needs)) sim->advance_to(one.end);
    else observe(*sim, one.end, event_list({level}), save_every(0.1, look));
    std::vector<double> inside(one.start.size());
    sim->interpolate(sim->time(), inside);
    (void)sim->message();
  });
}

INSTANTIATE_TEST_SUITE_P(method, out_of_memory_with, testing::ValuesIn(all_methods()), name_of_method);

constexpr const char* text = R"problem(
to = 0.2
[parameters]
rho = 28
sigma = 10
beta = "8/3"
[state]
x = 1
y = "rho/28"
z = 20
[derivative]
x = "sigma*(y - x)"
y = "x*(rho - z) - if(t < 100, y, 2*y)"
z = "x*y - beta*z"
[invariants]
e = "x^2 + sin(y)"
[[event]]
name = "up"
when = "z - 21"
set = { x = "2*x" }
)problem";

TEST(out_of_memory, leaks_nothing_of_a_problem_file) {
  ASSERT_TRUE(read_problem(text).file) << read_problem(text).errors.front().what;
  expect_no_leak("a problem file", [] {
    const problem_reading reading = read_problem(text);
    if (!reading.file) return;  // a stream within the reader takes it for a number that cannot be read
    problem_file::made made = reading.file->make();
    if (!made.problem) return;
    expression_jacobian jacobian = made.problem->jacobian();
    std::vector<double> values(jacobian.nonzeros());
    jacobian.evaluate(0, made.problem->start, values);
  });
}

TEST(out_of_memory, leaks_nothing_of_a_sweep) {
  const std::string all = text, without_event = all.substr(0, all.find("[[event]]"));  // a sweep has none
  const problem_reading reading = read_problem(without_event);
  ASSERT_TRUE(reading.file);
  expect_no_leak("a sweep", [&] {
    const swept_problem family(*reading.file, {"sigma"}, {});
    std::vector<double> states, parameters, state(3), numbers(1);
    for (int i = 0; i < 20; ++i) {
      const double sigma = 8 + 0.1 * i;
      family.start_of({&sigma, 1}, state, numbers);
      states.insert(states.end(), state.begin(), state.end());
      parameters.push_back(numbers[0]);
    }
    std::vector<trajectory_ending> endings(20);
    for (const sweep_backend backend : {sweep_backend::scalar, sweep_backend::lanes})
      sweep(family, "dp54", backend, {}, {0, 0.1}, states, parameters, endings);
  });
}

TEST(out_of_memory, leaks_nothing_of_a_mesh_that_is_moved) {
  stroke tool;
  tool.inner_radius = 0.05, tool.outer_radius = 0.1;
  tool.poses = {{{0, 0, 0}, quaternion<double>::identity(), 1, 0}, {{0.1, 0, 0}, quaternion<double>::identity(), 1, 1}};
  expect_no_leak("sculpting", [&] {
    std::vector<vec<float, 3>> vertices(40, vec<float, 3>{0.05f, 0.01f, 0.f});
    for (const sculpting_field field : {sculpting_field::kelvinlet, sculpting_field::affine}) sculpt(vertices, {&tool, 1}, {.field = field, .backend = sculpting_backend::lanes});
  });
}

}  // namespace
