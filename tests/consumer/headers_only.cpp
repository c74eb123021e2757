// Uses the headers alone, without linking anything.
#include <ensue/methods.hpp>

#include <cstdio>

int main() {
  std::printf("%s\n", ensue::dp54::name);
  return 0;
}
