/// The textbook's first picture, drawn: a point that should go round a circle, followed by three methods with the same step.
/// Euler spirals outward whatever the step; the midpoint method drifts a little; RK4 closes the circle to the eye.
///
///     build/release/examples/spiral > spiral.svg
#include <ensue/ensue.hpp>

#include <cstdio>

namespace {

struct circle {
  void operator()(double, const ensue::vec<double, 2>& x, ensue::vec<double, 2>& dx) const {
    dx[0] = -x[1];
    dx[1] = x[0];
  }
};

template <class Method> void draw(const char* colour, double step, double until) {
  ensue::integrator sim{circle{}, ensue::vec{1., 0.}, Method{}, {.step = step}};
  std::printf("<polyline fill='none' stroke='%s' stroke-width='2' points='", colour);
  while (sim.time() < until) {
    std::printf("%.2f,%.2f ", 320 + 130 * sim.state()[0], 240 - 130 * sim.state()[1]);
    sim.step();
  }
  std::printf("'/>\n");
}

void label(int line, const char* colour, const char* text) {
  std::printf("<text x='20' y='%d' fill='%s'>%s</text>\n", 30 + 22 * line, colour, text);
}

}  // namespace

int main() {
  std::printf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 480' font-family='sans-serif' font-size='15'>\n"
              "<rect width='640' height='480' fill='#ffffff'/>\n"
              "<circle cx='320' cy='240' r='130' fill='none' stroke='#bbbbbb' stroke-width='6'/>\n");
  draw<ensue::euler>("#d1495b", 0.2, 7.2);
  draw<ensue::midpoint>("#edae49", 0.6, 12.8);
  draw<ensue::rk4>("#00798c", 0.6, 12.8);
  label(0, "#888888", "x' = -y, y' = x: a circle");
  label(1, "#d1495b", "euler, h = 0.2: one turn");
  label(2, "#b07d1e", "midpoint, h = 0.6: two turns");
  label(3, "#00798c", "rk4, h = 0.6: two turns");
  std::printf("</svg>\n");
}
