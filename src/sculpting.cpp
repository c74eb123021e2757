#include "sculpting.hpp"

#include "sculpting_gpu.hpp"
#include "sculpting_lanes.hpp"

#include <ensue/explicit/vern9.hpp>
#include <ensue/solve.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace ensue {
namespace {

using models::affine_falloff, models::affine_move, models::kelvinlet, models::kelvinlet_field, models::kelvinlet_settings,
    models::tool_motion;

/// A stretch of time in which every tool moves steadily; the tools' times count from its start.
struct frame {
  double duration = 0;
  std::vector<tool_motion<double>> tools;  ///< one a stroke
};

/// The motion of a stroke between two times that no pose lies between; at rest before the first pose and after the last.
tool_motion<double> motion_between(const stroke& of, double from, double to, bool every_frame) {
  const auto& poses = of.poses;
  tool_motion<double> still;
  still.duration = to - from;
  still.start = from < poses.back().time ? poses.front().position : poses.back().position;
  if (from < poses.front().time || from >= poses.back().time) return still;
  std::size_t first = 0, last = poses.size() - 1;
  if (every_frame) {
    while (poses[first + 1].time <= from) ++first;
    last = first + 1;
  }
  auto moving = tool_motion<double>::between(poses[first], poses[last]);
  for (std::size_t i = 0; i < 3; ++i) moving.start[i] += moving.velocity[i] * (from - poses[first].time);
  moving.duration = to - from;
  return moving;
}

std::vector<frame> frames_of(std::span<const stroke> strokes, bool every_frame) {
  if (strokes.empty() || strokes.size() > 2) throw std::invalid_argument("ensue: a mesh is moved by one stroke or two");
  std::vector<double> times;
  for (const stroke& each : strokes) {
    if (every_frame)
      for (const auto& pose : each.poses) times.push_back(pose.time);
    times.push_back(each.poses.front().time);
    times.push_back(each.poses.back().time);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<frame> frames;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    frame made{times[i + 1] - times[i], {}};
    for (const stroke& each : strokes) made.tools.push_back(motion_between(each, times[i], times[i + 1], every_frame));
    frames.push_back(std::move(made));
  }
  return frames;
}

template <class T> tool_motion<T> rounded(const tool_motion<double>& from) {
  tool_motion<T> to;
  for (std::size_t i = 0; i < 3; ++i) {
    to.start[i] = static_cast<T>(from.start[i]);
    to.velocity[i] = static_cast<T>(from.velocity[i]);
    to.spin[i] = static_cast<T>(from.spin[i]);
  }
  to.growth = static_cast<T>(from.growth);
  to.duration = static_cast<T>(from.duration);
  return to;
}

kelvinlet_settings body_of(const stroke& of, const sculpting_settings& settings) {
  return {.radius = of.outer_radius, .poisson_ratio = of.compressibility, .bi_scale = settings.bi_scale};
}
template <class T, std::size_t Tools>
kelvinlet_field<T, Tools> kelvinlets(const frame& during, std::span<const stroke> strokes, const sculpting_settings& settings) {
  kelvinlet_field<T, Tools> field;
  for (std::size_t k = 0; k < Tools; ++k) field.tools[k] = kelvinlet<T>(rounded<T>(during.tools[k]), body_of(strokes[k], settings));
  return field;
}

/// Some of the tools; the others stay at rest and add nothing.
template <class T> affine_move<T, 2> affine(const frame& during, bool first, bool second) {
  affine_move<T, 2> field;
  if (first) field.tools[0] = rounded<T>(during.tools[0]);
  if (second && during.tools.size() > 1) field.tools[1] = rounded<T>(during.tools[1]);
  return field;
}

double length(const vec<double, 3>& v) { return std::sqrt(dot(v, v)); }

/// The speed at the edge of a tool, in radii a second; of the fastest.
double speed_in_radii(const frame& during, std::span<const stroke> strokes) {
  double fastest = 0;
  for (std::size_t k = 0; k < strokes.size(); ++k) {
    const auto& tool = during.tools[k];
    fastest = std::max(fastest, length(tool.velocity) / strokes[k].outer_radius + length(tool.spin) + std::fabs(tool.growth));
  }
  return fastest;
}

/// The way of a tool in its own radii; of the longest.
double travel_in_radii(const frame& during, std::span<const stroke> strokes) {
  double longest = 0;
  for (std::size_t k = 0; k < strokes.size(); ++k) longest = std::max(longest, length(during.tools[k].velocity) * during.duration / strokes[k].outer_radius);
  return longest;
}

/// The largest coordinate that a vertex has, or that a tool may take it to.
double largest_coordinate(std::span<const vec<float, 3>> vertices, const frame& during, std::span<const stroke> strokes) {
  std::uint32_t most = 0;  // as bits, of which compilers compare several at once
  for (const vec<float, 3>& each : vertices)
    for (const float x : each) most = std::max(most, std::bit_cast<std::uint32_t>(x) & 0x7fffffffu);
  double largest = std::bit_cast<float>(most);
  for (std::size_t k = 0; k < strokes.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i)
      largest = std::max(largest, std::fabs(during.tools[k].start[i] + during.tools[k].velocity[i] * during.duration) + strokes[k].outer_radius);
  return largest;
}

/// How a method's steps are controlled: the share of the error asked for that one of them is allowed, the lengths of the first and the longest
/// in radii of the tool, the band in which steps stay as they are, and the law's safety. Measured: with these, worst errors of 20 000 vertices are 0.3 to
/// 0.95 of what is asked for. (In the usual band, pulled and pushed, dp54 takes 5 and 12 % more evaluations, bs32 with the usual safety 8 and 3 %.)
/// What a vertex before the tool has erred grows as long as it is pushed: the share is for ways up to five radii, and falls beyond them with their second power, of bs32 their
/// third. (Straight strokes of 6 to 30 radii, with and without a turn, worst errors of 3000 vertices: dp54 at most 0.98 of what is asked for, before up to 12; bs32 0.90 up to 15
/// radii, then up to 3, near the rounding of float; tsit5 0.70 up to 10, then up to 1.7, and 15 once.)
struct step_control {
  double allowance, first_step, longest_step, keep, safety;
};
step_control control_of(sculpting_method method, double travel) {
  const double longer = std::max(1., travel / 5);
  switch (method) {
    case sculpting_method::bs32: return {1 / (20 * longer * longer * longer), 0.3, 1.2, 1.2, 0.85};
    case sculpting_method::tsit5: return {1 / (20 * longer * longer), 1.2, longer > 1 ? 2. : 3., 1.7, 0.9};
    case sculpting_method::dp54: break;
  }
  return {1 / (25 * longer * longer), 1.2, 3, 1.2, 0.9};
}

options<std::span<double>> options_of(const frame& during, std::span<const stroke> strokes, const sculpting_settings& settings) {
  constexpr double smallest_step = 1e-4;
  const double travel = settings.field == sculpting_field::kelvinlet ? travel_in_radii(during, strokes) : 0;
  const auto [allowance, first_step, longest_step, keep, safety] = control_of(settings.method, travel);
  options<std::span<double>> made{.rtol = 0, .atol = settings.tolerance * allowance};
  made.control.keep = keep;
  made.control.safety = safety;
  const double speed = speed_in_radii(during, strokes);
  made.first_step = std::min(during.duration, speed > 0 ? first_step / speed : during.duration);
  made.max_step = speed > 0 ? longest_step / speed : during.duration;
  if (strokes.size() > 1) made.max_step *= 0.5;  // a longer one can pass by a second tool without having seen it
  made.min_step = std::min(smallest_step * during.duration, made.max_step);
  made.when_too_small = at_min_step::accept_and_mark;
  made.max_evaluations = 1'000'000;
  made.cancel = settings.cancel;
  return made;
}

/// The distance from the tools' paths beyond which a Kelvinlet moves nothing by as much as `negligible`. It falls off with distance, so the search
/// comes from far away.
double reach_of(const tool_motion<double>& tool, const kelvinlet_settings& body, double negligible) {
  const kelvinlet<double> brush(tool, body);
  const double pull = length(brush.pull), draw = length(brush.draw), turn = length(brush.spin) + std::fabs(brush.growth);
  double r = 1e4 * body.radius;
  for (; r > body.radius; r *= 0.95) {
    const auto at = brush.at_distance(r * r);
    if (tool.duration * (pull * std::fabs(at.alpha) + draw * std::fabs(at.beta) * r * r + turn * r * std::fabs(at.g)) > negligible) break;
  }
  return r / 0.95;
}

double distance_from_path(const tool_motion<double>& tool, const vec<float, 3>& x) {
  const vec<double, 3> r = {x[0] - tool.start[0], x[1] - tool.start[1], x[2] - tool.start[2]};
  const double squared = dot(tool.velocity, tool.velocity);
  const double at = squared > 0 ? std::clamp(dot(r, tool.velocity) / squared, 0., tool.duration) : 0;
  return length({r[0] - at * tool.velocity[0], r[1] - at * tool.velocity[1], r[2] - at * tool.velocity[2]});
}

using share_function = batch_report (*)(const sculpting_job&, shared_work&);

struct instruction_set {
  const char* name;
  share_function share;
};

instruction_set best_lanes() {
#if defined(ENSUE_LANES_OF_X86)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    return {"avx512", share_of_sculpting_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"avx2", share_of_sculpting_avx2};
#endif
  return {"baseline", share_of_sculpting_baseline};
}

/// One run over some of the vertices.
class sculptor {
 public:
  sculptor(std::span<vec<float, 3>> vertices, std::span<const stroke> strokes, const sculpting_settings& settings)
      : vertices_(vertices), strokes_(strokes), settings_(settings), touched_(vertices.size()) {}

  sculpting_result run() {
    const std::vector<frame> frames = frames_of(strokes_, settings_.every_frame);
    if (settings_.backend == sculpting_backend::cuda)  // which takes a while to start
      if (const std::string why = why_no_gpu(); !why.empty()) throw std::runtime_error("ensue: " + why);
    const auto began = std::chrono::steady_clock::now();
    for (const frame& each : frames) {
      if (settings_.cancel && *settings_.cancel) break;
      if (settings_.field == sculpting_field::kelvinlet) move_by_kelvinlets(each, static_cast<double>(frames.size()));
      else move_by_affine(each);
    }
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    result_.frames = frames.size();
    if (settings_.culling) result_.culled = static_cast<std::size_t>(std::count(touched_.begin(), touched_.end(), 0));
    return result_;
  }

 private:
  void move_by_kelvinlets(const frame& during, double frames) {
    const kelvinlet_field<float, 1> one = kelvinlets<float, 1>(during, strokes_, settings_);
    kelvinlet_field<float, 2> two;
    sculpting_job job = job_of(during);
    if (strokes_.size() == 1) {
      job.one_kelvinlet = &one;
    } else {
      two = kelvinlets<float, 2>(during, strokes_, settings_);
      job.two_kelvinlets = &two;
    }
    if (!settings_.culling) return advance(during, job, vertices_, {0.f, static_cast<float>(during.duration)});
    double reach[2] = {};
    for (std::size_t k = 0; k < strokes_.size(); ++k)
      reach[k] = reach_of(during.tools[k], body_of(strokes_[k], settings_),
                          0.1 * settings_.tolerance / frames / static_cast<double>(strokes_.size()));
    advance_some(during, job, {0.f, static_cast<float>(during.duration)}, [&](const vec<float, 3>& x) {
      bool reached = false;
      for (std::size_t k = 0; k < strokes_.size(); ++k) reached = reached || distance_from_path(during.tools[k], x) < reach[k];
      return reached;
    });
  }

  /// For how much of the frame a tool takes a vertex along.
  double share(const frame& during, std::size_t tool, const vec<float, 3>& x) const {
    if (tool >= strokes_.size()) return 0;
    const auto& start = during.tools[tool].start;
    return affine_falloff(length({x[0] - start[0], x[1] - start[1], x[2] - start[2]}), strokes_[tool].inner_radius,
                          strokes_[tool].outer_radius);
  }

  /// The sum of both fields up to the weaker falloff, then the stronger alone.
  void move_by_affine(const frame& during) {
    std::vector<double> weaker(vertices_.size()), stronger(vertices_.size());
    std::vector<bool> second_is_stronger(vertices_.size());
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const double first = share(during, 0, vertices_[i]), second = share(during, 1, vertices_[i]);
      weaker[i] = std::min(first, second), stronger[i] = std::max(first, second), second_is_stronger[i] = second > first;
      if (stronger[i] > 0) touched_[i] = 1;
    }
    const auto move = [&](const affine_move<float, 2>& field, const auto& from, const auto& to, const auto& concerned) {
      sculpting_job job = job_of(during);
      job.affine = &field;
      std::vector<std::size_t> which;
      std::vector<interval<float>> spans;
      for (std::size_t i = 0; i < vertices_.size(); ++i) {
        if (!concerned(i) || (settings_.culling && !(to(i) > from(i)))) continue;
        which.push_back(i);
        spans.push_back({static_cast<float>(from(i) * during.duration), static_cast<float>(to(i) * during.duration)});
      }
      advance_gathered(during, job, which, spans);
    };
    const auto zero = [](std::size_t) { return 0.; };
    const auto weak = [&](std::size_t i) { return weaker[i]; };
    const auto strong = [&](std::size_t i) { return stronger[i]; };
    if (strokes_.size() > 1) move(affine<float>(during, true, true), zero, weak, [](std::size_t) { return true; });
    move(affine<float>(during, true, false), weak, strong, [&](std::size_t i) { return !second_is_stronger[i]; });
    if (strokes_.size() > 1)
      move(affine<float>(during, false, true), weak, strong, [&](std::size_t i) { return bool(second_is_stronger[i]); });
  }

  sculpting_job job_of(const frame& during) const {
    sculpting_job job{{{}, {}, batch_spans<float>(0.f, 0.f), {}}, settings_.method};
    job.settings = options_of(during, strokes_, settings_);
    return job;
  }

  template <class Reached> void advance_some(const frame& during, sculpting_job& job, const batch_spans<float>& span, Reached reached) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < vertices_.size(); ++i)
      if (reached(vertices_[i])) {
        which.push_back(i);
        touched_[i] = 1;
      }
    if (which.size() == vertices_.size()) return advance(during, job, vertices_, span);
    advance_gathered(during, job, which, span);
  }

  void advance_gathered(const frame& during, sculpting_job& job, const std::vector<std::size_t>& which, const batch_spans<float>& spans) {
    std::vector<vec<float, 3>> some;
    some.reserve(which.size());
    for (const std::size_t i : which) some.push_back(vertices_[i]);
    advance(during, job, some, spans);
    for (std::size_t k = 0; k < which.size(); ++k) vertices_[which[k]] = some[k];
  }

  void advance(const frame& during, sculpting_job& job, std::span<vec<float, 3>> some, const batch_spans<float>& spans) {
    // A step's share of what is asked for may be finer than the digits of a vertex far out, where the whole of it is not.
    const double finest = 1.1 * epsilon<float> * largest_coordinate(some, during, strokes_);
    if (finest < settings_.tolerance) job.settings.atol = std::max(job.settings.atol[0], finest);
    job.task.states = rows_of(some);
    job.task.spans = spans;
    const char* const names[] = {bs32::name, dp54::name, tsit5::name};
    result_.report.method = names[static_cast<std::size_t>(job.method)];
    if (settings_.backend == sculpting_backend::cuda) return advance_on_gpu(job, some, spans);
    const share_function share = settings_.backend == sculpting_backend::scalar ? share_of_sculpting<float> : best_lanes().share;
    const unsigned threads = settings_.backend == sculpting_backend::threads ? 0 : 1;
    result_.report.add(share_batch(some.size(), threads, result_.report.method, [&](shared_work& work) { return share(job, work); }));
  }

  void advance_on_gpu([[maybe_unused]] const sculpting_job& job, [[maybe_unused]] std::span<vec<float, 3>> some,
                      [[maybe_unused]] const batch_spans<float>& spans) {
#if defined(ENSUE_CUDA_BACKEND)
    if (some.empty()) return;
    result_.report.add(sculpt_on_gpu({some, spans, job.method, detail::spread_options<vec<float, 3>>(job.settings, 3), job.one_kelvinlet,
                                      job.two_kelvinlets, job.affine}));
#endif
  }

  std::span<vec<float, 3>> vertices_;
  std::span<const stroke> strokes_;
  const sculpting_settings& settings_;
  std::vector<char> touched_;  ///< one a vertex: whether any frame has moved it
  sculpting_result result_;
};

template <class Field> void follow(const Field& field, vec<double, 3>& x, double from, double to) {
  if (to > from) x = solve(field, x, {from, to}, vern9{}, {.rtol = 1e-12, .atol = 1e-11}).state;
}

}  // namespace

sculpting_result sculpt(std::span<vec<float, 3>> vertices, std::span<const stroke> strokes, const sculpting_settings& settings) {
  return sculptor(vertices, strokes, settings).run();
}

vec<double, 3> sculpted_exactly(const vec<double, 3>& vertex, std::span<const stroke> strokes, const sculpting_settings& settings) {
  vec<double, 3> x = vertex;
  for (const frame& each : frames_of(strokes, settings.every_frame)) {
    if (settings.field == sculpting_field::kelvinlet) {
      if (strokes.size() == 1) follow(kelvinlets<double, 1>(each, strokes, settings), x, 0, each.duration);
      else follow(kelvinlets<double, 2>(each, strokes, settings), x, 0, each.duration);
      continue;
    }
    double share[2] = {};
    for (std::size_t k = 0; k < strokes.size(); ++k) {
      const auto& start = each.tools[k].start;
      share[k] =
          affine_falloff(length({x[0] - start[0], x[1] - start[1], x[2] - start[2]}), strokes[k].inner_radius, strokes[k].outer_radius);
    }
    const double weaker = std::min(share[0], share[1]) * each.duration, stronger = std::max(share[0], share[1]) * each.duration;
    follow(affine<double>(each, true, true), x, 0, weaker);
    follow(affine<double>(each, share[0] >= share[1], share[1] > share[0]), x, weaker, stronger);
  }
  return x;
}

std::string why_no_gpu() {
#if defined(ENSUE_CUDA_BACKEND)
  return why_no_cuda_device();
#else
  return "this command is built without CUDA (cmake -DENSUE_CUDA_BACKEND=ON, with nvcc, builds it in)";
#endif
}

const char* lanes_in_use() { return best_lanes().name; }

}  // namespace ensue
