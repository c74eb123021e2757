/// Files that are read whole, and what is wrong with them.
#pragma once

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ensue {

/// A file that could not be read: the whole sentence, `file:line: …` or `file: byte 12: …`.
struct file_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// All of it; memory is what the file takes. Throws file_error where it cannot be read or is longer than `most`.
inline std::string bytes_of_file(const std::string& path, std::size_t most) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0) throw file_error(path + ": cannot be read, expected a file");
  if (static_cast<std::size_t>(size) > most)
    throw file_error(path + ": has " + std::to_string(size) + " bytes, expected at most " + std::to_string(most));
  std::string bytes(static_cast<std::size_t>(size), '\0');
  stream.seekg(0);
  if (!stream.read(bytes.data(), size)) throw file_error(path + ": cannot be read to its end");
  return bytes;
}

}  // namespace ensue
