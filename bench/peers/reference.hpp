/// What the runs are compared with.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct reference {
  std::string problem;
  std::size_t dimension;
  std::vector<long double> states;  ///< at the output times, one after the other
  long double scale;                ///< the largest component of them all: errors are relative to it
  double doubt;                     ///< the error, by the measure below, of the second of two unrelated runs

  /// max over output times and components of |x − reference| ÷ scale. Not finite where x is not.
  double error(const std::vector<double>& x) const;
};

/// How to come by it: some take minutes, and not every problem is asked for.
struct reference_maker {
  std::string problem;
  std::function<reference(double level)> make;  ///< good enough for errors of `level`
};

/// For each problem two runs of different methods in long double.
std::vector<reference_maker> references();

}  // namespace bench
