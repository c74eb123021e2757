/// Writes docs/benchmarks.md and its pictures from the figures that the other programs have left in a folder. bench/run calls it last.
///
///     bench_report TREE FOLDER_OF_RESULTS PROGRAM …
///
/// In the folder, beside the programs' own files: machine.csv (what, which) and runs.csv (program, mode, date, commit, load, seconds).
#include "benchmarks_page.hpp"

#include <fstream>
#include <iterator>

namespace {

using namespace bench;

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Columns of a table as they stand.
std::string plain_table(const csv_table& from, const std::vector<const char*>& columns) {
  std::string text = "|", line = "|";
  for (const char* column : columns) text += std::string(" ") + column + " |", line += "---|";
  text += '\n' + line + '\n';
  for (std::size_t i = 0; i < from.size(); ++i) {
    text += '|';
    for (const char* column : columns) text += ' ' + from.text(i, column) + " |";
    text += '\n';
  }
  return text;
}

struct work_precision {
  const char *program, *title, *picture, *of_picture;
};

constexpr work_precision tables[] = {{"work_precision", "Work and precision, not stiff", "work-precision-nonstiff.svg",
                                      "Six problems that are not stiff: CPU time over error, the best of each library"},
                                     {"stiff_table", "Work and precision, stiff", "work-precision-stiff.svg",
                                      "Stiff problems: CPU time over error, the best of each library"}};

class page {
 public:
  page(std::string tree, std::string results) : tree_(std::move(tree)), results_(std::move(results)) {}

  void write(const std::vector<std::string>& programs) const {
    std::vector<figure> measured;
    for (const std::string& program : programs) append(measured, read_figures(result(program + ".csv")));
    const std::string gpu = tree_ + "/bench/results/nvidia-h200";
    const std::vector<figure> recorded = read_figures(csv_table::of_file(gpu + "/batch.csv"));
    std::vector<figure> all = measured;
    append(all, recorded);

    std::ofstream out(tree_ + "/docs/benchmarks.md");
    out << note("introduction") << '\n' << plain_table(result("machine.csv"), {"what", "which"});
    out << "\n## Ratios and targets\n\n" << count_of_targets(measured) << ".\n\n" << figures_table(measured, true);
    out << "\n### Recorded on a GPU\n\nNot run with the others: " << content_of(gpu + "/recorded.md") << '\n'
        << figures_table(recorded, true);
    out << "\n## Where they fall short, and why\n\n" << shortfalls(all, [this](const std::string& topic) { return note(topic); });
    for (const work_precision& each : tables) write_table(out, each);
    out << "## Figures without a target\n\n" << figures_table(measured, false);
    out << "\n## What was run\n\n" << plain_table(result("runs.csv"), {"program", "mode", "date", "commit", "load", "seconds"});
  }

 private:
  static void append(std::vector<figure>& to, const std::vector<figure>& more) { to.insert(to.end(), more.begin(), more.end()); }
  csv_table result(const std::string& name) const { return csv_table::of_file(results_ + '/' + name); }
  std::string note(const std::string& name) const { return content_of(tree_ + "/bench/notes/" + name + ".md"); }

  void write_table(std::ostream& out, const work_precision& which) const {
    const std::string program = which.program;
    const csv_table cells = result(program + "-cells.csv"), points = result(program + "-points.csv");
    if (points.size() == 0) return;
    out << "## " << which.title << "\n\n" << note("table-" + program) << '\n' << cells_table(cells);
    out << "\n![" << which.of_picture << "](pictures/" << which.picture << ")\n\n";
    std::ofstream(tree_ + "/docs/pictures/" + which.picture) << ensue::plot::svg(work_precision_charts(points));
  }

  std::string tree_, results_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: bench_report TREE FOLDER_OF_RESULTS PROGRAM …\n"), 2;
  page(argv[1], argv[2]).write({argv + 3, argv + argc});
}
