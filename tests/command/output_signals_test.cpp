/// Signals during runs that write files: what was reached is there, unfinished files are not.
#include "support/running_command.hpp"
#include "support/solve_command.hpp"
#include "support/table.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace {

using namespace ensue::tests;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::ptrdiff_t files_in(const temporary_folder& folder) { return std::distance(fs::directory_iterator(folder.file("")), {}); }

std::vector<std::string> for_ever(std::vector<std::string> extra) {
  extra.insert(extra.begin(), {"solve", example("lorenz"), "--to", "1e9", "--max-evaluations", "1e15", "--every", "1"});
  return extra;
}

TEST(output_signals, every_signal_that_ends_a_run_leaves_what_was_reached) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    const temporary_folder folder, said;
    const std::string csv = folder.file("out.csv");
    const running_command run(for_ever({"--json", "--output", csv, "--plot", folder.file("out.svg")}), said.file("out"), said.file("error"));
    run.wait_until_it_listens();
    std::this_thread::sleep_for(100ms);
    run.interrupt(signal);
    EXPECT_EQ(run.status(), 1) << signal;
    EXPECT_EQ(json::parse(content_of(said.file("out")))["outcome"], "cancelled") << signal;
    EXPECT_EQ(files_in(folder), 2) << signal;
    EXPECT_GE(read_csv(csv).rows.size(), 2u) << signal;
  }
}

/// A run that a pipe holds up, because nobody reads it: it cannot end by itself.
struct held_up_run {
  temporary_folder folder, said;
  std::string pipe = folder.file("out.csv");
  bool made = mkfifo(pipe.c_str(), 0600) == 0;
  int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  running_command run{for_ever({"--output", pipe, "--plot", folder.file("out.svg")}), said.file("out"), said.file("error")};

  held_up_run() {
    run.wait_until_it_listens();
    wait_until_the_pipe_is_full();
    EXPECT_EQ(files_in(folder), 2) << "the pipe and an unfinished picture";
  }
  /// Before, the run would not wait for the pipe: it could end at the first signal.
  void wait_until_the_pipe_is_full() const {
    int waiting = 0, before = -1;
    for (int i = 0; i < 100 && (waiting < fcntl(reader, F_GETPIPE_SZ) / 2 || waiting != before); ++i) {
      before = waiting;
      std::this_thread::sleep_for(200ms);
      ioctl(reader, FIONREAD, &waiting);
    }
  }
  ~held_up_run() { close(reader); }

  void read_to_the_end() const {
    char part[1 << 16];
    pollfd ready{reader, POLLIN, 0};
    while (poll(&ready, 1, 5000) > 0 && read(reader, part, sizeof part) > 0) {}
  }
};

TEST(output_signals, the_second_signal_ends_at_once_and_leaves_nothing) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const held_up_run held;
    held.run.interrupt(signal);
    std::this_thread::sleep_for(800ms);  // half a second, and time to notice the first signal on a busy machine
    EXPECT_EQ(files_in(held.folder), 2);
    held.run.interrupt(signal);
    EXPECT_EQ(held.run.status(), -1) << "ended by it";
    EXPECT_EQ(files_in(held.folder), 1) << signal;
  }
}

// `timeout` sends its signal to the process and to its group, so that it comes twice; so does a terminal that is closed.
TEST(output_signals, the_same_signal_twice_at_once_is_one) {
  const held_up_run held;
  for (int i = 0; i < 3; ++i) {
    held.run.interrupt(SIGTERM);
    std::this_thread::sleep_for(2ms);
  }
  held.read_to_the_end();
  EXPECT_EQ(held.run.status(), 1);
  EXPECT_EQ(files_in(held.folder), 2);
  EXPECT_TRUE(fs::exists(held.folder.file("out.svg")));
}

TEST(output_signals, a_comparison_leaves_no_unfinished_picture) {
  const temporary_folder folder, said;
  const running_command run({"compare", example("kepler"), "--patience", "100", "--plot", folder.file("out.svg")}, said.file("out"), said.file("error"));
  run.wait_until_it_listens();
  std::this_thread::sleep_for(50ms);
  run.interrupt(SIGHUP);
  EXPECT_NE(run.status(), 0);
  for (const auto& each : fs::directory_iterator(folder.file(""))) EXPECT_EQ(each.path().filename(), "out.svg");
}

TEST(output_signals, a_pipe_without_a_reader_can_be_left) {
  const temporary_folder folder, said;
  ASSERT_EQ(mkfifo(folder.file("out.svg").c_str(), 0600), 0);
  const running_command run(for_ever({"--output", folder.file("out.csv"), "--plot", folder.file("out.svg")}), said.file("out"), said.file("error"));
  run.wait_until_it_listens();
  std::this_thread::sleep_for(50ms);
  run.interrupt(SIGTERM);
  EXPECT_EQ(run.status(), 1);
  EXPECT_EQ(content_of(said.file("error")), "ensue: cancelled while " + folder.file("out.svg") + " had no reader\n");
  EXPECT_EQ(files_in(folder), 1) << "the pipe";
}

// Hours of computing are not thrown away because a folder has come to the file's place.
TEST(output_signals, a_table_without_a_place_is_left_beside_it) {
  const temporary_folder folder, said;
  const std::string csv = folder.file("out.csv");
  const running_command run(for_ever({"--quiet", "--output", csv}), said.file("out"), said.file("error"));
  run.wait_until_it_listens();
  std::this_thread::sleep_for(100ms);
  fs::create_directory(csv);
  run.interrupt();
  EXPECT_EQ(run.status(), 1);
  const std::string error = content_of(said.file("error")), words = "out.csv could not be written: Is a directory; it is left in ";
  const std::size_t at = error.find(words);
  ASSERT_NE(at, std::string::npos) << error;
  const std::string left = error.substr(at + words.size(), error.find('\n', at) - at - words.size());
  EXPECT_TRUE(content_of(left).starts_with("t,x,y,z\n")) << left;
}

TEST(output_signals, nohup_is_obeyed) {
  const temporary_folder folder;
  const command_run run = run_in_shell("cd '" + folder.file("") + "'; trap '' HUP; '" + ENSUE_COMMAND_PATH + "' solve '" + example("lorenz") +
                                       "' --to 1e9 --max-evaluations 1e15 --quiet --every 1 --output out.csv &\n"
                                       "sleep 0.3; kill -HUP $!; sleep 0.2; test ! -e out.csv || exit 9; kill -TERM $!; wait $!");
  EXPECT_EQ(run.status, 1) << "9: SIGHUP ended it";
  EXPECT_TRUE(run.error.starts_with("ensue: cancelled at t = ")) << run.error;
}

}  // namespace
