#include "help.hpp"

#include <sstream>

namespace ensue::command {
namespace {

constexpr std::size_t first_column = 30, width = 100;

std::string broken_into_lines(const std::string& text, std::size_t longest) {
  std::istringstream words(text);
  std::string lines;
  std::size_t length = 0;
  for (std::string word; words >> word; length += word.size()) {
    if (length > 0) {
      const bool fits = length + 1 + word.size() <= longest;
      lines += fits ? ' ' : '\n';
      length = fits ? length + 1 : 0;
    }
    lines += word;
  }
  return lines;
}

}  // namespace

help_formatter::help_formatter() {
  column_width(first_column);
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "COMMAND");
}

// Its argument and nothing else: what CLI11 adds (REQUIRED, Excludes: …) is in the usage line and the description.
std::string help_formatter::make_option_opts(const CLI::Option* option) const {
  const bool has_argument = option->get_type_size() != 0 && !option->get_positional();
  return has_argument ? " " + option->get_type_name() : "";
}

std::string help_formatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description(), others;
  for (const CLI::Option* other : option->get_excludes()) others += (others.empty() ? "" : ", ") + other->get_name();
  if (!others.empty()) text += "; not with " + others;
  return broken_into_lines(text, width - first_column);
}

}  // namespace ensue::command
