#include "sculpting/sculpting_control.hpp"

#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ensue {
namespace {

double length(const vec<double, 3>& v) { return std::sqrt(dot(v, v)); }

/// The speed at the edge of a tool, in radii a second; of the fastest. Steps are measured by it. A tool that pulls a Kelvinlet without a turn counts as one that turns by 0.375 a radius, as the
/// recorded ones do: otherwise its steps would be that much longer, and miss more.
double speed_in_radii(const sculpting_frame& during, std::span<const stroke> strokes, sculpting_field field) {
  const double least_turn = field == sculpting_field::kelvinlet ? 0.375 : 0;
  double fastest = 0;
  for (std::size_t k = 0; k < strokes.size(); ++k) {
    const auto& tool = during.tools[k];
    const double straight = length(tool.velocity) / strokes[k].outer_radius;
    fastest = std::max(fastest, straight + std::max(least_turn * straight, length(tool.spin) + std::fabs(tool.growth)));
  }
  return fastest;
}

/// How far a tool goes over all frames, in what an error comes from and grows with: for Kelvinlets the way of its centre in its own radii, for an affine move, in which a straight way is exact,
/// how much it turns and grows. Of the tool that goes furthest.
double way_of(std::span<const sculpting_frame> frames, std::span<const stroke> strokes, sculpting_field field) {
  double longest = 0;
  for (std::size_t k = 0; k < strokes.size(); ++k) {
    double way = 0;
    for (const sculpting_frame& each : frames) {
      const auto& tool = each.tools[k];
      way += each.duration * (field == sculpting_field::kelvinlet ? length(tool.velocity) / strokes[k].outer_radius : length(tool.spin) + std::fabs(tool.growth));
    }
    longest = std::max(longest, way);
  }
  return longest;
}

/// The largest coordinate that a vertex has, or that a tool may take it to.
double largest_coordinate(std::span<const vec<float, 3>> vertices, std::span<const sculpting_frame> frames, std::span<const stroke> strokes) {
  std::uint32_t most = 0;  // as bits, of which compilers compare several at once
  for (const vec<float, 3>& each : vertices)
    for (const float x : each) most = std::max(most, std::bit_cast<std::uint32_t>(x) & 0x7fffffffu);
  double largest = std::bit_cast<float>(most);
  for (const sculpting_frame& during : frames)
    for (std::size_t k = 0; k < strokes.size(); ++k)
      for (std::size_t i = 0; i < 3; ++i)
        largest = std::max(largest, std::fabs(during.tools[k].start[i] + during.tools[k].velocity[i] * during.duration) + strokes[k].outer_radius);
  return largest;
}

double largest_radius(std::span<const stroke> strokes) {
  double largest = 0;
  for (const stroke& each : strokes) largest = std::max(largest, each.outer_radius);
  return largest;
}

/// Σ|b|: 1 of bs32, 1.5 of dp54, 7.6 of tsit5.
double sizes_of_weights(sculpting_method method) {
  const auto sum = [](const auto& table) {
    double sizes = 0;
    for (const long double weight : table.b) sizes += std::fabs(static_cast<double>(weight));
    return sizes;
  };
  switch (method) {
    case sculpting_method::bs32: return sum(bs32::table);
    case sculpting_method::tsit5: return sum(tsit5::table);
    case sculpting_method::dp54: break;
  }
  return sum(dp54::table);
}

/// Measured: with these, worst errors of 20 000 vertices are 0.3 to 0.95 of what is asked for. (In the usual band, pulled and pushed, dp54 takes 5 and 12 % more evaluations, bs32 with
/// the usual safety 8 and 3 %, tsit5 with a share of 1/20 2 and 0 %.) What a vertex has erred grows as long as the tool has it: before a Kelvinlet as long as it is pushed, in an affine move with every falloff. So the share is for ways up to
/// 4.5, and falls beyond them with their second power, of bs32, whose steps become more sooner, with their third up to three times as far.
step_control control_of(sculpting_method method, double way) {
  const double longer = std::max(1., way / 4.5), share = 1 / (longer * longer);
  switch (method) {
    case sculpting_method::bs32: return {share / (20 * std::min(longer, 3.)), 0.3, 1.1, 1.2, 0.85, share / (20 * std::min(longer, 3.))};
    case sculpting_method::tsit5: return {share / 25, 1.2, longer > 1 ? 2. : 3., 1.3, 0.9, share / 20};
    case sculpting_method::dp54: break;
  }
  return {share / 25, 1.2, 3, 1.2, 0.9, share / 25};
}

// Care (measured by bench/sculpting_scan.cpp: without it 1 to 12 % of random strokes miss what is asked for).

/// Where the tool comes towards a vertex, the estimate of a step of three radii can be small by chance while the step passes the vertex by. Shorter steps cost nothing there, because the error keeps
/// most of them shorter anyway.
step_control with_short_steps(step_control usual, sculpting_method method) {
  usual.longest_step *= method == sculpting_method::tsit5 ? 0.42 : method == sculpting_method::bs32 ? 0.5 : 0.65;
  usual.first_step = std::min(usual.first_step, usual.longest_step);
  return usual;
}

/// Errors grow most of vertices that are pushed along the tool's line, of those that it passes again and again, and between two tools.
step_control with_share(step_control usual, sculpting_method method, double of_bs32, double of_others) {
  usual.allowance *= method == sculpting_method::bs32 ? of_bs32 : of_others;
  usual.of_floats *= 0.5;
  return with_short_steps(usual, method);
}

step_control with_care(const step_control& usual, sculpting_method method, sculpting_care care) {
  switch (care) {
    case sculpting_care::ahead: return with_short_steps(usual, method);
    case sculpting_care::on_axis: return with_share(usual, method, 1. / 5, 1. / 8);
    case sculpting_care::usual: break;
  }
  return usual;
}

}  // namespace

sculpting_control::sculpting_control(std::span<const vec<float, 3>> vertices, std::span<const sculpting_frame> frames, std::span<const stroke> strokes,
                                     const sculpting_settings& settings)
    : strokes_(strokes), settings_(settings), control_(control_of(settings.method, way_of(frames, strokes, settings.field))),
      largest_coordinate_(largest_coordinate(vertices, frames, strokes)) {
  if (settings.field == sculpting_field::kelvinlet)
    care_ = strokes.size() > 1 ? care_by::two_tools : frames.size() > 1 ? care_by::path : care_by::vertex;
  if (care_ == care_by::path) control_ = with_share(control_, settings.method, 1. / 12, 1. / 10);
  if (care_ == care_by::two_tools) control_ = with_share(control_, settings.method, 1. / 7, 1. / 12);
  double way = 0;
  for (const sculpting_frame& each : frames) way += speed_in_radii(each, strokes, settings.field) * each.duration;
  if (way > 0) frames_of_step_ = std::max(1., static_cast<double>(frames.size()) * std::min(1., control_.longest_step / way));
}

/// Two things that floats err by, and that grow with the way as everything does. A vertex is rounded at every step and frame, to the same side where it hardly moves, by a quarter of a digit on average. A
/// Kelvinlet is the difference of two nearly equal numbers: from a float's reciprocal roots it is wrong by up to 5e-6 of the tool's velocity, the same as long as a vertex is carried along, and a
/// step multiplies that by the sizes of its weights.
bool sculpting_control::floats_suffice() const {
  constexpr double error_of_kelvinlet = 5e-6;
  const double rounding = digits(epsilon<float>);
  if (settings_.tolerance <= rounding) return true;  // no more would do: the result is in floats
  double wrong = rounding * std::max(2., frames_of_step_ / 4);
  if (settings_.field == sculpting_field::kelvinlet) wrong += error_of_kelvinlet * sizes_of_weights(settings_.method) * largest_radius(strokes_);
  return settings_.tolerance * control_.of_floats >= wrong;
}

/// Wider for bodies that can be compressed, which are pushed together before the tool.
template <class T> sculpting_line<T> sculpting_control::line_of(const sculpting_frame& during) const {
  const auto& tool = during.tools[0];
  const double radius = strokes_[0].outer_radius, speed = length(tool.velocity);
  const double incompressible = settings_.method == sculpting_method::bs32 ? 0.38 : 0.3;
  const double beside_axis = radius * std::min(0.55, incompressible + 1.2 * (0.5 - strokes_[0].compressibility));
  sculpting_line<T> line;
  for (std::size_t i = 0; i < 3; ++i) {
    line.start[i] = static_cast<T>(tool.start[i]);
    line.direction[i] = static_cast<T>(speed > 0 ? tool.velocity[i] / speed : 0);
  }
  line.on_axis_from = static_cast<T>(-0.5 * radius);
  line.ahead_from = static_cast<T>(0.3 * radius);
  line.beside_axis = static_cast<T>(beside_axis * beside_axis);
  return line;
}
template sculpting_line<float> sculpting_control::line_of(const sculpting_frame&) const;
template sculpting_line<double> sculpting_control::line_of(const sculpting_frame&) const;

options<std::span<double>> sculpting_control::options_of(const sculpting_frame& during, double epsilon, sculpting_care care) const {
  const step_control control = with_care(control_, settings_.method, care);
  constexpr double smallest_step = 1e-4;
  const double speed = speed_in_radii(during, strokes_, settings_.field);
  options<std::span<double>> made{.rtol = 0, .atol = settings_.tolerance * control.allowance};
  if (digits(epsilon) < settings_.tolerance) made.atol = std::max(made.atol[0], digits(epsilon));
  made.control.keep = control.keep;
  made.control.safety = control.safety;
  made.first_step = std::min(during.duration, speed > 0 ? control.first_step / speed : during.duration);
  made.max_step = speed > 0 ? control.longest_step / speed : during.duration;
  if (strokes_.size() > 1) made.max_step *= 0.5;  // a longer one can pass by a second tool without having seen it
  made.min_step = std::min(smallest_step * during.duration, made.max_step);
  made.when_too_small = at_min_step::accept_and_mark;
  made.max_evaluations = 1'000'000;
  made.cancel = settings_.cancel;
  return made;
}

}  // namespace ensue
