#include "claimed_files.hpp"

#include "endings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <list>
#include <optional>

namespace ensue::command {
namespace {

/// An existing file is known by its number in the file system, which all its names share; a new one by its path.
struct claim {
  int number;
  std::string what;
  dev_t device = 0;
  ino_t inode = 0;
  std::string path = {};

  bool is_same_file(const claim& other) const { return device == other.device && inode == other.inode && path == other.path; }
};

std::list<claim>& claims() {
  static std::list<claim> all;
  return all;
}

int next_number() {
  static int last = 0;
  return ++last;
}

std::optional<claim> claim_of(std::string_view what, const struct stat& file) {
  if (!S_ISREG(file.st_mode)) return {};
  return claim{next_number(), std::string(what), file.st_dev, file.st_ino};
}

claim claim_of_output(std::string_view option, const output_place& place) {
  if (place.what == output_place::kind::existing_file) return *claim_of(option, place.there);
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::canonical(folder_of(place.file), ignored);
  return {next_number(), std::string(option), 0, 0, (folder / place.file.filename()).string()};
}

/// What the file is already, if anything.
std::optional<std::string> use_of(const claim& file) {
  for (const claim& each : claims())
    if (each.is_same_file(file)) return each.what.starts_with('-') ? "the file of " + each.what : each.what;
  for (const auto& [descriptor, what] :
       {std::pair(STDOUT_FILENO, "where standard output goes"), std::pair(STDERR_FILENO, "where standard error goes")})
    if (struct stat there = {}; fstat(descriptor, &there) == 0)
      if (const auto standard = claim_of(what, there); standard && standard->is_same_file(file)) return what;
  return {};
}

}  // namespace

void claim_input(std::string_view what, const std::string& path) {
  struct stat there = {};
  if (stat(path.c_str(), &there) != 0) return;
  if (const auto made = claim_of(what, there)) claims().push_back(*made);
}

claimed_output::claimed_output(std::string_view option, const std::string& path, const output_place& place) : number_(0) {
  if (place.what == output_place::kind::stream) return;
  claim made = claim_of_output(option, place);
  if (const auto use = use_of(made)) throw wrong_input(fmt::format("{} {}: is {}, expected another file", option, path, *use));
  number_ = made.number;
  claims().push_back(std::move(made));
}

claimed_output::~claimed_output() {
  claims().remove_if([this](const claim& each) { return each.number == number_; });
}

}  // namespace ensue::command
