/// Wrong problem files: what is said about them, where, and how soon.
#include "problem_text.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ensue;
using namespace ensue::tests;

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

TEST(wrong_problem_file, every_error_is_said_at_once_at_its_place) {
  EXPECT_EQ(faults(R"toml(title = 3
too = 20
[parameters]
sigma = 10
rho = "28 +"
e = 0.5
early = "late"
late = 1
[state]
x = 1
y = 2
[derivative]
x = "sigm*(y - x)"
y = "cosh(x) + tann(y) - 1"
)toml"),
            "1:9: found a number, expected a title in quotes\n"
            "2:1: unknown key `too`, did you mean `to`?\n"
            "5:12: found the end of the expression, expected a number, a name or `(`\n"
            "6:1: found `e`, which is the constant 2.71828…, expected another name\n"
            "7:10: found `late`, which stands further below, expected an earlier parameter\n"
            "13:6: unknown name `sigm`, did you mean `sigma`?\n"
            "14:16: unknown function `tann`, did you mean `tan`?\n");
}

TEST(wrong_problem_file, places_inside_strings_of_every_kind) {
  const std::string head = "to = 1\n[state]\nx = 1\n[derivative]\n";
  EXPECT_EQ(faults(head + "x = 'a'"),
            "5:6: unknown name `a`, expected a parameter, a component of the state, a definition or t\n");
  EXPECT_EQ(faults(head + "x   =    \"x + nope\""),
            "5:15: unknown name `nope`, expected a parameter, a component of the state, a definition or t\n");
  EXPECT_EQ(faults(head + "x = \"\"\"\n  x +\n  nope\"\"\"").substr(0, 5), "7:3: ");
  EXPECT_EQ(faults(head + "x = \"\"\"x + \\\n   nope\"\"\"").substr(0, 5), "6:4: ");
  EXPECT_EQ(faults(head + "x = '''x +\n nope'''").substr(0, 5), "6:2: ");
  EXPECT_EQ(faults(head + "x = \"x\\t+\\u0020nope\"").substr(0, 6), "5:16: ");
  EXPECT_EQ(faults(head + "x = \"\\u00e9\"").substr(0, 5), "5:6: ");
}

TEST(wrong_problem_file, wrong_sections) {
  EXPECT_EQ(
      faults(""),
      "1:1: found no section [state], expected [state] and [derivative], or [position], [velocity] and [acceleration]\n"
      "1:1: found no section [derivative], expected [state] and [derivative], or [position], [velocity] and "
      "[acceleration]\n");
  EXPECT_EQ(faults("to = 1\n[position]\nx = 1\n[acceleration]\nx = 1\n"),
            "1:1: found no section [velocity], expected [position], [velocity] and [acceleration]\n");
  EXPECT_EQ(faults("to = 1\n[state]\nx = 1\n[derivative]\n"),
            "4:2: found [derivative] without a line, expected at least one\n"
            "4:2: found no `x` in [derivative], expected a line for each component\n");
  EXPECT_EQ(
      faults("[state]\nx = 1\n[derivative]\nx = 1\n[velocity]\nx = 1\n[position]\nx = 1\n[acceleration]\nx = 1\n"),
      "1:2: found [state] in a problem of second order, expected only [position], [velocity] and [acceleration], or "
      "only "
      "[state] and [derivative]\n");
  EXPECT_EQ(faults("state = 3\n[derivative]\nx = 1\n"),
            "1:9: found a number, expected a section [state] with a line for each name\n");
  EXPECT_EQ(faults("[state]\nx = 1\nyy = 2\n[derivative]\nx = 1\nyyy = 1\n"),
            "4:2: found no `yy` in [derivative], expected a line for each component\n"
            "6:1: unknown component `yyy` in [derivative], did you mean `yy`?\n");
  EXPECT_EQ(faults("[state]\nx = 1\nto = 3\n[derivative]\nx = 1\n"),
            "3:1: found `to` in a section, expected it above the first one\n");
}

TEST(wrong_problem_file, wrong_algebraic_equations) {
  const std::string body = "to = 1\n[state]\nx = 1\ny = 1\n[derivative]\nx = \"-x\"\n";
  EXPECT_EQ(faults(body + "[algebraic]\ny = \"x - y\"\n"), "");
  EXPECT_EQ(faults(body + "[algebraic]\nz = \"x - y\"\n"),
            "5:2: found no `y` in [derivative], expected a line for each component\n"
            "8:1: unknown component `z` in [algebraic], expected one of the state's\n");
  EXPECT_EQ(faults(body + "y = 1\n[algebraic]\ny = \"x - y\"\n"),
            "9:1: found `y` again in [derivative] and [algebraic], expected each element once\n");
}

TEST(wrong_problem_file, wrong_names) {
  const auto with_parameters = [](const std::string& lines) {
    return faults("[state]\nx = 1\n[derivative]\nx = 1\n[parameters]\n" + lines);
  };
  EXPECT_EQ(with_parameters("\"2x\" = 1"),
            "6:1: found `2x`, expected a name: a letter or _, then letters, digits or _\n");
  EXPECT_EQ(with_parameters("\"\" = 1"), "6:1: found ``, expected a name: a letter or _, then letters, digits or _\n");
  EXPECT_EQ(with_parameters("t = 1"), "6:1: found `t`, which is time, expected another name\n");
  EXPECT_EQ(with_parameters("sin = 1"), "6:1: found `sin`, which is a function, expected another name\n");
  EXPECT_EQ(with_parameters("\"x'\" = 1"),
            "6:1: found `x'`, expected a name without `'`: x' is the velocity of x, which stands in [velocity] as x\n");
  EXPECT_EQ(with_parameters("x = 1"), "2:1: found `x` again, expected another name: line 6 has it already\n");
  EXPECT_EQ(with_parameters("a = \"a\""), "6:6: found `a`, which is being given here, expected an earlier parameter\n");
  EXPECT_EQ(with_parameters("a = \"2*x\""),
            "6:8: found `x`, a component of the state, expected an earlier parameter\n");
  EXPECT_EQ(with_parameters("a = \"2*t\""), "6:8: found `t`, which is time, expected an earlier parameter\n");
  EXPECT_EQ(faults("[state]\nx = \"d\"\n[definitions]\nd = 2\n[derivative]\nx = \"x'\"\n"),
            "2:6: found `d`, a definition, expected a parameter\n"
            "6:6: found `x'`, expected a name without `'`: only problems of second order ([position], [velocity], "
            "[acceleration]) have velocities\n");
}

TEST(wrong_problem_file, circles_of_definitions) {
  const std::string body = "[state]\nx = 1\n[derivative]\nx = 1\n[definitions]\n";
  EXPECT_EQ(faults(body + "a = \"b + 1\"\nb = \"2*c\"\nc = \"a\"\n"),
            "6:5: found a circle of definitions, expected one that ends: `a` uses `b` uses `c` uses `a`\n");
  EXPECT_EQ(faults(body + "a = \"a\"\n"), "6:5: found a circle of definitions, expected one that ends: `a` uses `a`\n");
  EXPECT_EQ(faults(body + "a = \"b\"\nb = \"x\"\nc = \"a + b\"\n"), "") << "not every diamond is a circle";
}

TEST(wrong_problem_file, an_exact_solution_is_known_beforehand) {
  const std::string body =
      "[state]\nx = 1\n[derivative]\nx = 1\n[definitions]\nd = \"2*c\"\nc = \"x\"\nf = \"c\"\nok = "
      "\"sin(t)\"\n[exact]\n";
  EXPECT_EQ(faults(body + "x = \"exp(x)\""),
            "11:10: found `x`, a component of the state, expected a parameter, t or a definition of these\n");
  EXPECT_EQ(faults(body + "x = \"d\""),
            "11:6: found `d`, which changes with the state, expected a parameter, t or a definition of these\n");
  EXPECT_NE(faults(body + "x = \"f\""), "");
  EXPECT_EQ(faults(body + "x = \"ok\""), "");
  EXPECT_EQ(faults(body + "y = \"t\""), "11:1: unknown component `y` in [exact], expected one of the state\n");
}

TEST(wrong_problem_file, wrong_numbers) {
  const auto with = [](const std::string& value) {
    return faults("to = 1\n[state]\nx = " + value + "\n[derivative]\nx = 1\n");
  };
  EXPECT_EQ(with("nan"), "3:5: found nan, expected a finite number\n");
  EXPECT_EQ(with("-inf"), "3:5: found inf, expected a finite number\n");
  EXPECT_EQ(with("true"), "3:5: found a truth value, expected a number or an expression in quotes\n");
  EXPECT_EQ(with("1979-05-27"), "3:5: found a date, expected a number or an expression in quotes\n");
  EXPECT_EQ(with("[1, 2]"), "3:5: found an array, expected a number or an expression in quotes\n");
  EXPECT_EQ(with("{a = 1}"), "3:5: found a table, expected a number or an expression in quotes\n");
  EXPECT_EQ(with("\"\""), "3:6: found the end of the expression, expected a number, a name or `(`\n");

  const auto result =
      read_problem("to = \"1/zero\"\n[parameters]\nzero = 0\n[state]\nx = \"log(zero)\"\n[derivative]\nx = 1\n")
          .file->make();
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_EQ(result.errors[0].text("f"), "f:1:6: `to` is inf, expected a finite number");
  EXPECT_EQ(result.errors[1].text("f"), "f:5:5: `x` is -inf, expected a finite number");
}

/// A line of the file is a line of what is said, whichever way lines end.
TEST(wrong_problem_file, lines_may_end_as_on_windows) {
  const auto on_windows = [](std::string text) {
    for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) text.insert(i, "\r");
    return text;
  };
  for (const char* quotes : {"\"\"\"", "'''"}) {
    const std::string text = std::string("to = 1\n[state]\nx = 1\n[derivative]\nx = ") + quotes + "\n + x\n + x\n + x\n + x\n + bogus\n" + quotes + "\n";
    EXPECT_TRUE(begins_with(faults(text), "10:4: unknown name `bogus`")) << faults(text);
    EXPECT_EQ(faults(on_windows(text)), faults(text));
  }
}

TEST(wrong_problem_file, wrong_solver_settings) {
  const std::string body = "to = 1\n[state]\nx = 1\ny = 1\n[derivative]\nx = 1\ny = 1\n[solver]\n";
  EXPECT_EQ(faults(body + "metod = \"dp54\""), "9:1: unknown setting `metod` in [solver], did you mean `method`?\n");
  EXPECT_EQ(faults(body + "method = \"dp45\"").substr(0, 6), "9:10: ");
  EXPECT_EQ(faults(body + "method = 5"), "9:10: found a number, expected a method's name in quotes\n");
  EXPECT_EQ(faults(body + "step = 0.1\nrtol = 1e-3").substr(0, 40), "9:1: found `step` and a tolerance, expec");
  EXPECT_EQ(faults(body + "step = 0.1\nmin_step = 1e-3\nmax_step = 1"),
            "10:1: found `step` and `min_step`, expected one of them: `step` fixes the steps, min_step bounds those that the error chooses\n"
            "11:1: found `step` and `max_step`, expected one of them: `step` fixes the steps, max_step bounds those that the error chooses\n");
  EXPECT_EQ(faults(body + "atol = {x = 1, z = 2}"),
            "9:1: found no `y` in the table of atol, expected a line for each component\n"
            "9:16: unknown component `z` in the table of atol, expected one of the state's\n");
  const auto value_fault = [&](const std::string& line) {
    const auto result = read_problem(body + line).file->make();
    return result.errors.size() == 1 ? result.errors[0].what : "none, or several";
  };
  EXPECT_EQ(value_fault("step = 0"), "`step` is 0, expected a number above 0");
  EXPECT_EQ(value_fault("rtol = -1"), "`rtol` is -1, expected a number above 0");
  EXPECT_EQ(value_fault("atol = {x = 1, y = -2}"), "`atol` is -2, expected a number that is not negative");
  EXPECT_EQ(value_fault("max_evaluations = 1.5"), "`max_evaluations` is 1.5, expected a whole number");
}

TEST(wrong_problem_file, what_is_not_toml) {
  EXPECT_EQ(faults("to = 1\n[state]\nx = 1\nx = 2\n"),
            "4:5: not TOML: Error while parsing key-value pair: cannot redefine existing integer 'x'; expected each "
            "name once\n");
  EXPECT_NE(faults("[derivative]\nx = -k*x\n").find("; expected a number, or an expression in double quotes\n"),
            std::string::npos);
  EXPECT_NE(faults("[velocity]\nx' = 3\n").find("; expected a name such as x' in double quotes"), std::string::npos);
  EXPECT_EQ(faults(std::string("to = 1\0", 7)), "1:1: found a byte 0, expected a text file\n");
  EXPECT_EQ(faults("\xff\xfe\x01"), "1:1: not TOML: Encountered invalid utf-8 sequence\n");
  for (const char* text :
       {"[state",          "[é]",     "[=]",     "[]",    "[.a]",  "μ = 1",  "x é = 1",   "x = 1é", "x = é",
        "x = [é]",         "x = {é}", "x = 1 é", "x = _", "x = +", "x = 0x", "x = 1979-", "= 1",    "a. = 1",
        "x = \"\\uD800\"", "x = 'a"})
    EXPECT_TRUE(begins_with(faults(text), "1:")) << text << ": " << faults(text);
  EXPECT_EQ(faults("title = \"\"\"a \\\n é\"\"\"\n[state]\nx = 1\n[derivative]\nx = 1\n"), "")
      << "every letter may be quoted";
}

// Each in well under a second, whatever the length.
TEST(wrong_problem_file, hostile_files_are_refused_quickly) {
  const auto repeated = [](const std::string& text, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += text;
    return all;
  };
  const std::string body = "to = 1\n[state]\nx = 1\n[derivative]\n";
  std::string unknown = body + "x = 1\n[parameters]\n", circles = body + "x = 1\n[definitions]\n";
  for (int i = 0; i < 50'000; ++i) {
    unknown += "a" + std::to_string(i) + " = \"b" + std::to_string(i) + "\"\n";
    circles +=
        "d" + std::to_string(i) + " = \"d" + std::to_string((i + 1) % 50'000) + " + d" + std::to_string(i) + "\"\n";
  }
  const std::vector<std::pair<std::string, std::string>> hostile = {
      {"deep parentheses", body + "x = \"" + repeated("(", 100'000) + "x" + repeated(")", 100'000) + "\"\n"},
      {"a long sum", body + "x = \"" + repeated("x + ", 900'000) + "x\"\n"},
      {"a deep key", "a" + repeated(".a", 1'000'000) + " = 1\n"},
      {"a deep quoted key", "\"a\"" + repeated(".\"a\"", 500'000) + " = 1\n"},
      {"a deep header", "[a" + repeated(" . a", 500'000) + "]\n"},
      {"deep arrays", "a = " + repeated("[", 1'000'000)},
      {"deep tables", "a = " + repeated("{a=", 1'000'000)},
      {"many unknown names", unknown},
      {"many circles", circles},
      {"many unknown keys",
       [&] {
         std::string all = body + "x = 1\n";
         for (int i = 0; i < 50'000; ++i) all += "[section" + std::to_string(i) + "]\n";
         return all;
       }()},
  };
  for (const auto& [what, text] : hostile) {
    const std::clock_t began = std::clock();
    const problem_reading reading = read_problem(text);
    EXPECT_FALSE(reading.file) << what;
    EXPECT_FALSE(reading.errors.empty()) << what;
    EXPECT_LE(reading.errors.size(), 101u) << what;
    EXPECT_LT(std::clock() - began, 5 * CLOCKS_PER_SEC) << what;
  }
}

TEST(wrong_problem_file, files_that_cannot_be_read) {
  const auto first = [](const std::string& path) {
    const problem_reading reading = read_problem_file(path);
    return reading.errors.empty() ? "" : reading.errors[0].text("f");
  };
  EXPECT_EQ(
      first("/no/such/file.toml"),
      "f:1:1: cannot be read: No such file or directory, expected a problem file (TOML) of at most 4194304 bytes");
  EXPECT_EQ(first("/"), "f:1:1: found a folder, expected a problem file (TOML) of at most 4194304 bytes");
  EXPECT_EQ(first("/dev/zero"),
            "f:1:1: the file is too large, expected a problem file (TOML) of at most 4194304 bytes");
  const std::string large =
      (std::filesystem::temp_directory_path() / ("ensue_large_" + std::to_string(getpid()))).string();
  std::ofstream(large) << "to = 1\n";
  std::filesystem::resize_file(large, most_bytes_of_problem_file + 1);
  EXPECT_EQ(first(large), "f:1:1: the file is too large, expected a problem file (TOML) of at most 4194304 bytes");
  std::filesystem::remove(large);
}

}  // namespace
