// expect: ensue: this system takes its last argument, dx or a, by value
// lines: 30
#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/dp54.hpp>

#include <vector>

int main() {
  std::vector<ensue::vec<double, 1>> states(8);
  ensue::batch all{[](auto, const auto& x, auto dx) { dx[0] = -x[0]; }, ensue::dp54{}};
  return all.advance(states, {0, 1}).finished == 8;
}
