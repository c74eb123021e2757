/// `ensue field`, run as a user runs it: pictures, what is on them, exit statuses.
#include "support/command.hpp"
#include "support/xml.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace ensue;
using tests::command_run;
using tests::ensue_command;
using tests::temporary_file;
using tests::temporary_folder;

std::string example(const std::string& name) { return (tests::tree / "examples" / (name + ".toml")).string(); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

bool mentions(const std::string& text, const std::string& part) { return count(text, part) > 0; }

command_run field(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "field");
  return ensue_command(arguments);
}

std::string picture(const std::vector<std::string>& arguments, int status = 0) {
  const command_run run = field(arguments);
  EXPECT_EQ(run.status, status) << run.error;
  if (status == 0) {
    EXPECT_EQ(run.error, "");
  }
  EXPECT_EQ(tests::fault_of_xml(run.out), "");
  const std::string attributes = std::regex_replace(run.out, std::regex(">[^<]*<"), "><");
  EXPECT_FALSE(mentions(attributes, "nan") || mentions(attributes, "inf"));
  return run.out;
}

/// The path data of the curves of a colour.
std::string path_of(const std::string& text, const std::string& style) {
  const std::size_t at = text.find("class=\"" + style + "\" d=\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = text.find("d=\"", at) + 3;
  return text.substr(begin, text.find('"', begin) - begin);
}

std::string names_of_axes(const std::string& text) {
  std::string names;
  const std::regex label("class=\"label\"[^>]*>([^<]*)<");
  for (std::sregex_iterator at(text.begin(), text.end(), label), end; at != end; ++at) names += (*at)[1].str() + ";";
  return names;
}

TEST(field_command, planes_of_the_three_kinds) {
  EXPECT_EQ(names_of_axes(picture({example("circle")})), "x;y;");
  EXPECT_EQ(names_of_axes(picture({example("pendulum")})), "theta;theta&#39;;") << "position and velocity";
  EXPECT_EQ(names_of_axes(picture({example("decay")})), "t;x;") << "one component: over time";
}

TEST(field_command, the_picture_has_its_parts) {
  const std::string plain = picture({example("circle")});
  EXPECT_GT(count(path_of(plain, "head field"), "Z"), 100u) << "arrows";
  EXPECT_TRUE(mentions(plain, ">solution<"));
  EXPECT_TRUE(mentions(plain, ">Round and round<"));
  EXPECT_FALSE(mentions(plain, "class=\"faint"));

  const std::string curves = picture({example("circle"), "--curves", "5", "--x=-2..2", "--y=-2..2"});
  EXPECT_EQ(count(curves, "class=\"faint many\""), 6u) << "five, and the legend's sample";
  EXPECT_TRUE(mentions(curves, ">other starts<"));

  const std::string alone = picture({example("circle"), "--no-solution"});
  EXPECT_FALSE(mentions(alone, ">solution<") || mentions(alone, "class=\"line"));
}

TEST(field_command, paths_of_methods_in_pairs) {
  const std::string text = picture({example("circle"), "--to", "1.5", "--method", "euler", "--step", "0.5", "--step",
                                    "0.3", "--method", "rk4", "--step", "0.75", "--method", "dp54"});
  for (const char* name : {">euler, h = 0.5<", ">euler, h = 0.3<", ">rk4, h = 0.75<", ">dp54<"})
    EXPECT_EQ(count(text, name), 1u) << name;
  EXPECT_EQ(count(path_of(text, "dots c1"), "M"), 4u) << "a dot a step, and the start";
  EXPECT_EQ(count(path_of(text, "dots c2"), "M"), 6u);
  EXPECT_EQ(count(path_of(text, "dots c3"), "M"), 3u);
  const std::string other_order = picture({example("circle"), "--step", "1/4", "--method", "euler"});
  EXPECT_TRUE(mentions(other_order, ">euler, h = 0.25<"));
}

// Euler's spiral on the circle: the frame widens for it, but not without bound.
TEST(field_command, what_is_shown) {
  const auto upper_end = [](const std::string& text) {
    std::smatch found;
    const std::regex label("class=\"number\" text-anchor=\"middle\">([0-9.]+)<");
    double largest = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), label), end; at != end; ++at)
      largest = std::max(largest, std::stod((*at)[1]));
    return largest;
  };
  EXPECT_EQ(upper_end(picture({example("circle")})), 1);
  const double spiral = upper_end(picture({example("circle"), "--to", "20*pi", "--method", "euler", "--step", "0.3"}));
  EXPECT_GE(spiral, 3);
  EXPECT_LE(spiral, 4);
  EXPECT_EQ(upper_end(picture({example("circle"), "--x", "0..5*2", "--y=-1..9"})), 10);
}

TEST(field_command, a_field_that_moves_is_seen_at_a_time) {
  const std::string first = picture({example("current")}), later = picture({example("current"), "--at", "3"});
  EXPECT_TRUE(mentions(first, "the field at t = 0<"));
  EXPECT_TRUE(mentions(later, "the field at t = 3<"));
  EXPECT_TRUE(mentions(later, ">t = 3<")) << "where the point is then";
  EXPECT_NE(path_of(first, "shaft field"), path_of(later, "shaft field"));
  EXPECT_EQ(path_of(first, "line c0"), path_of(later, "line c0"));
  EXPECT_EQ(path_of(picture({example("circle"), "--at", "3"}), "shaft field"),
            path_of(picture({example("circle")}), "shaft field"));
  const command_run over_time = field({example("decay"), "--at", "1"});
  EXPECT_EQ(over_time.status, 2);
  EXPECT_TRUE(mentions(over_time.error, "--at 1: time is an axis of this picture")) << over_time.error;
}

TEST(field_command, the_midpoint_construction) {
  const std::string text = picture({example("circle"), "--midpoint-construction", "1", "--to", "1.4"});
  for (const char* part : {">a: Euler&#39;s step<", ">b: midpoint step<", ">c: solution<", ">midpoint<", ">a<", ">b<",
                           ">c<", "class=\"head bold c2\""})
    EXPECT_TRUE(mentions(text, part)) << part;
}

TEST(field_command, parameters_can_be_set) {
  EXPECT_NE(picture({example("decay")}), picture({example("decay"), "--set", "k=1"}));
  EXPECT_TRUE(mentions(field({example("decay"), "--set", "q=1"}).error, "--set: "));
}

TEST(field_command, writes_a_file) {
  const temporary_folder folder;
  const std::string file = folder.file("picture.svg");
  const command_run run = field({example("circle"), "--plot", file});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(tests::content_of(file), picture({example("circle")}));
  const command_run nowhere = field({example("circle"), "--plot", folder.file("no/such/folder.svg")});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(mentions(nowhere.error, "cannot be written")) << nowhere.error;
}

TEST(field_command, wrong_input_is_2_and_nothing_is_written) {
  const temporary_folder folder;
  const std::string file = folder.file("picture.svg");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{example("lorenz")}, ":1:1: found a state of 3 components, expected two, or one"},
      {{example("kepler")}, ":1:1: found a state of 4 components, expected two, or one"},
      {{example("nothing")}, "nothing.toml"},
      {{example("circle"), "--method", "eule"}, "did you mean 'euler'"},
      {{example("circle"), "--method", "euler"}, "expected a fixed step: --method euler --step H"},
      {{example("circle"), "--step", "0.1"}, "--step 0.1: expected --method NAME"},
      {{example("circle"), "--method", "euler", "--step", "-1"}, "--step -1: expected a number above 0"},
      {{example("circle"), "--x", "1"}, "--x 1: expected a range a..b"},
      {{example("circle"), "--x", "2..1"}, "--x 2..1: expected a range a..b with a below b"},
      {{example("circle"), "--y", "1..z"}, "unknown name `z`"},
      {{example("circle"), "--curves", "2.5"}, "--curves 2.5: expected a whole number"},
      {{example("circle"), "--curves", "1e6"}, "expected a whole number from 0 to 200"},
      {{example("circle"), "--midpoint-construction", "0"}, "expected a number above 0"},
      {{example("circle"), "--to", "x"}, "--to x: "}};
  for (auto [arguments, what] : wrong) {
    arguments.insert(arguments.end(), {"--plot", file});
    const command_run run = field(arguments);
    EXPECT_EQ(run.status, 2) << what;
    EXPECT_EQ(run.out, "") << what;
    EXPECT_TRUE(mentions(run.error, what)) << run.error;
    EXPECT_FALSE(std::filesystem::exists(file)) << what;
  }
}

// x' = x² from 1 is infinite at t = 1: what there is of it is drawn, and said.
TEST(field_command, a_run_that_ends_early_is_1_and_drawn) {
  const temporary_file blow_up("blow_up.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"x^2\"\n");
  const std::string text = picture({blow_up.path}, 1);
  EXPECT_NE(path_of(text, "line c0"), "");
  EXPECT_TRUE(mentions(field({blow_up.path}).error, "ensue: the solution: ")) << field({blow_up.path}).error;
  EXPECT_TRUE(mentions(text, ">8<") || mentions(text, ">10<")) << "shown up to shortly before";
  EXPECT_FALSE(mentions(text, ">100<") || mentions(text, "tspan"));
}

TEST(field_command, fields_with_holes_and_rests_are_drawn) {
  const temporary_file holes("holes.toml",
                             "to = 1\n[state]\nx = 1\ny = 1\n[derivative]\nx = \"log(x)\"\ny = \"1/y\"\n");
  picture({holes.path, "--x=-2..2", "--y=-2..2", "--curves", "10"});
  const temporary_file rest("rest.toml", "to = 1\n[state]\nx = 0\ny = 0\n[derivative]\nx = \"0\"\ny = \"0\"\n");
  picture({rest.path, "--curves", "10"});
}

// x' = 0 over time: lines from one side to the other, so both ways from where they begin.
TEST(field_command, integral_curves_go_forwards_and_backwards) {
  const temporary_file still("still.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"0\"\n");
  const std::string path = path_of(picture({still.path, "--curves", "1"}), "faint many");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(path, found, std::regex("M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)"))) << path;
  EXPECT_EQ(std::stod(found[3]) - std::stod(found[1]), 560) << "the frame's width";
  EXPECT_EQ(found[2], found[4]);
}

}  // namespace
