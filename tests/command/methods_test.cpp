/// `ensue methods`, run as a user runs it.
#include <ensue/methods.hpp>
#include <ensue/registry.hpp>

#include "support/command.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>
#include <string>

namespace {

using namespace ensue;
using nlohmann::json;
using tests::ensue_command;
using tests::temporary_file;

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string dp54_typed = R"(
name = "typed dp54"
c = [0, "1/5", "3/10", "4/5", "8/9", 1, 1]
a = [[], ["1/5"], ["3/40", "9/40"], ["44/45", "-56/15", "32/9"],
     ["19372/6561", "-25360/2187", "64448/6561", "-212/729"],
     ["9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"],
     ["35/384", 0, "500/1113", "125/192", "-2187/6784", "11/84"]]
b = ["35/384", 0, "500/1113", "125/192", "-2187/6784", "11/84", 0]
embedded = [["5179/57600", 0, "7571/16695", "393/640", "-92097/339200", "187/2100", "1/40"]]
)";

std::string replaced(std::string text, const std::string& old_part, const std::string& new_part) {
  const std::size_t at = text.rfind(old_part);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, old_part.size(), new_part);
}

TEST(methods_command, prints_a_line_for_every_method) {
  const auto run = ensue_command({"methods"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.error, "");
  std::istringstream lines(run.out);
  std::string heading, line;
  std::getline(lines, heading);
  std::getline(lines, heading);
  EXPECT_TRUE(heading.starts_with("method ")) << heading;
  for (const method_info* method : all_methods()) {
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(std::string(method->name) + " ")) << line;
    EXPECT_TRUE(line.ends_with("  " + std::string(method->citation))) << line;
  }
  EXPECT_EQ(line.find(all_methods().back()->citation), heading.find("from")) << "columns are aligned";
}

TEST(methods_command, prints_dp54_as_json_exactly) {
  const auto run = ensue_command({"methods", "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.error, "");
  json found;
  for (const json& method : json::parse(run.out))
    if (method["name"] == "dp54") found = method;
  const method_info& dp54_info = *find_method("dp54");
  EXPECT_EQ(
      found,
      (json{{"name", "dp54"},
            {"order", 5},
            {"embedded_order", 4},
            {"embedded_orders", {4}},
            {"stages", 7},
            {"evaluations_per_step", 6},
            {"evaluations", {{"start", 1}, {"accepted", 6}, {"rejected", 6}, {"restart", 1}, {"first_step_choice", 1}, {"dense", 0}, {"iterates", false}, {"differentiates", false}}},
            {"fsal", true},
            {"adaptive", true},
            {"dense_order", 4},
            {"takes", "any system"},
            {"symplectic", false},
            {"symmetric", false},
            {"leaves_the_step", false},
            {"l_stable", false},
            {"stability", {{"real", dp54_info.real_stability}, {"imaginary", dp54_info.imaginary_stability}}},
            {"citation", dp54::citation}}));
}

TEST(methods_command, prints_every_method_as_json_in_order) {
  const json list = json::parse(ensue_command({"methods", "--json"}).out);
  ASSERT_EQ(list.size(), all_methods().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const method_info& method = *all_methods()[i];
    EXPECT_EQ(list[i]["name"], std::string(method.name));
    EXPECT_EQ(list[i]["order"], method.order);
    EXPECT_EQ(list[i]["evaluations_per_step"], method.evaluations.accepted);
    EXPECT_EQ(list[i]["embedded_order"].is_null(), !method.adaptive);
    EXPECT_EQ(list[i]["l_stable"], method.l_stable);
    const json& stable_to = list[i]["stability"]["real"];
    if (std::isinf(method.real_stability)) {
      EXPECT_TRUE(stable_to.is_null()) << "JSON has no infinity";
    } else {
      EXPECT_EQ(stable_to.get<double>(), method.real_stability) << "reads back to the same double";
    }
  }
}

TEST(methods_command, refuses_what_it_does_not_know) {
  EXPECT_EQ(ensue_command({"methods", "--jason"}).status, 2);
  EXPECT_EQ(ensue_command({"method"}).status, 2);
  EXPECT_EQ(ensue_command({"methods", "--tableau"}).status, 2);
}

TEST(methods_tableau, finds_the_orders_of_a_typed_table) {
  const temporary_file file("dp54.toml", dp54_typed);
  const auto run = ensue_command({"methods", "--tableau", file.path});
  EXPECT_EQ(run.status, 0) << run.error;
  EXPECT_TRUE(mentions(run.out, "typed dp54: 7 stages, explicit, FSAL\n")) << run.out;
  EXPECT_TRUE(mentions(run.out, "\nb              order 5,")) << run.out;
  EXPECT_TRUE(mentions(run.out, "\nembedded row 1 order 4,")) << run.out;
  EXPECT_TRUE(mentions(run.out, "real axis 3.30657, imaginary axis 0.997189")) << run.out;
  EXPECT_FALSE(mentions(run.out, "warning")) << run.out;

  const json found = json::parse(ensue_command({"methods", "--tableau", file.path, "--json"}).out);
  EXPECT_EQ(found["main"]["order"], 5);
  EXPECT_EQ(found["embedded"][0]["order"], 4);
  EXPECT_EQ(found["fsal"], true);
  EXPECT_LT(found["main"]["residual"].get<double>(), 1e-18) << "fractions have the digits of a long double";
  EXPECT_EQ(found["stability"]["real"].get<double>(), find_method("dp54")->real_stability);
}

TEST(methods_tableau, shows_where_a_wrong_digit_breaks_the_order) {
  const temporary_file file("dp54.toml", replaced(dp54_typed, "187/2100", "188/2100"));
  const auto run = ensue_command({"methods", "--tableau", file.path});
  EXPECT_EQ(run.status, 0) << run.error;
  EXPECT_TRUE(mentions(run.out, "\nb              order 5,")) << run.out;
  EXPECT_TRUE(mentions(run.out, "\nembedded row 1 order 0; of order 1, τ is off by 4.762e-04\n")) << run.out;

  const temporary_file another("row.toml", replaced(dp54_typed, "44/45", "43/45"));
  const std::string said = ensue_command({"methods", "--tableau", another.path}).out;
  EXPECT_TRUE(mentions(said, "\nb              order 1,")) << said;
  EXPECT_TRUE(mentions(said, "warning: stage 4: the row sum of a, which should be c_4 = 0.8, is off by -0.022"))
      << said;
}

TEST(methods_tableau, judges_an_implicit_table_with_a_warning) {
  const temporary_file file("midpoint.toml", "c = [0.5]\na = [[0.5]]\nb = [1]\n");
  const auto run = ensue_command({"methods", "--tableau", file.path});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(mentions(run.out, "1 stage, implicit\nb              order 2,")) << run.out;
  EXPECT_TRUE(mentions(run.out, "warning: not explicit: a_1,1 = 0.5")) << run.out;
  const json found = json::parse(ensue_command({"methods", "--json", "--tableau", file.path}).out);
  EXPECT_TRUE(found["stability"]["real"].is_null());
}

/// Each with the place in the file and what was expected there, nothing on standard output.
TEST(methods_tableau, points_at_what_is_wrong) {
  const struct {
    const char *text, *said;
  } wrong[] = {
      {"c = [0, 1]\na = [[], [1]]\nb = [\"1/2\", \"1/0\"]\n",
       ":3:13: b_2 is no number; expected one, or a fraction as \"35/384\"\n"},
      {"c = [0, 1]\na = [[], [1]]\nb = [\"1/2\", \"half\"]\n",
       ":3:13: b_2 is no number; expected one, or a fraction as \"35/384\"\n"},
      {"c = [0, 1]\na = [[], [nan]]\nb = [1, 0]\n",
       ":2:11: a_2,1 is no number; expected one, or a fraction as \"35/384\"\n"},
      {"c = [0, 1]\na = [[], [1]]\nb = [1]\n", ":3:5: b has 1 entries, c has 2; one a stage was expected\n"},
      {"c = [0, 1]\na = [[], [1, 0, 0]]\nb = [1, 0]\n",
       ":2:17: a_2 has 3 entries, c has 2; at most one a stage was expected\n"},
      {"c = [0, 1]\na = [[1]]\nb = [1, 0]\n",
       ":2:5: a has 1 rows, c has 2 entries; a needs one row a stage (the first is [])\n"},
      {"c = [0, 1]\na = [[], 1]\nb = [1, 0]\n", ":2:10: a has to be a list of lists, [[…], […]]\n"},
      {"c = [0, 1]\na = [[], [1]]\nb = [1, 0]\nembedded = [1, 0]\n",
       ":4:13: embedded has to be a list of lists, [[…], […]]\n"},
      {"c = [0, 1]\na = [[], [1]]\nb = [1, 0]\nembedded = [[1]]\n",
       ":4:13: embedded_1 has 1 entries, c has 2; one a stage was expected\n"},
      {"c = [0, 1]\na = [[], [1]]\n", ":1:1: there is no 'b'; a tableau needs c, a and b\n"},
      {"c = []\na = []\nb = []\n", ":1:5: c is empty; it holds one number a stage\n"},
      {"c = [0]\na = [[]]\nb = [1]\nwieghts = [1]\n",
       ":4:1: unknown key 'wieghts'; a tableau has c, a, b, embedded and name\n"},
      {"c = [0, 1]\na = [[], [1]\nb = [1, 0]\n",
       ":3:1: Error while parsing array: expected comma or closing ']', saw 'b'\n"},
      {"[é]\n", ":1:2: Error while parsing key: expected bare key starting character or string delimiter, saw 'é'\n"},
      {"μ = 1\n", ":1:1: Error while parsing root table: expected keys, tables, whitespace or comments, saw 'μ'\n"},
  };
  for (const auto& [text, said] : wrong) {
    const temporary_file file("wrong.toml", text);
    const auto run = ensue_command({"methods", "--tableau", file.path});
    EXPECT_EQ(run.status, 2) << text;
    EXPECT_EQ(run.out, "") << text;
    EXPECT_EQ(run.error, file.path + said) << text;
  }
  const auto missing = ensue_command({"methods", "--tableau", "/nowhere/at/all.toml"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.error, "/nowhere/at/all.toml: cannot be read; a file with a tableau was expected\n");
}

}  // namespace
