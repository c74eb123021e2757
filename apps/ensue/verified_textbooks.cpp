// Of `ensue verify`: what textbooks say of chains, strings and bars.
#include "published/textbook.hpp"
#include "verified.hpp"

#include <fmt/format.h>

namespace ensue::command {

void add_textbooks(std::vector<verified_row>& rows) {
  using namespace textbook;
  /// What was measured, as a part of what the textbook says.
  const auto add = [&](std::string what, double measured, double within, const char* formula) {
    rows.push_back(compared(std::move(what) + "/textbook", 1, measured, within, formula, 0));
  };
  for (const int mode : {1, 10, 35})
    add(fmt::format("chain of 40 masses, mode {}: frequency", mode), chain_frequency(mode), 1e-5,
        "2 sqrt(k/m) sin(kappa a/2)");
  add("chain of 100 masses: longest stable step of verlet", chain_stable_step(), 0.01, "sqrt(m/k)");
  const hanging_shape hanging = catenary();
  add("hanging chain of 61 masses: sag", hanging.sag, 3e-3, "y = a cosh(x/a)");
  rows.push_back(compared("hanging chain of 61 masses: off the catenary, in spans", 0, hanging.off_the_curve, 2e-3,
                          "y = a cosh(x/a)"));
  add("stretched string of 101 masses: speed of a wave", string_wave_speed(101), 1e-5, "sqrt(tension/mass a length)");
  // A bar that is not thin shears, too: it is 0.6 % softer than Euler and Bernoulli's beam.
  add("cantilever, meshes of 2 and 4 cells across extrapolated: deflection",
      1 / without_mesh(1 / cantilever_deflection(2), 1 / cantilever_deflection(4)), 0.01, "P L^3/(3 E I)");
  const auto stiffness = [](double frequency) { return frequency * frequency; };
  add("cantilever, meshes of 2 and 4 cells across extrapolated: first frequency",
      std::sqrt(without_mesh(stiffness(cantilever_frequency(2)), stiffness(cantilever_frequency(4)))), 0.01,
      "1.8751^2 sqrt(E I/(rho A))/L^2");
}

}  // namespace ensue::command
