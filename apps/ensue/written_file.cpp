#include "written_file.hpp"

#include "endings.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace ensue::command {

written_file::written_file(std::string_view option, const std::string& path) : place_(path) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(place_, ignored)) place_ = std::filesystem::weakly_canonical(place_, ignored);
  const auto refuse = [&](const char* why) {
    return wrong_input(fmt::format("{} {}: cannot be written: {}", option, path, why));
  };
  if (std::filesystem::is_directory(place_, ignored)) throw refuse(std::strerror(EISDIR));
  if (std::filesystem::exists(place_, ignored) && access(place_.c_str(), W_OK) != 0) throw refuse(std::strerror(errno));
  beside_ = place_.string() + ".XXXXXX";
  const int descriptor = mkstemp(beside_.data());
  if (descriptor < 0) throw refuse(std::strerror(errno));
  const mode_t withheld = umask(0);
  umask(withheld);
  fchmod(descriptor, 0666 & ~withheld);  // as any new file; mkstemp's is private
  stream_ = fdopen(descriptor, "wb");
}

written_file::~written_file() {
  if (!stream_) return;
  std::fclose(stream_);
  unlink(beside_.c_str());
}

void written_file::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream_); }

bool written_file::finish() {
  const bool failed = std::ferror(stream_) != 0;
  const bool written = std::fclose(stream_) == 0 && !failed;
  stream_ = nullptr;
  if (written && std::rename(beside_.c_str(), place_.c_str()) == 0) return true;
  fmt::print(stderr, "ensue: {} could not be written: {}\n", place_.string(), std::strerror(errno));
  unlink(beside_.c_str());
  return false;
}

void write_to_standard_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) throw ended_early{};
}

void write_out(const std::optional<std::string>& file, std::string_view option, const std::string& text) {
  if (!file) return write_to_standard_output(text);
  errno = 0;
  std::ofstream stream(*file, std::ios::binary);
  if (stream << text && stream.flush()) return;
  throw wrong_input(fmt::format("{} {}: cannot be written: {}", option, *file, std::strerror(errno)));
}

}  // namespace ensue::command
