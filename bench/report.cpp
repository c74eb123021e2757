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

constexpr work_precision tables[] = {{"work_precision", "Work and precision, not stiff", "work-precision-nonstiff.svg", "Six problems that are not stiff: CPU time over error, the best of each library"},
                                     {"stiff_table", "Work and precision, stiff", "work-precision-stiff.svg", "Stiff problems: CPU time over error, the best of each library"}};

class page {
 public:
  page(std::string tree, std::string results) : tree_(std::move(tree)), results_(std::move(results)) {}

  void write(const std::vector<std::string>& programs) const {
    std::vector<figure> all;
    for (const std::string& program : programs)
      for (const figure& one : read_figures(csv_table::of_file(results_ + '/' + program + ".csv"))) all.push_back(one);
    const std::string gpu = tree_ + "/bench/results/nvidia-h200";
    const std::vector<figure> recorded = read_figures(csv_table::of_file(gpu + "/batch.csv"));
    std::ofstream out(tree_ + "/docs/benchmarks.md");
    out << "# Benchmarks\n\nWritten by `bench/run` from what it measured; not to be edited (what is said where figures fall short is in `bench/notes/`):\n\n"
           "```sh\nbench/run              # everything, about half an hour; `./ensue bench` is the same\nbench/run --quick      # in less than three minutes: fewer rounds, "
           "tolerances and sizes\nbench/run --only overheads batch\n```\n\n";
    out << "Ours and the peers run in one program, in turn; thread CPU time; medians, in brackets the quartiles. Ratios count: absolute times are those of the machine. "
           "Figures as CSV: `bench/results/`.\n\n";
    out << plain_table(csv_table::of_file(results_ + "/machine.csv"), {"what", "which"}) << '\n';
    out << "## Ratios and targets\n\n" << count_of_targets(all) << ".\n\n" << figures_table(all, true);
    out << "\n### Recorded on a GPU\n\nNot run with the others: " << content_of(gpu + "/recorded.md") << '\n' << count_of_targets(recorded) << ".\n\n" << figures_table(recorded, true);
    std::vector<figure> both = all;
    both.insert(both.end(), recorded.begin(), recorded.end());
    out << "\n## Where they fall short, and why\n\n" << shortfalls(both, [this](const std::string& topic) { return content_of(tree_ + "/bench/notes/" + topic + ".md"); });
    for (const work_precision& each : tables) write_table(out, each);
    out << "## Figures without a target\n\n" << figures_table(all, false);
    out << "\n## What was run\n\n" << plain_table(csv_table::of_file(results_ + "/runs.csv"), {"program", "mode", "date", "commit", "load", "seconds"});
  }

 private:
  void write_table(std::ostream& out, const work_precision& which) const {
    const std::string files = results_ + '/' + which.program;
    const csv_table cells = csv_table::of_file(files + "-cells.csv"), points = csv_table::of_file(files + "-points.csv");
    if (points.size() == 0) return;
    out << "## " << which.title << "\n\n"
        << content_of(tree_ + "/bench/notes/table-" + which.program + ".md") << '\n'
        << cells_table(cells) << "\n![" << which.of_picture << "](pictures/" << which.picture << ")\n\n";
    std::ofstream(tree_ + "/docs/pictures/" + which.picture) << ensue::plot::svg(work_precision_charts(points));
  }

  std::string tree_, results_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: bench_report TREE FOLDER_OF_RESULTS PROGRAM …\n"), 2;
  page(argv[1], argv[2]).write({argv + 3, argv + argc});
}
