#include "sculpting/sculpting.hpp"

#include "sculpting/sculpting_control.hpp"
#include "sculpting/sculpting_frames.hpp"
#include "sculpting/sculpting_gpu.hpp"
#include "sculpting/sculpting_lanes.hpp"

#include <ensue/registry.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <stdexcept>

namespace ensue {
namespace {

using models::affine_move, models::kelvinlet, models::kelvinlet_field, models::kelvinlet_settings,
    models::tool_motion;

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
kelvinlet_field<T, Tools> kelvinlets(const sculpting_frame& during, std::span<const stroke> strokes, const sculpting_settings& settings) {
  kelvinlet_field<T, Tools> field;
  for (std::size_t k = 0; k < Tools; ++k) field.tools[k] = kelvinlet<T>(rounded<T>(during.tools[k]), body_of(strokes[k], settings));
  return field;
}

/// Some of the tools; the others stay at rest and add nothing.
template <class T> affine_move<T, 2> affine(const sculpting_frame& during, bool first, bool second) {
  affine_move<T, 2> field;
  if (first) field.tools[0] = rounded<T>(during.tools[0]);
  if (second && during.tools.size() > 1) field.tools[1] = rounded<T>(during.tools[1]);
  return field;
}

double length(const vec<double, 3>& v) { return std::sqrt(dot(v, v)); }

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

template <class T> vec<double, 3> in_doubles(const vec<T, 3>& x) { return {x[0], x[1], x[2]}; }

double distance_from_path(const tool_motion<double>& tool, const vec<double, 3>& x) {
  const vec<double, 3> r = tool.from_centre(0., x);
  const double squared = dot(tool.velocity, tool.velocity);
  const double at = squared > 0 ? std::clamp(dot(r, tool.velocity) / squared, 0., tool.duration) : 0;
  return length({r[0] - at * tool.velocity[0], r[1] - at * tool.velocity[1], r[2] - at * tool.velocity[2]});
}

template <class T> using share_function = batch_report (*)(const sculpting_job<T>&, shared_work&);

template <class T> struct instruction_set {
  const char* name;
  share_function<T> share;
};

/// The best that is compiled in and that this machine has. Without any (the command was built on another machine), one vertex after the other.
template <class T> instruction_set<T> best_lanes() {
#if defined(ENSUE_LANES_AVX512)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    return {"avx512", share_of_sculpting_avx512};
#endif
#if defined(ENSUE_LANES_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"avx2", share_of_sculpting_avx2};
#endif
#if defined(ENSUE_LANES_BASELINE)
  return {"baseline", share_of_sculpting_baseline};
#else
  return {"scalar", share_of_sculpting_scalar};
#endif
}

/// The places of vertices on the axis. Whether any is ahead.
template <class T> bool find_care(const sculpting_line<T>& line, std::span<const vec<T, 3>> vertices, std::vector<std::size_t>& on_axis) {
  constexpr std::size_t at_once = 64;
  int care[at_once], of_any = 0;
  for (std::size_t from = 0; from < vertices.size(); from += at_once) {
    const std::size_t count = std::min(at_once, vertices.size() - from);
    const vec<T, 3>* const block = vertices.data() + from;
    int of_block = 0;
    for (std::size_t i = 0; i < count; ++i) of_block |= care[i] = line.care_of(block[i]);
    of_any |= of_block;
    if ((of_block & static_cast<int>(sculpting_care::on_axis)) == 0) continue;
    for (std::size_t i = 0; i < count; ++i)
      if (care[i] & static_cast<int>(sculpting_care::on_axis)) on_axis.push_back(from + i);
  }
  return of_any & static_cast<int>(sculpting_care::ahead);
}

/// Some of the vertices, by their ascending places, stand at the end for as long as this lives.
template <class T> class moved_to_end {
 public:
  moved_to_end(std::span<vec<T, 3>> all, std::span<const std::size_t> which) : all_(all), which_(which) {
    for (std::size_t k = 1; k <= which.size(); ++k) exchange_back(k);
  }
  ~moved_to_end() {
    for (std::size_t k = which_.size(); k > 0; --k) exchange_back(k);
  }
  moved_to_end(const moved_to_end&) = delete;

 private:
  /// The k-th from the back with its place.
  void exchange_back(std::size_t k) { std::swap(all_[which_[which_.size() - k]], all_[all_.size() - k]); }

  std::span<vec<T, 3>> all_;
  std::span<const std::size_t> which_;
};

/// One run in numbers of one kind.
template <class T> class sculptor {
 public:
  sculptor(std::span<vec<T, 3>> vertices, std::span<const stroke> strokes, const sculpting_settings& settings, const sculpting_control& control)
      : vertices_(vertices), strokes_(strokes), settings_(settings), control_(control), touched_(vertices.size()) {}

  sculpting_result run(std::span<const sculpting_frame> frames) {
    for (const sculpting_frame& each : frames) {
      if (settings_.cancel && *settings_.cancel) break;
      if (settings_.field == sculpting_field::kelvinlet) move_by_kelvinlets(each, static_cast<double>(frames.size()));
      else move_by_affine(each);
    }
    result_.frames = frames.size();
    if (settings_.culling) result_.culled = static_cast<std::size_t>(std::count(touched_.begin(), touched_.end(), 0));
    return result_;
  }

 private:
  void move_by_kelvinlets(const sculpting_frame& during, double frames) {
    const kelvinlet_field<T, 1> one = kelvinlets<T, 1>(during, strokes_, settings_);
    kelvinlet_field<T, 2> two;
    sculpting_job<T> job = job_of(during);
    if (strokes_.size() == 1) {
      job.one_kelvinlet = &one;
    } else {
      two = kelvinlets<T, 2>(during, strokes_, settings_);
      job.two_kelvinlets = &two;
    }
    const batch_spans<T> span(T(0), static_cast<T>(during.duration));
    if (!settings_.culling) return advance_with_care(job, during, vertices_, span);
    double reach[2] = {};
    for (std::size_t k = 0; k < strokes_.size(); ++k)
      reach[k] = reach_of(during.tools[k], body_of(strokes_[k], settings_),
                          0.1 * settings_.tolerance / frames / static_cast<double>(strokes_.size()));
    advance_reached(job, during, span, [&](const vec<T, 3>& x) {
      bool reached = false;
      for (std::size_t k = 0; k < strokes_.size(); ++k) reached = reached || distance_from_path(during.tools[k], in_doubles(x)) < reach[k];
      return reached;
    });
  }

  /// The sum of both fields up to the weaker falloff, then the stronger alone.
  void move_by_affine(const sculpting_frame& during) {
    taken_.resize(vertices_.size());
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      taken_[i].begin(during, strokes_, in_doubles(vertices_[i]));
      if (taken_[i].by_one(during) > 0) touched_[i] = 1;
    }
    const auto nothing = [](const taken_along&) { return 0.; };
    const auto by_both = [&](const taken_along& each) { return each.by_both(during); };
    const auto by_one = [&](const taken_along& each) { return each.by_one(during); };
    if (strokes_.size() > 1) advance_taken(during, affine<T>(during, true, true), nothing, by_both, [](const taken_along&) { return true; });
    advance_taken(during, affine<T>(during, true, false), by_both, by_one, [](const taken_along& each) { return !each.second_is_stronger(); });
    if (strokes_.size() > 1)
      advance_taken(during, affine<T>(during, false, true), by_both, by_one, [](const taken_along& each) { return each.second_is_stronger(); });
    for (taken_along& each : taken_) each.end(during);
  }

  template <class From, class To, class Concerned>
  void advance_taken(const sculpting_frame& during, const affine_move<T, 2>& field, From from, To to, Concerned concerned) {
    sculpting_job<T> job = job_of(during);
    job.affine = &field;
    std::vector<std::size_t> which;
    std::vector<interval<T>> spans;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (!concerned(taken_[i]) || (settings_.culling && !(to(taken_[i]) > from(taken_[i])))) continue;
      which.push_back(i);
      spans.push_back({static_cast<T>(from(taken_[i])), static_cast<T>(to(taken_[i]))});
    }
    gathered(which, [&](std::span<vec<T, 3>> some) { advance(job, some, spans); });
  }

  sculpting_job<T> job_of(const sculpting_frame& during) const {
    sculpting_job<T> job{{{}, {}, batch_spans<T>(T(0), T(0)), {}}, settings_.method};
    job.settings = control_.options_of(during, epsilon<T>);
    return job;
  }

  template <class Reached> void advance_reached(sculpting_job<T>& job, const sculpting_frame& during, const batch_spans<T>& span, Reached reached) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < vertices_.size(); ++i)
      if (reached(vertices_[i])) {
        which.push_back(i);
        touched_[i] = 1;
      }
    if (which.size() == vertices_.size()) return advance_with_care(job, during, vertices_, span);
    gathered(which, [&](std::span<vec<T, 3>> some) { advance_with_care(job, during, some, span); });
  }

  /// Those that need the most care by themselves, after the others. What becomes of a vertex does not depend on the order.
  void advance_with_care(sculpting_job<T>& job, const sculpting_frame& during, std::span<vec<T, 3>> some, const batch_spans<T>& span) {
    if (!control_.differs_by_vertex()) return advance(job, some, span);
    std::vector<std::size_t> on_axis;
    const bool any_ahead = find_care<T>(control_.template line_of<T>(during), some, on_axis);
    job.settings = control_.options_of(during, epsilon<T>, any_ahead ? sculpting_care::ahead : sculpting_care::usual);
    const moved_to_end<T> ordered(some, on_axis);
    advance(job, some.first(some.size() - on_axis.size()), span);
    job.settings = control_.options_of(during, epsilon<T>, sculpting_care::on_axis);
    advance(job, some.last(on_axis.size()), span);
  }

  template <class Advance> void gathered(const std::vector<std::size_t>& which, Advance advance) {
    std::vector<vec<T, 3>> some;
    some.reserve(which.size());
    for (const std::size_t i : which) some.push_back(vertices_[i]);
    advance(std::span(some));
    for (std::size_t k = 0; k < which.size(); ++k) vertices_[which[k]] = some[k];
  }

  void advance(sculpting_job<T>& job, std::span<vec<T, 3>> some, const batch_spans<T>& spans) {
    job.task.states = rows_of(some);
    job.task.spans = spans;
    const char* const names[] = {bs32::name, dp54::name, tsit5::name};
    result_.report.method = names[static_cast<std::size_t>(job.method)];
    if (settings_.backend == sculpting_backend::cuda) return advance_on_gpu(job, some, spans);
    share_function<T> share = share_of_sculpting_scalar;
    if (settings_.backend != sculpting_backend::scalar) share = best_lanes<T>().share;
    const unsigned threads = settings_.backend == sculpting_backend::threads ? 0 : 1;
    result_.report.add(share_batch(some.size(), threads, result_.report.method, [&](shared_work& work) { return share(job, work); }));
  }

  void advance_on_gpu([[maybe_unused]] const sculpting_job<T>& job, [[maybe_unused]] std::span<vec<T, 3>> some,
                      [[maybe_unused]] const batch_spans<T>& spans) {
#if defined(ENSUE_CUDA_BACKEND)
    if (some.empty()) return;
    result_.report.add(sculpt_on_gpu(gpu_sculpting_job<T>{some, spans, job.method, detail::spread_options<vec<T, 3>>(job.settings, 3), job.one_kelvinlet,
                                      job.two_kelvinlets, job.affine}));
#endif
  }

  std::span<vec<T, 3>> vertices_;
  std::span<const stroke> strokes_;
  const sculpting_settings& settings_;
  const sculpting_control& control_;
  std::vector<taken_along> taken_;
  std::vector<char> touched_;  ///< one a vertex: whether any frame has moved it
  sculpting_result result_;
};

sculpting_result sculpt_in_doubles(std::span<vec<float, 3>> vertices, std::span<const stroke> strokes, const sculpting_settings& settings,
                                   const sculpting_control& control, std::span<const sculpting_frame> frames) {
  std::vector<vec<double, 3>> fine;
  fine.reserve(vertices.size());
  for (const vec<float, 3>& each : vertices) fine.push_back(in_doubles(each));
  const sculpting_result done = sculptor<double>(fine, strokes, settings, control).run(frames);
  for (std::size_t i = 0; i < fine.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) vertices[i][c] = static_cast<float>(fine[i][c]);
  return done;
}

/// By a method chosen by name: it is compiled already.
template <class Field> void follow(const Field& field, vec<double, 3>& x, double from, double to) {
  if (!(to > from)) return;
  const auto system = [field](double t, std::span<const double> at, std::span<double> velocity) mutable {
    const vec<double, 3> place{at[0], at[1], at[2]};
    vec<double, 3> change;
    field(t, place, change);
    std::copy_n(change.data(), 3, velocity.data());
  };
  const auto run = find_method("vern9")->make(system, std::span<const double>(x.data(), 3), from, {.rtol = 1e-12, .atol = 1e-11});
  run->advance_to(to);
  std::copy_n(run->state().data(), 3, x.data());
}

}  // namespace

sculpting_result sculpt(std::span<vec<float, 3>> vertices, std::span<const stroke> strokes, const sculpting_settings& settings) {
  const std::vector<sculpting_frame> frames = frames_of(strokes, settings.every_frame);
  if (settings.backend == sculpting_backend::cuda)  // which takes a while to start
    if (const std::string why = why_no_gpu(); !why.empty()) throw std::runtime_error("ensue: " + why);
  const auto began = std::chrono::steady_clock::now();
  const sculpting_control control(vertices, frames, strokes, settings);
  sculpting_result done = control.floats_suffice() ? sculptor<float>(vertices, strokes, settings, control).run(frames)
                                                   : sculpt_in_doubles(vertices, strokes, settings, control, frames);
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return done;
}

vec<double, 3> sculpted_exactly(const vec<double, 3>& vertex, std::span<const stroke> strokes, const sculpting_settings& settings) {
  vec<double, 3> x = vertex;
  taken_along taken;
  for (const sculpting_frame& each : frames_of(strokes, settings.every_frame)) {
    if (settings.field == sculpting_field::kelvinlet) {
      if (strokes.size() == 1) follow(kelvinlets<double, 1>(each, strokes, settings), x, 0, each.duration);
      else follow(kelvinlets<double, 2>(each, strokes, settings), x, 0, each.duration);
      continue;
    }
    taken.begin(each, strokes, x);
    follow(affine<double>(each, true, true), x, 0, taken.by_both(each));
    follow(affine<double>(each, !taken.second_is_stronger(), taken.second_is_stronger()), x, taken.by_both(each), taken.by_one(each));
    taken.end(each);
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

const char* lanes_in_use() { return best_lanes<float>().name; }

}  // namespace ensue
