/// How wrong a run is, by a second one: `ensue solve --check`.
#pragma once

#include "kept_rows.hpp"

namespace ensue::command {

/// A method of other authors, with an error estimate and of high order: vern7, for Verner's own dop853; radau or rodas5p where equations have no
/// derivative.
const method_info& unrelated_method(const method_info& method, const file_problem& problem);

/// A tenth of the tolerances, as far as doubles go. Of fixed steps, whose error nobody has asked to be of a certain size: tight ones.
options<std::span<double>> settings_of_check(const file_problem& problem, options<std::span<double>> settings);

struct check_result {
  const method_info* method = nullptr;
  std::optional<largest_distance> difference;  ///< over the output points and at the end
  std::string failed;                          ///< where there is none: why
};

/// The second run goes as far as the first one, `first`, whose points are `rows`. Not compared are points where one
/// of the runs has met an event and the other has not: there the difference is the event's, not the error.
check_result check(const file_problem& problem, const run_result& first, const kept_rows& rows,
                   const options<std::span<double>>& settings, const run_watch& watch);

}  // namespace ensue::command
