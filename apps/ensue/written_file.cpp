#include "written_file.hpp"

#include "endings.hpp"
#include "notices.hpp"

#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include <cerrno>
#include <cstring>
#include <random>

namespace ensue::command {
namespace {

/// A hidden name in the folder of a file. It is short: the file's own name may be as long as the system takes.
std::string name_beside(const std::filesystem::path& file) {
  std::random_device random;
  return (folder_of(file) / fmt::format(".ensue-{:08x}", random())).string();
}

bool has_access_list([[maybe_unused]] const std::filesystem::path& file) {
#ifdef __linux__
  return getxattr(file.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
#else
  return false;
#endif
}

}  // namespace

written_file::written_file(std::string_view option, const std::string& path)
    : path_(path), place_(place_of_output(option, path)), claim_(option, path, place_) {
  if (place_.what == output_place::kind::stream) stream_ = fdopen(place_.descriptor, "wb");
  else open_beside(option);
}

void written_file::open_beside(std::string_view option) {
  const bool is_new = place_.what == output_place::kind::new_file;
  int descriptor = -1;
  do {
    beside_ = name_beside(place_.file);
    removed_by_signals_.emplace(beside_);
    descriptor = open(beside_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, is_new ? 0666 : 0600);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor >= 0) {
    replaces_ = is_new || take_over_owner_and_mode(descriptor);
    stream_ = fdopen(descriptor, "w+b");
    return;
  }
  const int error = errno;
  removed_by_signals_.reset();
  beside_.clear();
  if (!is_new) stream_ = std::tmpfile();
  if (!stream_) throw wrong_input(fmt::format("{} {}: cannot be written: {}", option, path_, std::strerror(error)));
}

/// Whether the new file can stand for the old one.
bool written_file::take_over_owner_and_mode(int descriptor) const {
  const struct stat& old = place_.there;
  return old.st_nlink == 1 && !has_access_list(place_.file) && fchown(descriptor, old.st_uid, old.st_gid) == 0 &&
         fchmod(descriptor, old.st_mode & 07777) == 0;
}

written_file::~written_file() {
  if (stream_) std::fclose(stream_);
  if (!beside_.empty()) unlink(beside_.c_str());
}

void written_file::write(std::string_view text) {
  if (!failed_ && std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail(errno);
}

bool written_file::finish() {
  // Some file systems report what they could not write when a file is closed: a copy of the descriptor is, before the old file is replaced.
  if (!failed_ && (std::fflush(stream_) != 0 || close(dup(fileno(stream_))) != 0)) fail(errno);
  if (!failed_ && place_.what != output_place::kind::stream && !put_in_place()) {
    const int error = errno;
    const bool is_left = !beside_.empty() && access(beside_.c_str(), F_OK) == 0;
    fail(error, is_left ? fmt::format("; it is left in {}", beside_) : "");
    if (is_left) beside_.clear();  // all that was computed is in there
  }
  if (stream_ && std::fclose(stream_) != 0 && !failed_) fail(errno);
  stream_ = nullptr;
  if (!beside_.empty()) unlink(beside_.c_str());
  beside_.clear();
  removed_by_signals_.reset();
  return !failed_;
}

bool written_file::put_in_place() {
  if (replaces_ && std::rename(beside_.c_str(), place_.file.c_str()) == 0) {
    beside_.clear();
    return true;
  }
  return write_over(stream_);  // renaming fails, too, where the place is a mount point or the folder protects its files
}

bool written_file::write_over(std::FILE* from) const {
  const int descriptor = open(place_.file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  std::FILE* const to = fdopen(descriptor, "wb");
  std::rewind(from);
  char block[1 << 16];
  bool good = true;
  off_t size = 0;
  while (const std::size_t count = good ? std::fread(block, 1, sizeof block, from) : 0) {
    good = std::fwrite(block, 1, count, to) == count;
    size += static_cast<off_t>(count);
  }
  good = good && std::ferror(from) == 0 && std::fflush(to) == 0 && ftruncate(descriptor, size) == 0;
  const int error = errno;
  const bool closed = std::fclose(to) == 0;
  if (!good) errno = error;
  return good && closed;
}

void written_file::fail(int error, const std::string& more) {
  failed_ = true;
  notice("ensue: {} could not be written: {}{}\n", path_, std::strerror(error), more);
}

void write_to_standard_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) throw ended_early{};
}

void write_out(const std::optional<std::string>& file, std::string_view option, const std::string& text) {
  if (!file) return write_to_standard_output(text);
  written_file out(option, *file);
  out.write(text);
  if (!out.finish()) throw ended_early{};
}

}  // namespace ensue::command
