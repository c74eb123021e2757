// expect: ensue: this method needs a force that depends on positions alone, and this one depends on velocity: semi-implicit-euler takes it
// lines: 16
#include <ensue/ensue.hpp>

struct damped {
  void acceleration(double, const auto& q, const auto& v, auto& a) const { a[0] = -q[0] - 0.1 * v[0]; }
};

int main() { ensue::solve(damped{}, ensue::vec{1., 0.}, {0, 1}, ensue::verlet{}, {.step = 0.1}); }
