// expect: f(t, x, dx)
// lines: 24
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/solve.hpp>

struct decay {
  void operator()(const ensue::vec<double, 1>& x, double, ensue::vec<double, 1>& dx) const { dx[0] = -x[0]; }
};

int main() { return ensue::solve(decay{}, ensue::vec{1.}, {0, 1}, ensue::dp54{}).finished(); }
