// expect: lie-euler and rkmk4 take it
// lines: 24
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/solve.hpp>

int main() {
  const ensue::models::rigid_body<double> body{{1., 2., 3.}, {}};
  return ensue::solve(body, body.spinning({1., 0., 0.}), {0, 1}, ensue::dp54{}).finished();
}
