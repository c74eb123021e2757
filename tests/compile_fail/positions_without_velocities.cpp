// expect: ensue: the state of a model with accelerations is its positions, then as many velocities: its length has to be even
// lines: 20
#include <ensue/ensue.hpp>

struct spring {
  void acceleration(double, const auto& q, auto& a) const { a[0] = -q[0]; }
};

int main() { ensue::solve(spring{}, ensue::vec{1., 0., 0.}, {0, 1}, ensue::dp54{}); }
