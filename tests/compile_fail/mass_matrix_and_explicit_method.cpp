// expect: ensue: this method solves x' = f(t, x), and this model has a mass matrix or equations without a derivative: auto, rodas5p, radau and bdf take it
// lines: 16
#include <ensue/ensue.hpp>

struct model {
  void operator()(double, const auto& x, auto& f) const { f[0] = -x[1], f[1] = x[1] - x[0]; }
  void mass_matrix(auto& m) const { m(0, 0) = 1; }
};

int main() { ensue::solve(model{}, ensue::vec{1., 1.}, {0, 1}, ensue::dp54{}); }
