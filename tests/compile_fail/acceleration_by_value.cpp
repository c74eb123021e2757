// expect: ensue: this system takes its last argument, dx or a, by value
// lines: 20
#include <ensue/integrator.hpp>
#include <ensue/methods/second_order/verlet.hpp>

struct spring {
  void acceleration(double, const auto& q, auto a) const { a[0] = -q[0]; }
};

int main() { return ensue::integrator(spring{}, ensue::vec{1., 0.}, ensue::verlet{}).time() > 0; }
