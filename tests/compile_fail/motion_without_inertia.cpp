// expect: is for rigid bodies and needs a model with a member inertia()
// lines: 24
#include <ensue/methods/rotation/moser_veselov.hpp>
#include <ensue/solve.hpp>

struct gyroscope {
  void tangent(double, const ensue::quaternion<double>&, ensue::vec<double, 3>& w) const { w = {1., 0., 0.}; }
};

int main() {
  return ensue::solve(gyroscope{}, ensue::quaternion<double>::identity(), {0, 1}, ensue::moser_veselov{}, {.step = 0.1}).finished();
}
