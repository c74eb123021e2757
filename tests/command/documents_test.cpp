/// The guide and the README, followed as a reader follows them: each command runs, draws the picture that is shown and prints
/// what is shown.
#include "support/documents.hpp"
#include "support/sanitized.hpp"
#include "support/shell.hpp"
#include "support/xml.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

namespace {

using namespace ensue::tests;
namespace fs = std::filesystem;

std::vector<fs::path> pages_with_commands() {
  std::vector<fs::path> pages{tree / "README.md"};
  for (const auto& file : fs::directory_iterator(tree / "docs" / "guide")) pages.push_back(file.path());
  std::sort(pages.begin(), pages.end());
  return pages;
}

/// A folder in which the lines of the documents can be run as they stand.
class readers_tree {
 public:
  readers_tree() {
    fs::create_directories(at("docs/pictures"));
    fs::create_symlink(tree / "examples", at("examples"));
    fs::create_symlink(ENSUE_COMMAND_PATH, at("ensue"));
  }
  std::string at(const std::string& name) const { return folder_.file(name); }
  command_run run(const std::string& line) const { return run_in_shell("cd '" + at("") + "'\n" + line); }

 private:
  temporary_folder folder_;
};

// Last digits differ between compilers; what is there does not.
std::string without_paths(const std::string& picture) {
  std::string kept;
  for (std::size_t at = 0; at < picture.size();) {
    const std::size_t begin = std::min(picture.find(" d=\"", at), picture.size());
    kept += picture.substr(at, begin - at);
    at = begin == picture.size() ? begin : picture.find('"', begin + 4);
  }
  return kept;
}

class page : public testing::TestWithParam<fs::path> {};

TEST_P(page, commands_do_what_is_shown) {
  if (sanitized) GTEST_SKIP() << "a minute and a half for commands that their own tests run, too";
  const readers_tree here;
  const std::string text = content_of(GetParam().string());
  const std::vector<shown_command> commands = commands_of(text);
  EXPECT_TRUE(!commands.empty() || GetParam().stem() == "README") << "a chapter shows something";
  for (const shown_command& each : commands) {
    SCOPED_TRACE(each.line);
    const command_run run = here.run(each.line);
    EXPECT_EQ(run.status, 0) << run.error;
    if (each.has_output) {
      EXPECT_EQ(missing(each.printed, run.out), "") << "is shown, but was not printed:\n" << run.out;
    }
    if (each.plot().empty()) continue;
    const std::string made = content_of(here.at(each.plot()));
    EXPECT_EQ(fault_of_xml(made), "");
    if (!each.plot().starts_with("docs/")) continue;
    const fs::path kept = tree / each.plot();
    EXPECT_NE(text.find("](" + fs::relative(kept, GetParam().parent_path()).string() + ")"), std::string::npos)
        << "the picture is not shown";
    // How many methods compare gets done depends on the machine.
    if (!each.line.starts_with("./ensue compare")) {
      EXPECT_EQ(without_paths(made), without_paths(content_of(kept.string()))) << "is not the picture that is kept";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(documents, page, testing::ValuesIn(pages_with_commands()), [](const auto& each) {
  return std::regex_replace(each.param.stem().string(), std::regex("[^A-Za-z0-9]"), "_") +
         (each.param.parent_path() == tree ? "" : "_of_the_guide");
});

TEST(documents, every_picture_is_made_by_a_command) {
  std::set<std::string> made;
  for (const fs::path& each : pages_with_commands())
    for (const shown_command& command : commands_of(content_of(each.string()))) made.insert(command.plot());
  const std::string measured = content_of((tree / "docs" / "measurements.md").string());  // by programs of bench/
  const std::string reported = content_of((tree / "bench" / "report.cpp").string());
  const std::string of_meshes = content_of((tree / "tools" / "sculpting-pictures").string());
  const std::string of_scenes = content_of((tree / "tools" / "draw_scenes").string());
  const auto is_of_a_scene = [&](const std::string& picture) {
    if (!picture.starts_with("scene-")) return false;
    const std::string scene = std::regex_replace(picture.substr(6, picture.size() - 10), std::regex("-"), "_");
    return of_scenes.find("\ndraw " + scene + " ") != std::string::npos;
  };
  for (const auto& file : fs::directory_iterator(tree / "docs" / "pictures")) {
    const std::string name = "docs/pictures/" + file.path().filename().string();
    EXPECT_TRUE(made.contains(name) || measured.find(name) != std::string::npos ||
                of_meshes.find('"' + file.path().filename().string() + '"') != std::string::npos ||
                reported.find('"' + file.path().filename().string() + '"') != std::string::npos || is_of_a_scene(file.path().filename().string()))
        << file;
  }
}

TEST(documents, links_lead_somewhere) {
  const std::regex link(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  std::size_t links = 0;
  for (const fs::path& each : all_pages()) {
    const std::string text = content_of(each.string());
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at, ++links)
      EXPECT_TRUE(fs::exists(each.parent_path() / (*at)[1].str())) << each << " links to " << (*at)[1];
  }
  EXPECT_GT(links, 40u);
}

}  // namespace
