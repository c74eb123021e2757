// expect: ensue: this system takes its last argument, dx or a, by value
// lines: 20
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/solve.hpp>

#include <vector>

void decay(double, const std::vector<double>& x, std::vector<double> dx) { dx[0] = -x[0]; }

int main() { return ensue::solve(decay, std::vector<double>{1.}, {0, 1}, ensue::dp54{}).finished(); }
