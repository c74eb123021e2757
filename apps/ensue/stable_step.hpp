/// How long a fixed step may be before a run blows up: foreseen from the eigenvalues of the Jacobian along the solution, and
/// found by trying.
#pragma once

#include "measured_run.hpp"

#include <complex>
#include <optional>
#include <span>
#include <vector>

namespace ensue::command {

/// Those of a matrix by rows, n × n. QR with Wilkinson's shifts on its Hessenberg form: 10 n³ complex operations.
std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix, std::size_t n);

/// The eigenvalues of the Jacobian at the start and at the times of the reference. Of a state longer than
/// `most_components_for_spectrum` only the largest one each, by power iteration.
inline constexpr std::size_t most_components_for_spectrum = 80;
struct spectrum {
  std::vector<std::complex<double>> values;
  bool only_largest = false;
  std::vector<std::complex<double>> fastest;  ///< those of the time at which one was largest, that one first
  double fastest_at = 0;                      ///< this time
};
spectrum spectrum_along(const laboratory& lab);

/// Where |R(z)| passes 1 on the way from 0 to the left, by direction: R is what a step of the method multiplies by on x' = λx,
/// found by making the step. On the imaginary axis, where most methods let |R| pass 1 by next to nothing, an oscillation may
/// grow tenfold during the run: |R(iy)| ≤ 10^(y/turns), with `turns` = |λ|·(length of the run), and at most 1.01 a step.
class stability_boundary {
 public:
  stability_boundary(const method_info& method, double turns);

  /// The largest |z| in the direction of λ; none if a mode that does not decay has no say, infinite if every step is stable.
  std::optional<double> towards(const std::complex<double>& lambda) const;

 private:
  static constexpr int directions = 32;
  std::vector<double> radius_;  ///< from the imaginary axis to the negative real one
};

struct stable_step {
  std::optional<double> predicted;     ///< none: no mode decays or oscillates; infinite: every step is stable
  bool grows_at_every_step = false;    ///< some mode oscillates undamped, and |R(iy)| > 1 however short the step
  bool was_tried = false;              ///< what follows is known
  std::optional<double> observed;      ///< none: every step that was tried blew up
  bool longer_were_not_tried = false;  ///< the observed one is half of the span
};
stable_step predicted_stable_step(const method_info& method, const laboratory& lab, const spectrum& modes);
/// By trying, until the time is over (`laboratory::limit`): then nothing is said.
void observe_stable_step(const method_info& method, const laboratory& lab, stable_step& result);

}  // namespace ensue::command
