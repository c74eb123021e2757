/// Runs the command that was built, for the tests in tests/command.
///
///     const auto run = tests::ensue_command({"methods", "--json"});
///     run.status, run.out, run.error
///     const tests::temporary_file problem("decay.toml", "…");   // gone at the end of the scope; problem.path
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace ensue::tests {

/// The sources, for examples and documents.
inline const std::filesystem::path tree = ENSUE_SOURCE_TREE;

/// A folder of its own, so that tests can run side by side.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ensue_test_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder like " + name);
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct temporary_file {
  temporary_folder folder;
  std::string path;
  temporary_file(const std::string& name, const std::string& text) : path(folder.file(name)) {
    std::ofstream(path, std::ios::binary) << text;
  }
};

inline std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct command_run {
  int status = -1;  ///< −1: ended by a signal
  std::string out, error;
};

inline command_run ensue_command(const std::vector<std::string>& arguments) {
  const temporary_folder folder;
  const auto quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  };
  std::string line = quoted(ENSUE_COMMAND_PATH);
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  line += " </dev/null >" + quoted(folder.file("out")) + " 2>" + quoted(folder.file("error"));
  const int ended = std::system(line.c_str());
  return {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, content_of(folder.file("out")), content_of(folder.file("error"))};
}

}  // namespace ensue::tests
