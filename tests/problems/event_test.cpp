/// Events and output settings of problem files.
#include "problem_text.hpp"

namespace {

using namespace ensue;
using namespace ensue::tests;

const std::string ball = R"toml(to = 3
[parameters]
g = 9.81
bounce = 0.8
[position]
x = 0
y = 1
[velocity]
x = 1
y = 0
[acceleration]
x = 0
y = "-g"
)toml";

numbers values(expression_values& of, double t, const numbers& x) {
  of.evaluate(t, x);
  numbers all;
  for (std::size_t i = 0; i < of.size(); ++i) all.push_back(of[i]);
  return all;
}

TEST(event, sets_stops_or_is_recorded) {
  file_problem problem = made(ball + R"toml(
[[event]]
name = "floor"
when = "y"
direction = "falling"
set = { "y'" = "-bounce*y'", y = "x", "x" = "x + y' + t" }
[[event]]
when = "x - 2"
stop = true
[[event]]
when = "y'"
direction = "rising"
[[event]]
name = "both"
when = "t - 1"
direction = "both"
set = { x = 0 }
stop = true
)toml");
  ASSERT_EQ(problem.events.size(), 4u);
  EXPECT_EQ(problem.events[0].name, "floor");
  EXPECT_EQ(problem.events[0].direction, crossing::falling);
  EXPECT_FALSE(problem.events[0].stops);
  EXPECT_EQ(problem.events[0].sets, (std::vector<std::size_t>{3, 1, 0})) << "in the order in which they are written";
  EXPECT_EQ(problem.events[1].name, "event 2");
  EXPECT_EQ(problem.events[1].direction, crossing::any);
  EXPECT_TRUE(problem.events[1].stops);
  EXPECT_TRUE(problem.events[1].sets.empty());
  EXPECT_EQ(problem.events[2].direction, crossing::rising);
  EXPECT_TRUE(problem.events[3].stops);

  const numbers x = {5, 6, 7, 8};
  numbers functions;
  for (file_event& event : problem.events) functions.push_back(values(event.function, 0.5, x).at(0));
  EXPECT_EQ(functions, (numbers{6, 3, 8, -0.5}));
  EXPECT_EQ(values(problem.events[0].changes, 0.5, x), (numbers{-0.8 * 8, 5, 5 + 8 + 0.5}))
      << "all from the state before the change";
  EXPECT_EQ(values(problem.events[1].changes, 0.5, x), numbers{});
  EXPECT_EQ(values(problem.events[3].changes, 0.5, x), numbers{0});
}

TEST(event, sets_elements_of_families) {
  file_problem problem = made(R"toml(to = 1
[state]
"u[i=1..4]" = "i"
[derivative]
"u[i=1..4]" = "-u[i]"
[[event]]
when = "u[1] - u[2]"
set = { "u[1]" = "u[2]", "u[i=3..4]" = "u[i-1] + i" }
)toml");
  EXPECT_EQ(problem.events[0].sets, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(values(problem.events[0].changes, 0, {10, 20, 30, 40}), (numbers{20, 23, 34}));
}

TEST(event, what_is_wrong_with_it) {
  const auto with = [](const std::string& lines) { return faults(ball + "[[event]]\n" + lines); };
  EXPECT_EQ(with(""),
            "14:1: found no `when` in [[event]], expected an expression that crosses zero where it happens\n");
  EXPECT_EQ(with("when = \"y\"\nwen = 3\n"), "16:1: unknown setting `wen` in [[event]], did you mean `when`?\n");
  EXPECT_EQ(with("when = \"z\"\n"),
            "15:9: unknown name `z`, expected a parameter, a component of the state, a definition or t\n");
  EXPECT_EQ(with("when = \"y < 0\"\n"), "15:9: found a comparison, expected a number: if(…, 1, 0) makes one of it\n");
  EXPECT_EQ(with("when = \"g - 1\"\n"),
            "15:8: found a value that never changes, expected an expression of the state or of t\n");
  EXPECT_EQ(with("when = \"y\"\ndirection = \"down\"\n"),
            "16:13: found `down`, expected \"rising\", \"falling\" or \"both\"\n");
  EXPECT_EQ(with("when = \"y\"\ndirection = 1\n"),
            "16:13: found a number, expected \"rising\", \"falling\" or \"both\"\n");
  EXPECT_EQ(with("when = \"y\"\nstop = 1\n"), "16:8: found a number, expected true or false\n");
  EXPECT_EQ(with("when = \"y\"\nname = 1\n"), "16:8: found a number, expected a name in quotes\n");
  EXPECT_EQ(with("when = \"y\"\nset = \"x\"\n"), "16:7: found x, expected a table of new values: { \"x\" = \"-x\" }\n");
  EXPECT_EQ(with("when = \"y\"\nset = { g = 1 }\n"), "16:9: found `g`, expected a component of the state\n");
  EXPECT_EQ(with("when = \"y\"\nset = { z = 1 }\n"),
            "16:9: unknown name `z`, expected a parameter, a component of the state, a definition or t\n");
  EXPECT_EQ(with("when = \"y\"\nset = { y = \"nope\" }\n"),
            "16:14: unknown name `nope`, expected a parameter, a component of the state, a definition or t\n");
  EXPECT_EQ(faults("to = 1\nevent = 3\n[state]\nx = 1\n[derivative]\nx = 1\n"),
            "2:1: found a number `event`, expected [[event]], in double brackets\n");
  EXPECT_EQ(faults(ball + "[event]\nwhen = \"y\"\n"),
            "14:2: found a table `event`, expected [[event]], in double brackets\n");
  EXPECT_EQ(faults("to = 1\nevent = [3]\n[state]\nx = 1\n[derivative]\nx = 1\n"),
            "2:10: found a number, expected [[event]] with `when`\n");
}

TEST(output_settings, what_is_asked_for) {
  const output_settings none = made(ball).output;
  EXPECT_FALSE(none.points || none.every || !none.plot.empty());
  const output_settings points = made(ball + "[output]\npoints = 11\nplot = \"y\"\n").output;
  EXPECT_EQ(points.points, 11);
  EXPECT_EQ(points.plot, names{"y"});
  const output_settings every = made(ball + "[output]\nevery = \"g/1000\"\nplot = [\"y'\", \"x\"]\n").output;
  EXPECT_EQ(every.every, 9.81 / 1000);
  EXPECT_EQ(every.plot, (names{"y'", "x"}));
  const std::string family =
      "to = 1\n[position]\n\"u[i=1..3]\" = 1\n[velocity]\n\"u[i=1..3]\" = 1\n"
      "[acceleration]\n\"u[i=1..3]\" = 1\n[output]\nplot = [\"u'\", \"u[ 2 ]\"]\n";
  EXPECT_EQ(made(family).output.plot, (names{"u[1]'", "u[2]'", "u[3]'", "u[2]"})) << "a family is all of it";
}

TEST(output_settings, what_is_wrong_with_them) {
  const auto with = [](const std::string& lines) { return faults(ball + "[output]\n" + lines); };
  EXPECT_EQ(with("points = 1"), "15:10: `points` is 1, expected a whole number from 2 to 1e+09\n");
  EXPECT_EQ(with("points = 2.5"), "15:10: `points` is 2.5, expected a whole number from 2 to 1e+09\n");
  EXPECT_EQ(with("points = 1e300"), "15:10: `points` is 1e+300, expected a whole number from 2 to 1e+09\n");
  EXPECT_EQ(with("every = 0"), "15:9: `every` is 0, expected a number above 0\n");
  EXPECT_EQ(with("every = \"1/(g - g)\""), "15:9: `every` is inf, expected a finite number\n");
  EXPECT_EQ(with("points = 3\nevery = 1"), "16:1: found `points` and `every`, expected one of them\n");
  EXPECT_EQ(with("point = 3"), "15:1: unknown setting `point` in [output], did you mean `points`?\n");
  EXPECT_EQ(with("plot = 3"), "15:8: found a number, expected a name in quotes, or a list of these: [\"x\", \"y\"]\n");
  EXPECT_EQ(with("plot = [\"x\", true]"),
            "15:14: found a truth value, expected a name in quotes, or a list of these: [\"x\", \"y\"]\n");
  EXPECT_EQ(with("plot = [\"x\", \"z\"]"), "15:14: unknown component `z` to plot, expected one of the state's\n");
}

}  // namespace
