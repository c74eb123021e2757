/// Names made of names at compile time: "doubling(rk4)".
#pragma once

namespace ensue::detail {

constexpr int length(const char* text) {
  int n = 0;
  while (text[n] != '\0') ++n;
  return n;
}

/// before + middle + after, as characters that live as long as the program.
template <int Length> struct joined_text {
  char characters[Length + 1] = {};
  constexpr joined_text(const char* before, const char* middle, const char* after) {
    const char* parts[] = {before, middle, after};
    char* end = characters;
    for (const char* text : parts)
      while (*text != '\0') *end++ = *text++;
  }
};

}  // namespace ensue::detail
