/// The output points of a run, kept: for pictures, and to be compared with another run's.
#pragma once

#include "observed_run.hpp"

namespace ensue::command {

struct kept_rows {
  std::vector<double> t;
  std::vector<std::vector<double>> state, invariants;  ///< one list a row

  void keep(const row& each) {
    t.push_back(each.t);
    state.emplace_back(each.state.begin(), each.state.end());
    invariants.emplace_back(each.invariants.begin(), each.invariants.end());
  }
};

}  // namespace ensue::command
