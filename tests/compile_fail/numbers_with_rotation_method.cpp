// expect: is for rotations and needs a state on a group
// lines: 24
#include <ensue/methods/rotation/rkmk4.hpp>
#include <ensue/solve.hpp>

struct decay {
  void operator()(double, const ensue::vec<double, 1>& x, ensue::vec<double, 1>& dx) const { dx[0] = -x[0]; }
};

int main() { return ensue::solve(decay{}, ensue::vec{1.}, {0, 1}, ensue::rkmk4{}, {.step = 0.1}).finished(); }
