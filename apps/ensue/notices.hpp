/// Sentences on standard error.
///
///     notice("ensue: {} could not be written: {}\n", path, reason);
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace ensue::command {

/// Unlike fmt::print it does not throw where standard error is closed or full: a run must not be lost because of a notice.
template <class... A> void notice(fmt::format_string<A...> format, A&&... values) {
  const std::string text = fmt::format(format, std::forward<A>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace ensue::command
