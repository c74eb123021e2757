// expect: ensue: this model's jacobian(t, x, J) takes J by value
// lines: 40
#include <ensue/methods/implicit/rodas5p.hpp>
#include <ensue/solve.hpp>

struct decay {
  void operator()(double, const auto& x, auto& dx) const { dx[0] = -x[0]; }
  void jacobian(double, const auto&, auto j) const { j(0, 0) = -1; }
};

int main() { return ensue::solve(decay{}, ensue::vec{1.}, {0, 1}, ensue::rodas5p{}).finished(); }
