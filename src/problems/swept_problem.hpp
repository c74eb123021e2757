/// A problem file with numbers that vary from trajectory to trajectory: parameters and initial values, as inputs of its equations.
///
///     swept_problem family(file, {"rho", "x"});
///     family.state_of({21., 0.5}, state, parameters);                    // of one point
///
/// A parameter that varies is made a component whose derivative is 0, so that the equations take it as an input; it is not among the state that is
/// integrated. Parameters computed from it become definitions.
#pragma once

#include "problems/problem_file.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace ensue {

/// Where an input of the equations comes from.
struct swept_input {
  enum class origin : std::uint8_t { state, parameter, nothing } from = origin::nothing;
  std::size_t index = 0;
};

class swept_problem {
 public:
  /// `set`: other numbers in the place of the file's. Throws std::invalid_argument with a sentence where a name is unknown or cannot vary.
  swept_problem(const problem_file& file, const std::vector<std::string>& varied, const std::map<std::string, double>& set);

  const std::vector<std::string>& names() const { return names_; }  ///< of the state that is integrated
  std::size_t parameters() const { return parameters_; }
  const file_problem& problem() const { return *problem_; }  ///< with the parameters that vary as components
  /// The equations: inputs are t and then these; the outputs that count are the first `equations()`.
  std::span<const swept_input> inputs() const { return inputs_; }
  std::size_t equations() const { return names_.size() / (problem_->second_order ? 2 : 1); }

  /// The state and the parameters at a point: one number a name that varies.
  void start_of(std::span<const double> point, std::span<double> state, std::span<double> parameters) const;

 private:
  std::optional<file_problem> problem_;
  std::vector<std::string> names_;
  std::vector<double> start_;
  std::size_t parameters_ = 0;
  std::vector<swept_input> inputs_;
  std::vector<swept_input> targets_;  ///< of the names that vary: where their numbers go
};

}  // namespace ensue
