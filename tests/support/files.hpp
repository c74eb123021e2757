/// Files that tests read and write: the sources, what is in a file, files and folders that are gone at the end of a scope.
///
///     const tests::temporary_file problem("decay.toml", "…");   // problem.path
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

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

}  // namespace ensue::tests
