/// Where the files of --output, --plot and --frames go: into files, through links and pipes, to devices; and what is refused.
///
/// No test names anything in /dev, which a broken command could replace: pipes and nodes are made in folders of their own.
#include "support/sanitized.hpp"
#include "support/solve_command.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace ensue::tests;
namespace fs = std::filesystem;

const std::string problem = "to = 1\n[parameters]\na = 1\n[state]\nx = 1\ny = 0\n[derivative]\nx = \"a*y\"\ny = \"-a*x\"\n";

/// A folder with a problem in p.toml.
struct workplace {
  temporary_folder folder;
  std::string toml = file("p.toml");
  workplace() { put("p.toml", problem); }

  std::string file(const std::string& name) const { return folder.file(name); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  std::string content(const std::string& name) const { return content_of(file(name)); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(file("")), {})); }
  struct stat state(const std::string& name) const {
    struct stat found = {};
    EXPECT_EQ(lstat(file(name).c_str(), &found), 0) << name;
    return found;
  }

  /// A line for the shell, in this folder; $ENSUE is the command.
  command_run shell(const std::string& line) const {
    return run_in_shell("cd '" + file("") + "' && ENSUE='" + ENSUE_COMMAND_PATH + "' && { " + line + "\n}");
  }
  command_run sweep(const std::string& rest) const { return shell("$ENSUE sweep p.toml --vary a=0..1:5 --output " + rest); }
};

std::string swept_table() { return workplace().shell("$ENSUE sweep p.toml --vary a=0..1:5").out; }

std::string end_of_stroke() { return " --stroke '" + (tree / "examples/strokes/test0_righthandstroke.bin").string() + "'"; }

const std::string cloth =
    "model = \"cloth\"\nto = 0.2\n[cloth]\nacross = 8\ndown = 8\nwidth = 2\nheight = 1\nfixed = [0]\n[solver]\n"
    "method = \"linearly-implicit-euler\"\nstep = 0.01\n[output]\nevery = 0.05\n";

// ---- what is not a file is written in place ----

/// False where such nodes cannot be made, or not be opened.
bool make_device(const std::string& path, unsigned minor) {
  return mknod(path.c_str(), S_IFCHR | 0666, makedev(1, minor)) == 0 && std::ofstream(path).is_open();
}

TEST(output_files, a_device_stays_a_device) {
  const workplace here;
  constexpr unsigned null = 3, full = 7;
  if (!make_device(here.file("null.csv"), null) || !make_device(here.file("full.csv"), full)) GTEST_SKIP() << "needs to make nodes";
  for (const char* command : {"sweep p.toml --vary a=0..1:5", "solve p.toml --quiet"}) {
    const std::string line = std::string("$ENSUE ") + command + " --output ";
    EXPECT_EQ(here.shell(line + "null.csv").status, 0) << command;
    const command_run run = here.shell(line + "full.csv");
    EXPECT_EQ(run.status, 1) << command;
    EXPECT_EQ(run.error, "ensue: full.csv could not be written: No space left on device\n") << command;
  }
  EXPECT_TRUE(S_ISCHR(here.state("null.csv").st_mode));
  EXPECT_TRUE(S_ISCHR(here.state("full.csv").st_mode));
  EXPECT_EQ(here.files(), 3u);
}

TEST(output_files, a_disk_is_refused) {
  const workplace here;
  if (mknod(here.file("disk").c_str(), S_IFBLK | 0600, makedev(1, 250)) != 0) GTEST_SKIP() << "needs to make nodes";
  const command_run run = here.sweep("disk");
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.error, "--output disk: cannot be written: it is a disk\n");
  EXPECT_TRUE(S_ISBLK(here.state("disk").st_mode));
}

TEST(output_files, a_pipe_is_written_in_place) {
  const workplace here;
  const command_run run = here.shell("mkfifo pipe; { sleep 0.1; timeout 5 cat pipe > got; } & $ENSUE sweep p.toml --vary a=0..1:5 --output pipe; s=$?; wait; exit $s");
  EXPECT_EQ(run.status, 0) << run.error;
  EXPECT_EQ(here.content("got"), swept_table());
  EXPECT_TRUE(S_ISFIFO(here.state("pipe").st_mode));
}

TEST(output_files, a_pipe_that_loses_its_reader_is_said) {
  const workplace here;
  const command_run run = here.shell(
      "mkfifo pipe; timeout 5 head -c 9 pipe > got & $ENSUE sweep p.toml --vary a=0..1:9000 --to 0.01 --output pipe; s=$?; wait; exit $s");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(mentions(run.error, "ensue: pipe could not be written: Broken pipe\n")) << run.error;
}

TEST(output_files, a_link_to_what_is_open_is_written_there) {
  const workplace here;
  here.put("log", "before\n");
  fs::create_symlink("/proc/self/fd/1", here.file("out"));
  EXPECT_EQ(here.shell("$ENSUE sweep p.toml --vary a=0..1:5 --output out >> log").status, 0);
  EXPECT_EQ(here.content("log"), "before\n" + swept_table());
  EXPECT_EQ(here.shell("$ENSUE sweep p.toml --vary a=0..1:5 --output /proc/self/fd/3 3> got").status, 0);
  EXPECT_EQ(here.content("got"), swept_table());
  EXPECT_EQ(here.sweep("out | cat").out, swept_table());
  const command_run closed = here.sweep("/proc/self/fd/9");
  EXPECT_EQ(closed.status, 2);
  EXPECT_EQ(closed.error, "--output /proc/self/fd/9: cannot be written: Bad file descriptor\n");
}

// ---- files ----

TEST(output_files, links_are_followed) {
  const workplace here;
  fs::create_directory(here.file("below"));
  here.put("below/old.csv", "old\n");
  fs::create_symlink("below/old.csv", here.file("to_old"));
  fs::create_symlink("to_old", here.file("to_link"));
  fs::create_symlink("below/new.csv", here.file("to_nothing"));
  fs::create_symlink("nowhere/new.csv", here.file("to_nowhere"));
  fs::create_symlink("ring", here.file("ring"));
  for (const char* name : {"to_old", "to_link", "to_nothing"}) {
    here.put("below/old.csv", "old\n");
    EXPECT_EQ(here.sweep(name).status, 0) << name;
    EXPECT_TRUE(S_ISLNK(here.state(name).st_mode)) << name;
    EXPECT_EQ(here.content(name), swept_table()) << name;
  }
  EXPECT_TRUE(S_ISREG(here.state("below/new.csv").st_mode));
  EXPECT_EQ(here.sweep("to_nowhere").error,
            "--output to_nowhere: cannot be written: No such file or directory; there is no folder nowhere\n");
  EXPECT_EQ(here.sweep("ring").status, 2);
}

TEST(output_files, an_existing_file_keeps_its_mode_and_names) {
  const workplace here;
  for (const char* name : {"alone", "one"}) {
    here.put(name, std::string(10'000, 'x'));
    fs::permissions(here.file(name), fs::perms(0640));
  }
  fs::create_hard_link(here.file("one"), here.file("other"));
  EXPECT_EQ(here.sweep("alone").status, 0);
  EXPECT_EQ(here.sweep("one").status, 0);
  for (const char* name : {"alone", "one", "other"}) {
    EXPECT_EQ(here.content(name), swept_table()) << name;
    EXPECT_EQ(here.state(name).st_mode & 07777, 0640u) << name;
  }
  EXPECT_EQ(here.state("one").st_nlink, 2u);
  EXPECT_EQ(here.shell("umask 027; $ENSUE sweep p.toml --vary a=0..1:5 --output new").status, 0);
  EXPECT_EQ(here.state("new").st_mode & 07777, 0640u) << "as the umask has it";
  EXPECT_EQ(here.files(), 5u);
}

TEST(output_files, a_name_may_be_as_long_as_the_system_takes) {
  const workplace here;
  EXPECT_EQ(here.sweep(std::string(255, 'n')).status, 0);
}

TEST(output_files, what_cannot_be_written_is_refused_before_the_run) {
  const workplace here;
  const std::vector<std::pair<std::string, std::string>> all = {
      {".", "cannot be written: Is a directory"},
      {"new/", "cannot be written: Is a directory"},
      {"''", "it has no name"},
      {"p.toml/out.csv", "cannot be written: Not a directory"},
      {"none/out.csv", "cannot be written: No such file or directory; there is no folder none"},
      {std::string(256, 'n'), "cannot be written: File name too long"}};
  for (const auto& [path, said] : all) {
    const command_run run = here.sweep(path + " --to 1e300");
    EXPECT_EQ(run.status, 2) << path;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(mentions(run.error, said)) << run.error;
  }
  if (geteuid() != 0) {
    here.put("read_only", "");
    fs::permissions(here.file("read_only"), fs::perms(0444));
    EXPECT_TRUE(mentions(here.sweep("read_only").error, "cannot be written: Permission denied"));
  }
  EXPECT_EQ(here.content("p.toml"), problem);
}

TEST(output_files, an_input_is_not_written_over) {
  const workplace here;
  here.put("ball.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  fs::create_symlink("p.toml", here.file("link.svg"));
  fs::create_hard_link(here.file("p.toml"), here.file("name.csv"));
  for (const char* line : {"sweep p.toml --vary a=0..1:5 --output p.toml", "sweep p.toml --vary a=0..1:5 --output ./name.csv", "solve p.toml --plot link.svg",
                           "solve p.toml --output name.csv", "field p.toml --plot p.toml", "compare p.toml --plot link.svg"}) {
    const command_run run = here.shell(std::string("$ENSUE ") + line);
    EXPECT_EQ(run.status, 2) << line;
    EXPECT_TRUE(mentions(run.error, "is the problem file, expected another file")) << run.error;
    EXPECT_EQ(here.content("p.toml"), problem) << line;
  }
  const command_run run = here.shell("$ENSUE sculpt ball.obj -o ball.obj" + end_of_stroke());
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.error, "--output ball.obj: is the mesh that is read, expected another file\n");
  EXPECT_EQ(here.files(), 4u);

  fs::create_directory(here.file("frames"));
  fs::rename(here.file("ball.obj"), here.file("frames/frame_00001.obj"));
  const std::string mesh = here.content("frames/frame_00001.obj");
  here.put("cloth.toml", "model = \"cloth\"\nto = 0.1\n[cloth]\nmesh = \"frames/frame_00001.obj\"\n[output]\nevery = 0.05\n");
  const command_run frames = here.shell("$ENSUE solve cloth.toml --frames frames --frame-formats obj --quiet");
  EXPECT_EQ(frames.status, 1);
  EXPECT_TRUE(mentions(frames.error, "frames/frame_00001.obj: is the mesh that is read")) << frames.error;
  EXPECT_EQ(here.content("frames/frame_00001.obj"), mesh);
}

TEST(output_files, two_outputs_are_two_files) {
  const workplace here;
  fs::create_symlink("new.csv", here.file("new.svg"));
  const command_run both = here.shell("$ENSUE solve p.toml --output new.csv --plot new.svg");
  EXPECT_EQ(both.status, 2);
  EXPECT_EQ(both.error, "--plot new.svg: is the file of --output, expected another file\n");
  const command_run redirected = here.shell("$ENSUE solve p.toml --output out.csv > out.csv");
  EXPECT_EQ(redirected.status, 2);
  EXPECT_EQ(redirected.error, "--output out.csv: is where standard output goes, expected another file\n");
  EXPECT_EQ(here.files(), 3u);
}

// ---- a full disk, here a limit on the size of files ----

TEST(output_files, a_full_disk_is_said_and_leaves_nothing) {
  const workplace here;
  const std::vector<std::pair<std::string, std::string>> all = {
      {"sweep p.toml --vary a=0..1:999 --output out", "out"},
      {"solve p.toml --points 999 --quiet --output out.csv", "out.csv"},
      {"solve p.toml --points 999 --quiet --plot out.svg", "out.svg"},
      {"field p.toml --plot out.svg", "out.svg"},
      {"compare p.toml --patience 0.1 --quiet --plot out.svg", "out.svg"},
      {"sculpt --sphere 2000 --quiet --output out.obj" + end_of_stroke(), "out.obj"}};
  for (const auto& [line, file] : all) {
    const command_run run = here.shell("ulimit -f 4; $ENSUE " + line);
    EXPECT_EQ(run.status, 1) << line;
    EXPECT_TRUE(mentions(run.error, "ensue: " + file + " could not be written: File too large\n")) << line << ": " << run.error;
    EXPECT_EQ(here.files(), 1u) << line;
  }
  here.put("old", "old\n");
  EXPECT_EQ(here.shell("ulimit -f 4; $ENSUE sweep p.toml --vary a=0..1:999 --output old").status, 1);
  EXPECT_EQ(here.content("old"), "old\n");
}

TEST(output_files, a_full_disk_keeps_the_answer) {
  const workplace here;
  const command_run run = here.shell("ulimit -f 4; $ENSUE solve p.toml --points 999 --json --output out.csv | cat; exit 1");
  EXPECT_EQ(json::parse(run.out)["outcome"], "finished");
}

TEST(output_files, a_frame_that_cannot_be_written_is_said) {
  const workplace here;
  here.put("cloth.toml", cloth);
  fs::create_directories(here.file("frames/frame_00002.obj"));
  const command_run run = here.shell("$ENSUE solve cloth.toml --frames frames --frame-formats obj --json");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.error,
            "ensue: --frames frames/frame_00002.obj: cannot be written: Is a directory\nensue: the frames from t = 0.1 on are left out\n");
  EXPECT_EQ(json::parse(run.out)["outcome"], "finished") << "the answer is not lost";
  EXPECT_EQ(std::distance(fs::directory_iterator(here.file("frames")), {}), 3);

  const command_run full = here.shell("ulimit -f 1; $ENSUE solve cloth.toml --frames full --quiet");
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(mentions(full.error, "ensue: full/frame_00000.obj could not be written: File too large\n")) << full.error;
  EXPECT_TRUE(fs::is_empty(here.file("full"))) << "no half of a frame";

  EXPECT_EQ(here.shell("$ENSUE solve cloth.toml --frames cloth.toml").status, 2);
}

// ---- standard output and error that are not there ----

TEST(output_files, a_closed_standard_output_does_not_get_into_files) {
  const workplace here;
  const command_run run = here.shell("$ENSUE solve p.toml --points 3 --output out.csv >&-");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(mentions(run.error, "ensue: standard output: Bad file descriptor")) << run.error;
  EXPECT_TRUE(here.content("out.csv").starts_with("t,x,y\n0,1,0\n"));
  EXPECT_FALSE(mentions(here.content("out.csv"), "evaluation"));
}

TEST(output_files, a_closed_standard_error_ends_no_run) {
  const workplace here;
  here.put("stiff.toml", "to = 100\n[state]\nx = 1\n[derivative]\nx = \"-1000*(x - cos(t))\"\n");
  const std::string notice = here.shell("$ENSUE solve stiff.toml").error;
  ASSERT_TRUE(mentions(notice, "stiff at t = ")) << notice;
  const command_run run = here.shell("$ENSUE solve stiff.toml --points 3 --output out.csv 2>&-");
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(mentions(run.out, "finished"));
  EXPECT_FALSE(mentions(here.content("out.csv"), "stiff"));
}

}  // namespace
