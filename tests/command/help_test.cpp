/// --help, and what has to agree with it: the manual, and completion in the shells that are here.
#include "support/command.hpp"
#include "support/documents.hpp"

#include <ensue/registry.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

namespace {

using namespace ensue::tests;

using words = std::set<std::string>;

words found_in(const std::string& text, const std::string& pattern) {
  words found;
  const std::regex each(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), each), end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

words listed_commands() { return found_in(ensue_command({"--help"}).out, "\n  ([a-z]+)  +[A-Z]"); }

std::string help(const std::string& command) { return ensue_command({command, "--help"}).out; }
words options_of(const std::string& command) { return found_in(help(command), "\n  (?:-[a-z],)?(--[a-z-]+)"); }

/// What bash offers behind these words; the last of them is being typed.
words offered(const std::vector<std::string>& typed) {
  const temporary_folder folder;
  std::filesystem::create_symlink(ENSUE_COMMAND_PATH, folder.file("ensue"));
  std::string line = "PATH='" + folder.file("") + "':$PATH\ncd '" + tree.string() + "'\nsource '" +
                     (tree / "apps/ensue/completion/ensue.bash").string() + "'\nCOMP_WORDS=(ensue";
  for (const std::string& word : typed) line += " '" + word + "'";
  line += ")\nCOMP_CWORD=" + std::to_string(typed.size()) + "\n_ensue ensue\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  std::ofstream(folder.file("line")) << line;
  const int ended = std::system(("bash '" + folder.file("line") + "' >'" + folder.file("out") + "'").c_str());
  EXPECT_EQ(ended, 0);
  const std::vector<std::string> lines = lines_of(content_of(folder.file("out")));
  words found(lines.begin(), lines.end());
  found.erase("");
  return found;
}

TEST(help, lists_the_commands) {
  const words listed = listed_commands();
  for (const char* each : {"solve", "compare", "field", "sweep", "sculpt", "methods", "verify"})
    EXPECT_TRUE(listed.contains(each)) << each;
}

TEST(help, has_an_example_and_the_exit_status_and_fits_a_terminal) {
  for (const std::string& command : listed_commands()) {
    const std::string text = help(command);
    EXPECT_NE(text.find("ensue " + command + " ", text.find("For example")), std::string::npos) << text;
    EXPECT_NE(text.find("Exit status: 0"), std::string::npos) << text;
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 120u) << line;
  }
}

/// The file that `solve --help` shows, and the commands below it.
TEST(help, the_example_of_solve_works) {
  const std::string text = help("solve");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, std::regex("in decay.toml:\n([^]*?)try\n([^]*?)Numbers"))) << text;
  const temporary_file file("decay.toml", found[1]);
  std::size_t runs = 0;
  for (const std::string& line : lines_of(found[2])) {
    std::istringstream stream(std::regex_replace(line, std::regex("   +[a-z].*"), ""));
    std::vector<std::string> arguments;
    for (std::string word; stream >> word;)
      arguments.push_back(word.starts_with("decay.") ? file.folder.file(word) : word);
    ASSERT_EQ(arguments.at(0), "ensue");
    arguments.erase(arguments.begin());
    const command_run run = ensue_command(arguments);
    EXPECT_EQ(run.status, 0) << line << run.error;
    ++runs;
  }
  EXPECT_EQ(runs, 3u);
}

/// The options below a title of the manual.
std::string part_of_manual(const std::string& title) {
  const std::string text = content_of((tree / "docs/man/ensue.1").string());
  const std::size_t at = text.find(".Ss " + title + "\n", text.find(".Sh OPTIONS"));
  return at == std::string::npos ? "" : text.substr(at, text.find("\n.S", at) - at);
}

TEST(manual, has_every_option_in_the_part_of_its_command) {
  for (const std::string& command : listed_commands()) {
    words in_common;  // those whose item names the command, or all
    const std::regex item("\n\\.It ([^\n]*)\n([^\n]*)");
    const std::string common = part_of_manual("Of several commands");
    for (std::sregex_iterator at(common.begin(), common.end(), item), end; at != end; ++at)
      if (!(*at)[2].str().starts_with(".Pq") || (*at)[2].str().find(command) != std::string::npos)
        in_common.merge(found_in((*at)[1], "Fl -([a-z-]+)"));
    words listed = found_in(part_of_manual(command), "Fl -([a-z-]+)"), expected;
    listed.merge(in_common);
    for (const std::string& option : options_of(command)) expected.insert(option.substr(2));
    EXPECT_EQ(listed, expected) << command;
  }
}

TEST(manual, has_every_backend) {
  const std::string sculpt = ensue_command({"sculpt", "--sphere", "1", "--stroke", "x", "--backend", "x"}).error,
                    sweep = ensue_command({"sweep", "x", "--vary", "x=0..1:2", "--backend", "x"}).error;
  for (const auto& [command, refusal] : {std::pair("sculpt", sculpt), std::pair("sweep", sweep)}) {
    const words backends = found_in(refusal.substr(refusal.find("one of")), "([a-z]+)(?:,|\n)");
    EXPECT_GE(backends.size(), 3u) << refusal;
    for (const std::string& each : backends)
      EXPECT_NE(part_of_manual(command).find(".Cm " + each), std::string::npos) << command << ": " << each;
  }
}

TEST(completion, offers_what_help_lists) {
  EXPECT_EQ(offered({""}), listed_commands());
  EXPECT_EQ(offered({"me"}), words{"methods"});
  EXPECT_EQ(offered({"--v"}), words{"--version"});
  for (const std::string& command : listed_commands()) {
    EXPECT_GT(options_of(command).size(), 1u);
    EXPECT_EQ(offered({command, "--"}), options_of(command)) << command;
  }
  EXPECT_EQ(offered({"solve", "--max"}), words{"--max-evaluations"});
}

TEST(completion, offers_methods_by_their_names) {
  words expected;
  for (const ensue::method_info* method : ensue::all_methods())
    expected.insert(std::regex_replace(std::string(method->name), std::regex("[()]"), "\\$&"));
  EXPECT_EQ(offered({"solve", "examples/decay.toml", "--method", ""}), expected);
  EXPECT_EQ(offered({"field", "--method", "doubling\\(r"}), words{"doubling\\(rk4\\)"});
}

TEST(completion, offers_files_where_files_go) {
  EXPECT_EQ(offered({"solve", "examples/kep"}), words{"examples/kepler.toml"});
  EXPECT_EQ(offered({"field", "examples/decay.toml", "--plot", "docs/pictures/eul"}), words{"docs/pictures/euler.svg"});
  EXPECT_EQ(offered({"methods", "--tableau", "examples/kep"}), words{"examples/kepler.toml"});
  EXPECT_EQ(offered({"solve", "exampl"}), words{"examples"}) << "a folder on the way";
  EXPECT_EQ(offered({"solve", "examples/decay.toml", "--rtol", ""}), words{}) << "a number is the user's";
  EXPECT_EQ(offered({"compare", "--set", ""}), words{});
}

}  // namespace
