#include "problems/problem_file.hpp"

#include "problems/problem_reader.hpp"
#include "problems/problem_toml.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace ensue {

std::string problem_error::text(std::string_view file) const {
  return std::string(file) + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " + what;
}

namespace {

// The whole of a file that is no longer than it may be; otherwise an error.
std::string contents(const std::string& path, std::vector<problem_error>& errors) {
  const auto refuse = [&](const std::string& what) {
    errors.push_back({{},
                      what + ", expected a problem file (TOML) of at most " +
                          std::to_string(most_bytes_of_problem_file) + " bytes"});
    return std::string();
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return refuse("found a folder");
  if (std::filesystem::is_regular_file(path, ignored) &&
      std::filesystem::file_size(path, ignored) > most_bytes_of_problem_file)
    return refuse("the file is too large");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return refuse(std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, n);
    if (text.size() > most_bytes_of_problem_file) return refuse("the file is too large");  // a pipe has no size
  }
  if (std::ferror(file.get())) return refuse(std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

}  // namespace

// In the order of the file, whatever order they were found in. (std::stable_sort is not for clang with libstdc++ 12, which
// warns inside it.)
void sort_by_place(std::vector<problem_error>& errors) {
  const auto before = [](const problem_error& a, const problem_error& b) { return a.where < b.where; };
  for (auto next = errors.begin(); next != errors.end(); ++next)
    std::rotate(std::upper_bound(errors.begin(), next, *next, before), next, next + 1);
}

problem_reading read_problem(std::string_view text) {
  problem_reading result;
  const auto document = std::make_shared<const toml_document>(text, result.errors);
  if (!result.errors.empty()) return result;
  problem_reader reader(*document, result.errors);
  problem_file file = reader.read();
  file.document = document;
  if (result.errors.empty()) result.file = std::move(file);
  sort_by_place(result.errors);
  if (reader.left_out() > 0)
    result.errors.push_back(
        {result.errors.back().where, "and " + std::to_string(reader.left_out()) + " more errors, expected none"});
  return result;
}

problem_reading read_problem_file(const std::string& path) {
  problem_reading result;
  const std::string text = contents(path, result.errors);
  if (result.errors.empty()) result = read_problem(text);
  if (result.file) result.file->folder = std::filesystem::path(path).parent_path().string();
  return result;
}

}  // namespace ensue
