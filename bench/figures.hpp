/// What a benchmark has found, in the one form that the report reads: a figure with its spread and, where there is one, its target.
///
///     bench::figures found(given);        // bench::arguments
///     found.add("dp54-step", "DP5(4) step, Lorenz, / odeint's", bench::ratios(ours, theirs), "", "<= 0.75");
#pragma once

#include "arguments.hpp"
#include "csv.hpp"
#include "timing.hpp"

namespace bench {

struct figure {
  std::string topic;    ///< notes/TOPIC.md says where the time goes, should the figure fall short
  std::string measure;  ///< in words
  double value, low, high;
  std::string unit;    ///< empty: a ratio
  std::string target;  ///< "<= 0.75", ">= 15"; empty: none
};

class figures {
 public:
  explicit figures(const arguments& given) : file_(given.file(), {"topic", "measure", "value", "low", "high", "unit", "target"}) {}

  void add(const figure& one) {
    file_.add({one.topic, one.measure, short_number(one.value), short_number(one.low), short_number(one.high), one.unit, one.target});
  }
  /// The median of several values, with their quartiles.
  void add(const std::string& topic, const std::string& measure, const std::vector<double>& values, const std::string& unit = "",
           const std::string& target = "") {
    add({topic, measure, quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75), unit, target});
  }
  /// What was counted, not timed.
  void add(const std::string& topic, const std::string& measure, double value, const std::string& unit = "",
           const std::string& target = "") {
    add({topic, measure, value, value, value, unit, target});
  }

 private:
  csv_file file_;
};

inline std::vector<figure> read_figures(const csv_table& from) {
  std::vector<figure> all;
  for (std::size_t i = 0; i < from.size(); ++i)
    all.push_back({from.text(i, "topic"), from.text(i, "measure"), from.number(i, "value"), from.number(i, "low"), from.number(i, "high"),
                   from.text(i, "unit"), from.text(i, "target")});
  return all;
}

}  // namespace bench
