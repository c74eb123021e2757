// The command `ensue`: reads its arguments, hands them to a subcommand, turns what happened into an exit status.
// 0 finished; 1 ended early; 2 the input was wrong.
#include <ensue/version.hpp>

#include <CLI/CLI.hpp>

#include <string>

int main(int argc, char** argv) {
  CLI::App app{"Given where things are, compute what ensues."};
  app.name("ensue");
  app.set_version_flag("--version", std::string("ensue ") + ensue::compiled_version());

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}
