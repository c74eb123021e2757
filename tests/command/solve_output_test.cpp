/// `ensue solve --output`: which points, in which form, and what is left where something goes wrong.
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"
#include "support/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

namespace {

using namespace ensue::tests;

struct scratch : scratch_table {
  std::string json_file = folder.file("out.json");

  std::size_t files() const {
    const auto path = std::filesystem::path(csv).parent_path();
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

table written(std::vector<std::string> arguments, int status = 0) {
  const scratch out;
  arguments.insert(arguments.end(), {"--quiet", "--output", out.csv});
  const command_run run = solve(arguments);
  EXPECT_EQ(run.status, status) << run.error;
  EXPECT_EQ(out.files(), 1u) << "the table and nothing else";
  return read_csv(out.csv);
}

TEST(solve_output, a_table_has_time_components_and_invariants) {
  const scratch out;
  const json answer = solved({example("kepler"), "--points", "5", "--output", out.csv});
  const table csv = read_csv(out.csv);
  EXPECT_EQ(csv.header, "t,x,y,x',y',energy,angular_momentum");
  ASSERT_EQ(csv.rows.size(), 5u);
  for (const auto& row : csv.rows) EXPECT_EQ(row.size(), 7u);
  EXPECT_EQ(csv.rows.front(), (std::vector<double>{0, 0.4, 0, 0, 2, -0.5, 0.8}));
  // to the last bit what the answer says, which is JSON's shortest text of the same double
  EXPECT_EQ(csv.rows.back()[0], answer["t"]);
  EXPECT_EQ(csv.rows.back()[1], answer["state"]["x"]);
  EXPECT_EQ(csv.rows.back()[4], answer["state"]["y'"]);
  EXPECT_EQ(csv.rows.back()[5], answer["invariants"]["energy"]["final"]);
}

TEST(solve_output, json_and_csv_hold_the_same_numbers) {
  const scratch out;
  solved({example("kepler"), "--every", "0.7", "--output", out.csv});
  solved({example("kepler"), "--every", "0.7", "--output", out.json_file});
  const json object = json::parse(content_of(out.json_file));
  EXPECT_EQ(object["title"], "Kepler's ellipse, e = 0.6");
  EXPECT_EQ(object["names"], (json{"t", "x", "y", "x'", "y'", "energy", "angular_momentum"}));
  const table csv = read_csv(out.csv);
  EXPECT_EQ(object["rows"].get<std::vector<std::vector<double>>>(), csv.rows);
  EXPECT_EQ(csv.rows.size(), 91u) << "0, 0.7, … 62.3, and the end";
}

TEST(solve_output, evenly_spaced_points_have_both_ends) {
  using texts = std::vector<std::string>;
  for (const std::string& to : sanitized ? texts{"-5", "2*pi", "1e9"} : texts{"5", "-5", "0.3", "1e-9", "2*pi", "1e9"})
    for (const std::string& start : sanitized ? texts{"-0.3", "1e6"} : texts{"-0.3", "0", "1e6", "1/3"})
      for (const int count : sanitized ? std::vector{2, 11} : std::vector{2, 3, 4, 11, 100}) {
        const temporary_file file("p.toml",
                                  "from = \"" + start + "\"\nto = 0\n[state]\nx = 1\n[derivative]\nx = \"cos(t)*0\"\n");
        for (const std::string& end : {to, std::string("0")}) {
          if (end == start) continue;
          const scratch out;
          const json answer = solved({file.path, "--to", end, "--points", std::to_string(count), "--output", out.csv});
          const auto t = read_csv(out.csv).column(0);
          ASSERT_EQ(t.size(), static_cast<std::size_t>(count)) << start << " to " << end;
          EXPECT_EQ(t.back(), answer["t"]) << start << " to " << end;
          for (std::size_t i = 1; i < t.size(); ++i)
            EXPECT_NEAR(t[i] - t[i - 1], (t.back() - t[0]) / (count - 1),
                        1e-15 * (std::abs(t[0]) + std::abs(t.back())));
        }
      }
}

TEST(solve_output, every_so_often_and_the_end) {
  EXPECT_EQ(written({example("decay"), "--every", "0.25", "--to", "1"}).column(0),
            (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(written({example("decay"), "--every", "0.75", "--to", "2"}).column(0),
            (std::vector<double>{0, 0.75, 1.5, 2}));
  EXPECT_EQ(written({example("decay"), "--every", "0.75", "--to", "-2"}).column(0),
            (std::vector<double>{0, -0.75, -1.5, -2}));
  EXPECT_EQ(written({example("decay"), "--every", "9", "--to", "2"}).column(0), (std::vector<double>{0, 2}));
  EXPECT_EQ(written({example("decay"), "--every", "9", "--to", "0"}).column(0), (std::vector<double>{0}));
  EXPECT_EQ(written({example("decay"), "--every", "0.1", "--to", "1"}).rows.size(), 11u);
}

// Between the steps it is the dense output, not the nearest step.
TEST(solve_output, points_are_on_the_solution) {
  for (const auto& row : written({example("decay"), "--method", "vern9", "--rtol", "1e-12", "--points", "1000"}).rows)
    EXPECT_NEAR(row[1], std::exp(-2 * row[0]), 1e-10) << row[0];
}

TEST(solve_output, without_points_every_accepted_step) {
  const scratch out;
  const json answer = solved({example("kepler"), "--output", out.csv}), plain = solved({example("kepler")});
  EXPECT_EQ(read_csv(out.csv).rows.size(), answer["statistics"]["steps"].get<std::size_t>() + 1);
  EXPECT_EQ(answer["statistics"]["evaluations"], plain["statistics"]["evaluations"]) << "steps cost nothing to save";
  EXPECT_EQ(answer["state"], plain["state"]);
}

TEST(solve_output, the_run_is_the_same_with_output_points) {
  const json sparse = solved({example("kepler"), "--points", "7"}), plain = solved({example("kepler")});
  EXPECT_EQ(sparse["state"], plain["state"]);
  EXPECT_EQ(sparse["statistics"]["steps"], plain["statistics"]["steps"]);
}

TEST(solve_output, the_error_is_over_the_output_points) {
  // its largest value is at t = 1/2 or so, never at both ends
  const json ends = solved({example("decay"), "--points", "2"}), many = solved({example("decay"), "--points", "1001"});
  EXPECT_EQ(ends["error"]["largest"].get<double>(),
            std::abs(ends["state"]["x"].get<double>() - std::exp(-2 * ends["t"].get<double>())));
  EXPECT_GT(many["error"]["largest"], ends["error"]["largest"]);
}

TEST(solve_output, what_was_reached_is_written) {
  const temporary_file pole("pole.toml", "to = 2\n[state]\nx = 1\n[derivative]\nx = \"x^2\"\n");
  const scratch out;
  const json answer = solved({pole.path, "--every", "0.3", "--output", out.csv}, 1);
  const table csv = read_csv(out.csv);
  ASSERT_EQ(csv.rows.size(), 5u) << "0, 0.3, 0.6, 0.9, and where it ended";
  EXPECT_EQ(csv.rows.back()[0], answer["t"]);
  EXPECT_EQ(csv.rows.back()[1], answer["state"]["x"]);
  EXPECT_EQ(written({pole.path, "--max-evaluations", "1"}, 1).rows.size(), 1u) << "the start";
}

TEST(solve_output, names_with_commas_are_quoted) {
  const temporary_file file(
      "p.toml", "to = 1\n[state]\n\"u[i=1..2, j=1..2]\" = 1\n[derivative]\n\"u[i=1..2, j=1..2]\" = \"i\"\n");
  EXPECT_EQ(written({file.path}).header, "t,\"u[1,1]\",\"u[1,2]\",\"u[2,1]\",\"u[2,2]\"");
}

TEST(solve_output, undefined_numbers_are_null_in_json) {
  const temporary_file file("p.toml",
                            "to = 1\n[state]\nx = 1\n[derivative]\nx = -1\n[invariants]\nroot = \"sqrt(x - 0.5)\"\n");
  const scratch out;
  solved({file.path, "--points", "3", "--output", out.json_file});
  const json rows = json::parse(content_of(out.json_file))["rows"];
  EXPECT_EQ(rows[0][2], std::sqrt(0.5));
  EXPECT_TRUE(rows[2][2].is_null());
}

TEST(solve_output, wrong_requests_exit_with_2_and_leave_nothing) {
  const scratch out;
  const std::string file = example("decay");
  const temporary_file wrong("wrong.toml", "to = 1\n[state]\nx = 1\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> all = {
      {{file, "--output", out.folder.file("out.txt")}, "expected a name that ends with .csv or .json"},
      {{file, "--output", out.folder.file("out")}, "expected a name that ends with .csv or .json"},
      {{file, "--output", "/no/such/folder/out.csv"},
       "--output /no/such/folder/out.csv: cannot be written: No such file"},
      {{file, "--plot", out.folder.file("out.png")}, "expected a name that ends with .svg"},
      {{file, "--plot", "/no/such/folder/out.svg"}, "--plot /no/such/folder/out.svg: cannot be written"},
      {{file, "--output", out.csv, "--plot", "/no/such/folder/out.svg"}, "cannot be written"},
      {{file, "--output", out.csv, "--points", "1"}, "--points 1: expected a whole number from 2 to 1e+09"},
      {{file, "--output", out.csv, "--points", "2.5"}, "expected a whole number"},
      {{file, "--output", out.csv, "--every", "0"}, "--every 0: expected a number above 0"},
      {{file, "--output", out.csv, "--every", "-1"}, "expected a number above 0"},
      {{file, "--output", out.csv, "--every", "1e-300"}, "expected at most 1e+09"},
      {{file, "--output", out.csv, "--every", "1", "--points", "3"}, "excludes"},
      {{file, "--output", out.csv, "--method", "euler"}, "expected a fixed step"},
      {{wrong.path, "--output", out.csv}, "wrong.toml:"},
  };
  for (const auto& [arguments, said] : all) {
    const command_run run = solve(arguments);
    EXPECT_EQ(run.status, 2) << said;
    EXPECT_EQ(run.out, "") << said;
    EXPECT_TRUE(mentions(run.error, said)) << run.error << "instead of\n" << said;
    EXPECT_EQ(out.files(), 0u) << said;
  }
  std::filesystem::create_directory(out.csv);
  EXPECT_TRUE(mentions(solve({file, "--output", out.csv}).error, "cannot be written: Is a directory"));
}

TEST(solve_output, an_older_file_stays_where_the_input_is_wrong) {
  const scratch out;
  ASSERT_EQ(solve({example("decay"), "--points", "3", "--output", out.csv}).status, 0);
  const std::string before = content_of(out.csv);
  ASSERT_EQ(solve({example("decay"), "--method", "euler", "--output", out.csv}).status, 2);
  EXPECT_EQ(content_of(out.csv), before);
  ASSERT_EQ(solve({example("decay"), "--points", "4", "--output", out.csv}).status, 0);
  EXPECT_NE(content_of(out.csv), before);
}

}  // namespace
