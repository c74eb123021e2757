#include "output_place.hpp"

#include "endings.hpp"
#include "interrupt.hpp"
#include "notices.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace ensue::command {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as Linux has it

class seeker {
 public:
  seeker(std::string_view option, const std::string& path) : option_(option), path_(path) {}

  output_place find() const {
    fs::path file = path_;
    for (int links = 0; links <= most_links; ++links) {
      if (const auto number = descriptor_named(file)) return open_again(*number);
      std::error_code is_no_link;
      const fs::path target = fs::read_symlink(file, is_no_link);
      if (is_no_link) return judged(std::move(file));
      file = target.is_absolute() ? target : file.parent_path() / target;
    }
    throw refused(ELOOP);
  }

 private:
  wrong_input refused(const std::string& why) const {
    return wrong_input(fmt::format("{} {}: cannot be written: {}", option_, path_, why));
  }
  wrong_input refused(int error) const { return refused(std::strerror(error)); }

  /// N of /dev/fd/N and /proc/self/fd/N. Such a link leads to something open, which its text only describes.
  static std::optional<int> descriptor_named(const fs::path& file) {
    const std::string name = file.filename().string();
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number < 0) return {};
    std::error_code missing;
    const fs::path folder = fs::canonical(folder_of(file), missing);
    const bool is_ours = folder == "/dev/fd" || folder == "/proc/" + std::to_string(getpid()) + "/fd";
    return is_ours && !missing ? std::optional(number) : std::nullopt;
  }

  output_place open_again(int number) const {
    const int flags = fcntl(number, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) throw refused(EBADF);
    return stream(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  }

  output_place judged(fs::path file) const {
    output_place place;
    if (stat(file.c_str(), &place.there) != 0) {
      if (errno != ENOENT) throw refused(errno);
      require_folder(file);
      place.file = std::move(file);
      return place;
    }
    const mode_t mode = place.there.st_mode;
    if (S_ISDIR(mode)) throw refused(EISDIR);
    if (S_ISBLK(mode)) throw refused("it is a disk");
    if (S_ISFIFO(mode)) return stream(opened_pipe(file));
    if (!S_ISREG(mode)) return stream(open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
    if (access(file.c_str(), W_OK) != 0) throw refused(errno);
    place.what = output_place::kind::existing_file;
    place.file = std::move(file);
    return place;
  }

  void require_folder(const fs::path& file) const {
    if (!file.has_filename()) throw refused(file.empty() ? "it has no name" : std::strerror(EISDIR));
    std::error_code ignored;
    const fs::path folder = folder_of(file);
    if (!fs::is_directory(folder, ignored)) throw refused(fmt::format("No such file or directory; there is no folder {}", folder.string()));
  }

  /// Opening a pipe that nobody reads would block, and Ctrl-C could not end the command then.
  int opened_pipe(const fs::path& file) const {
    int descriptor = -1;
    while ((descriptor = open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO && !is_interrupted())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (descriptor >= 0) fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    else if (is_interrupted()) {
      notice("ensue: cancelled while {} had no reader\n", path_);
      throw ended_early{};
    }
    return descriptor;
  }

  output_place stream(int descriptor) const {
    if (descriptor < 0) throw refused(errno);
    output_place place;
    place.what = output_place::kind::stream;
    place.descriptor = descriptor;
    return place;
  }

  std::string_view option_;
  const std::string& path_;
};

}  // namespace

output_place place_of_output(std::string_view option, const std::string& path) { return seeker(option, path).find(); }

std::filesystem::path folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace ensue::command
