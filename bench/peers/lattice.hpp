/// A square net of masses on springs to eight neighbours, hung by two corners and let fall: performance.md's "cloth lattice". The peers know nothing
/// of our models: the net is written down here once more, as somebody without them would.
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

struct hung_net {
  struct spring {
    std::size_t first, second;
    double rest_length;
  };
  static constexpr double spacing = 0.05, gravity = -9.81, frame = 1. / 60;

  std::size_t side;
  double stiffness;  ///< ÷ the mass of a particle, which is one
  std::vector<spring> springs;

  hung_net(std::size_t particles_a_side, double stiffness_to_mass);
  std::size_t particles() const { return side * side; }
  bool held(std::size_t particle) const { return particle == 0 || particle == side - 1; }
  std::vector<double> start() const;  ///< (q, v)
  /// x' at x, both of 6·particles() numbers.
  void derivative(const double* x, double* dx) const;
};

/// Positions after `to` seconds, shown every 1/60 s. Empty where the method gave up.
using net_solver = std::vector<double> (*)(const hung_net& net, double to, double setting);

/// Baraff and Witkin's step, `setting` times a second: springs are kept as directions, conjugate gradients with block Jacobi to 1e-3.
std::vector<double> solve_net_by_hand(const hung_net& net, double to, double setting);
/// rtol = `setting`, atol = `setting`·spacing.
std::vector<double> solve_net_by_arkode(const hung_net& net, double to, double setting);  ///< explicit, Bogacki–Shampine 3(2)
std::vector<double> solve_net_by_cvode(const hung_net& net, double to, double setting);   ///< BDF, GMRES, block Jacobi

}  // namespace bench
