/// The texts of --help: one line an option, its argument, what it does; long descriptions are broken to fit a terminal.
///
///     app.formatter(std::make_shared<help_formatter>());     // its subcommands take it over
///
/// The completion scripts (completion/) read options and the kinds of their arguments from these lines.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace ensue::command {

class help_formatter : public CLI::Formatter {
 public:
  help_formatter();
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace ensue::command
