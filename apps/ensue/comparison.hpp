/// Every method over its steps or tolerances, and which of them is the cheapest for what was asked.
#pragma once

#include "measured_run.hpp"
#include "stable_step.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ensue::command {

/// The errors of the table.
inline constexpr std::array error_levels = {1e-3, 1e-6, 1e-9};

struct compared_method {
  const method_info* method;
  std::vector<measured_run> runs;        ///< from coarse to fine
  std::optional<double> observed_order;  ///< of fixed steps, from the finest two that the reference can judge
  stable_step stability;
  std::string left_out;  ///< what was not run, and why; empty: nothing
};

/// What was asked for; what was not is not there.
struct goal {
  std::optional<double> error, drift, seconds;

  bool is_met_by(const measured_run& run) const {
    return (!error || run.error <= *error) && (!drift || run.drift <= *drift) && (!seconds || run.seconds <= *seconds);
  }
  bool names_accuracy() const { return error || drift; }
  bool is_given() const { return names_accuracy() || seconds; }
};

struct advised {
  const compared_method* method;
  measured_run run;
  std::string reason;  ///< two sentences
};

/// Those in which the cheapest run is looked for: of an accuracy, the fewest evaluations; of a time alone, the smallest error.
class comparison {
 public:
  /// `patience`: seconds of the processor for all methods; the one begun last may end later. (Sanitizers make everything ten times slower.)
#if defined(__SANITIZE_ADDRESS__)
  static constexpr double usual_patience = 40;
#else
  static constexpr double usual_patience = 4;
#endif
  comparison(const laboratory& lab, const goal& asked, double patience = usual_patience);

  const std::vector<compared_method>& methods() const { return methods_; }
  const spectrum& modes() const { return modes_; }
  /// None: nothing that was tried meets it.
  std::optional<advised> advice() const;

  /// The cheapest run of a method that meets this, and after which every finer one does as well: not by luck.
  static const measured_run* cheapest(const compared_method& of, const goal& asked);

 private:
  void sweep(compared_method& of);
  void refine(compared_method& of, const goal& asked);
  std::int64_t most_evaluations(const compared_method& next) const;
  std::int64_t best_for(const goal& asked) const;
  std::string reason(const compared_method& winner, const measured_run& run) const;

  const laboratory& lab_;
  goal asked_;
  std::vector<compared_method> methods_;
  spectrum modes_;
};

/// The smallest error that the reference can judge.
double judged_from(const reference_solution& reference);

}  // namespace ensue::command
