// expect: ensue: this system takes its last argument, dx or a, by value, so that what the model writes is lost with the copy: take it by reference
// lines: 20
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/solve.hpp>

int main() {
  const auto decay = [](double, auto x, auto dx) { dx[0] = -x[0]; };
  return ensue::solve(decay, ensue::vec{1.}, {0, 1}, ensue::dp54{}).finished();
}
