// expect: f_of_t_x_dx
// lines: 40
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/solve.hpp>

int main() {
  const auto decay = [](const auto& x, auto, auto& dx) { dx[0] = -x[0]; };
  return ensue::solve(decay, ensue::vec{1.}, {0, 1}, ensue::dp54{}).finished();
}
