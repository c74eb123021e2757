/// The programs of README.md and docs/, taken as a reader takes them: each compiles without a warning against the public headers and
/// prints what is shown under it.
#include "support/documents.hpp"
#include "support/shell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>

namespace {

using namespace ensue::tests;

struct program_of_a_page {
  std::string name;  ///< library_3
  shown_program program;
};
void PrintTo(const program_of_a_page& each, std::ostream* out) { *out << each.name; }

std::vector<program_of_a_page> all_programs() {
  std::vector<program_of_a_page> all;
  for (const std::filesystem::path& page : all_pages()) {
    std::string title = page.stem().string();
    std::replace_if(title.begin(), title.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    int number = 0;
    for (const shown_program& each : programs_of(content_of(page.string())))
      all.push_back({title + '_' + std::to_string(++number), each});
  }
  return all;
}

class program : public testing::TestWithParam<program_of_a_page> {};

TEST_P(program, compiles_and_prints_what_is_shown) {
  const shown_program& shown = GetParam().program;
  ASSERT_TRUE(shown.has_output) << "a program is followed by what it prints, in a `text` block";
  const temporary_folder here;
  std::ofstream(here.file("program.cpp")) << shown.source;
  // In two parts and under a relative name: so ccache knows it again.
  const command_run built = run_in_shell("cd '" + here.file("") + "'\n" ENSUE_COMPILE
                                         " -std=c++20 -O0 -Wall -Wextra -Werror -ffp-contract=off -pthread -I '" +
                                         (tree / "include").string() + "' -c program.cpp -o program.o && " ENSUE_LINK
                                         " -pthread program.o '" ENSUE_LIBRARY "' -o program");
  ASSERT_EQ(built.status, 0) << built.error;
  const command_run run = run_in_shell("'" + here.file("program") + "'");
  EXPECT_EQ(run.status, 0) << run.error;
  EXPECT_EQ(missing(shown.printed, run.out), "") << "is shown, but was not printed:\n" << run.out;
}

INSTANTIATE_TEST_SUITE_P(documents, program, testing::ValuesIn(all_programs()), [](const auto& each) { return each.param.name; });

TEST(programs, are_found) {
  const auto all = programs_of(
      "```cpp\nfragment();\n```\n\n```text\nof a fragment\n```\n\n```cpp\nint main() {}\n```\n\n```text\nprinted\n\nand more\n```\n"
      "```cpp\nint main(int, char**) {}\n```\nwords between\n```text\nof something else\n```\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].source, "int main() {}\n");
  EXPECT_EQ(all[0].printed, (std::vector<std::string>{"printed", "and more"}));
  EXPECT_FALSE(all[1].has_output);
  EXPECT_EQ(programs_of(content_of((tree / "docs" / "library.md").string())).size(), 10u) << "the manual of the library";
}

}  // namespace
