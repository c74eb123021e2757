/// Every method over its steps or tolerances, and which of them is the cheapest for what was asked.
#pragma once

#include "measured_run.hpp"
#include "stable_step.hpp"

#include <array>
#include <functional>
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

/// What is asked for. Empty: it is not.
struct goal {
  std::optional<double> error, drift, seconds;
  double doubt = 0;  ///< how wrong the reference may be: an error counts as larger by this

  bool is_met_by(const measured_run& run) const { return is_accurate(run) && (!seconds || run.seconds <= *seconds); }
  bool is_accurate(const measured_run& run) const { return (!error || run.error + doubt <= *error) && (!drift || run.drift <= *drift); }
  bool names_accuracy() const { return error || drift; }
  bool is_given() const { return names_accuracy() || seconds; }
};

struct advised {
  const compared_method* method;
  measured_run run;
  std::string reason;  ///< two sentences
};

/// Runs every method and looks for the best run: the one with the fewest evaluations where an accuracy is asked for, the most accurate one where
/// only a time is.
///
/// The stages are: runs of every method, runs between their settings, the advice, stable steps. Each gets a part of the time that is left, and a method at
/// most four times its equal part of that. What does not fit, or comes after Ctrl-C, is left out.
class comparison {
 public:
  /// Seconds by the clock for everything. (Sanitizers make everything ten times slower.)
#if defined(__SANITIZE_ADDRESS__)
  static constexpr double usual_patience = 100;
#else
  static constexpr double usual_patience = 10;
#endif
  /// The advice may be confirmed so many seconds longer.
  static constexpr double grace = 1;

  /// `stable_steps`: whether they are wanted.
  comparison(const laboratory& lab, const goal& asked, bool stable_steps);

  const std::vector<compared_method>& methods() const { return methods_; }
  const spectrum& modes() const { return modes_; }
  /// Its setting was run again, as the printed command runs it, and met the goal. None: no run did.
  const std::optional<advised>& advice() const { return advice_; }
  /// Whether something was left out for lack of time.
  bool ran_out_of_time() const { return ran_out_of_time_; }
  /// Whether the stable steps of all methods were looked for.
  bool stable_steps_are_complete() const;
  /// The best method and setting, if the time ended before it was run again; otherwise empty.
  const std::string& unconfirmed() const { return unconfirmed_; }

  /// The cheapest run of a method that meets this, and after which every finer one does as well: not by luck.
  static const measured_run* cheapest(const compared_method& of, const goal& asked);

 private:
  struct candidate {
    compared_method* method = nullptr;
    measured_run* run = nullptr;
  };

  void sweep_all();
  void sweep(compared_method& of);
  void refine_all();
  void refine(compared_method& of);
  candidate best();
  void choose();
  void find_stable_steps();

  /// Does this with every method in turn. `until`: seconds after the beginning of the command.
  void in_equal_parts(double until, const std::function<void(compared_method&)>& act);
  std::string why_it_ended();
  std::int64_t most_evaluations(const compared_method& next) const;
  std::int64_t best_for(const goal& asked) const;
  std::string reason(const compared_method& winner, const measured_run& run, const unwatched_run& alone) const;

  const laboratory& lab_;
  time_limit& limit_;
  goal asked_;
  std::vector<compared_method> methods_;
  spectrum modes_;
  std::optional<advised> advice_;
  bool ran_out_of_time_ = false;
  std::string unconfirmed_;
};

}  // namespace ensue::command
