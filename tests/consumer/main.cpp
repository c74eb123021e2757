// Links the compiled library: the version it prints is the library's, and must be the headers'.
#include <ensue/version.hpp>

#include <cstdio>
#include <cstring>

int main() {
  std::puts(ensue::compiled_version());
  return std::strcmp(ensue::compiled_version(), ENSUE_VERSION) == 0 ? 0 : 1;
}
