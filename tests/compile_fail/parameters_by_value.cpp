// expect: ensue: this system takes dx by value, so that what the model writes is lost with the copy
// lines: 60
#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/dp54.hpp>

#include <vector>

int main() {
  std::vector<ensue::vec<double, 1>> states(8), parameters(8);
  ensue::batch all{[](auto, const auto& x, auto dx, const auto& p) { dx[0] = -p[0] * x[0]; }, ensue::dp54{}};
  return all.advance_with(parameters, states, {0, 1}).finished == 8;
}
