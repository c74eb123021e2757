// expect: ensue: this method is for second-order systems and needs a model with accelerations
// lines: 16
#include <ensue/ensue.hpp>

int main() {
  const auto decay = [](double, const auto& x, auto& dx) { dx[0] = -x[0], dx[1] = -x[1]; };
  ensue::solve(decay, ensue::vec{1., 0.}, {0, 1}, ensue::leapfrog{}, {.step = 0.1});
}
