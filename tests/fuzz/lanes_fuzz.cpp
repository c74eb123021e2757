/// Any bytes as an equation, starts, spans and tolerances: a pack's run is that of each of its lanes alone, bit for bit, whatever happens
/// in its neighbours.
#include <ensue/ensue.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace ensue;

namespace {

constexpr int width = 4;
using real4 = pack<double, width>;

class numbers {
 public:
  numbers(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() { return size_ > 0 ? --size_, *data_++ : 0; }
  /// From -limit to limit, now and then something worse.
  double number(double limit) {
    const int high = byte(), low = byte();
    if (high == 255) {
      constexpr double rare[] = {0, 1e-300, 1e300, 1e9, -1e9, 1e-9, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
      return rare[low % 8];
    }
    return limit * ((high * 256 + low) / 32640. - 1);
  }
  bool is_empty() const { return size_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

/// Quadratic in x, with a wave; each lane its own parameters.
template <class T> struct equation {
  T c[8];
  double wall;  ///< beyond it f is not defined
  template <class Time, class X, class DX> mask_of<T> operator()(const Time& t, const X& x, DX& dx) const {
    dx[0] = c[0] + c[1] * x[0] + c[2] * x[1] + c[3] * x[0] * x[1];
    dx[1] = c[4] + c[5] * x[0] + c[6] * x[1] + c[7] * x[0] * x[0] + t;
    return x[0] < T(wall);
  }
};

template <class A> bool same(const A& a, const A& b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }
void expect(bool holds, const char* what, int lane) {
  if (holds) return;
  std::fprintf(stderr, "lane %d is not as alone: %s\n", lane, what);
  std::abort();
}

template <class Method> void compare(numbers from) {
  equation<real4> many{};
  vec<real4, 2> start;
  real4 ends;
  options<vec<real4, 2>> settings;
  for (int l = 0; l < width; ++l) {
    for (auto& c : many.c) set_lane(c, l, from.number(5));
    for (auto& x : start) set_lane(x, l, from.number(3));
    const double end = from.number(2);
    set_lane(ends, l, std::isfinite(end) ? end : 1);  // another end refuses the whole pack
  }
  many.wall = from.byte() < 64 ? from.number(4) : 1e300;
  const double rtol = std::pow(10., -2 - from.byte() % 8), atol = std::pow(10., -3 - from.byte() % 10);
  settings.rtol = rtol, settings.atol = atol;
  settings.max_evaluations = 3000;
  const auto together = solve(many, start, {real4(0), ends}, Method{}, settings);
  for (int l = 0; l < width; ++l) {
    equation<double> one{};
    for (int k = 0; k < 8; ++k) one.c[k] = lane(many.c[k], l);
    one.wall = many.wall;
    options<vec<double, 2>> alone_settings;
    alone_settings.rtol = rtol, alone_settings.atol = atol, alone_settings.max_evaluations = 3000;
    const auto alone = solve(one, vec<double, 2>{lane(start[0], l), lane(start[1], l)}, {0., lane(ends, l)}, Method{}, alone_settings);
    expect(same(lane(together.t, l), alone.t), "time", l);
    for (int i = 0; i < 2; ++i) expect(same(lane(together.state[i], l), alone.state[i]), "state", l);
    expect(together.ending[l].how == alone.ending[0].how, "outcome", l);
    expect(lane(together.statistics.evaluations, l) == alone.statistics.evaluations, "evaluations", l);
    expect(lane(together.statistics.steps, l) == alone.statistics.steps, "steps", l);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  numbers from(data, size);
  switch (from.byte() % 3) {
    case 0: compare<bs32>(from); break;
    case 1: compare<dp54>(from); break;
    default: compare<tsit5>(from);
  }
  return 0;
}
