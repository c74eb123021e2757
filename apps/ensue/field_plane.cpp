#include "field_plane.hpp"

#include "problems/problem_model.hpp"
#include "observed_run.hpp"

#include <ensue/output/observe.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ensue::command {
namespace {

constexpr double pixels_an_arrow = 26;
constexpr int seeds_across = 40;
constexpr double stride = 0.004;     // of a curve, in the drawn box's units: about two pixels
constexpr double longest_curve = 4;  // to each side
constexpr double rest = 1e-3;        // a speed, as part of the field's, at which a curve slows down
constexpr double outside = 0.01;     // so far curves go on behind the frame

/// Every step of a run and points inside of it.
class path_recorder {
 public:
  path_recorder(plane_path& out, bool over_time, int between) : out_(out), over_time_(over_time), between_(between) {}

  auto watch(any_integrator& sim) {
    struct watcher {
      path_recorder& into;
      std::vector<double> state;
      bool looks_between_steps() const { return into.between_ > 1; }
      void see(const observed_step<any_integrator>& step) {
        for (int i = 1; i < into.between_; ++i) {
          const double t = step.from + (step.to - step.from) * i / into.between_;
          step.integrator().interpolate(t, state);
          into.add(t, state);
        }
        into.add(step.to, step.integrator().state());
      }
    };
    add(sim.time(), sim.state());
    return watcher{*this, std::vector<double>(sim.state().size())};
  }

 private:
  void add(double t, std::span<const double> x) {
    out_.t.push_back(t);
    out_.x.push_back(over_time_ ? t : x[0]);
    out_.y.push_back(over_time_ ? x[0] : x[1]);
  }

  plane_path& out_;
  bool over_time_;
  int between_;
};

double length(plane_point v) { return std::hypot(v.x, v.y); }

plane_point middle_of_cell(int i, int j, int across) { return {(i + 0.5) / across, (j + 0.5) / across}; }

int rows_of(const drawn_box& drawn, int across) {
  return std::max(1, static_cast<int>(std::lround(drawn.shape() * across)));
}

int arrows_across(const drawn_box& drawn) { return static_cast<int>(drawn.pixels() / pixels_an_arrow); }

// A speed that few places exceed: a pole does not make all other arrows vanish.
double usual_top_speed(field_plane& plane, const drawn_box& drawn) {
  const int across = arrows_across(drawn);
  std::vector<double> speeds;
  for (int j = 0; j < rows_of(drawn, across); ++j)
    for (int i = 0; i < across; ++i) {
      const plane_point at = drawn.from_drawn(middle_of_cell(i, j, across));
      const double speed = length(drawn.velocity_to_drawn(plane.velocity(at)));
      if (std::isfinite(speed) && speed > 0) speeds.push_back(speed);
    }
  if (speeds.empty()) return 1;
  const auto nth = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() * 95 / 100);
  std::nth_element(speeds.begin(), nth, speeds.end());
  return *nth;
}

/// Follows the field with unit speed on the paper.
class follower {
 public:
  follower(field_plane& plane, const drawn_box& drawn)
      : plane_(plane), drawn_(drawn), slow_(rest * usual_top_speed(plane, drawn)) {}

  /// Drawn points through a seed; fewer than two if the field is nothing there.
  std::vector<plane_point> through(plane_point seed) {
    std::vector<plane_point> forwards, backwards;
    const bool closed = follow(seed, false, forwards);
    if (!closed) follow(seed, true, backwards);
    std::reverse(backwards.begin(), backwards.end());
    backwards.push_back(seed);
    backwards.insert(backwards.end(), forwards.begin(), forwards.end());
    return backwards;
  }

 private:
  bool follow(plane_point seed, bool backwards, std::vector<plane_point>& line) {
    const std::array<double, 2> from{seed.x, seed.y};
    const auto direction = [this](double, std::span<const double> q, std::span<double> dq) {
      const plane_point v = drawn_.velocity_to_drawn(plane_.velocity(drawn_.from_drawn({q[0], q[1]})));
      const double speed = length(v);
      if (!std::isfinite(speed)) return false;
      dq[0] = v.x / (speed + slow_);
      dq[1] = v.y / (speed + slow_);
      return true;
    };
    options<std::span<double>> settings;
    settings.step = stride;
    const auto sim = find_method("rk4")->make(direction, from, 0, settings);
    for (int n = 0; n < longest_curve / stride; ++n) {
      const plane_point before{sim->state()[0], sim->state()[1]};
      if (sim->step(backwards) != outcome::finished) return false;
      const plane_point q{sim->state()[0], sim->state()[1]};
      const double gone = length({q.x - before.x, q.y - before.y});
      if (!(gone > 0.02 * stride)) return false;  // at rest
      line.push_back(q);
      if (q.x < -outside || q.x > 1 + outside || q.y < -outside || q.y > drawn_.shape() + outside) return false;
      if (n > 10 && length({q.x - seed.x, q.y - seed.y}) < 0.7 * stride) {
        line.push_back(seed);
        return true;
      }
    }
    return false;
  }

  field_plane& plane_;
  const drawn_box& drawn_;
  double slow_;
};

/// Points of a grid, each with its distance from all that is drawn.
class free_places {
 public:
  explicit free_places(const drawn_box& drawn) {
    const int across = seeds_across, rows = rows_of(drawn, across);
    for (int j = 1; j + 1 < rows; ++j)
      for (int i = 1; i + 1 < across; ++i) {
        const plane_point q = middle_of_cell(i, j, across);
        // Corners are far from everything, but few curves show much of themselves there.
        const double to_border = std::min({q.x, 1 - q.x, q.y, drawn.shape() - q.y});
        places_.push_back({q, 2.25 * to_border * to_border});
      }
  }

  void take(plane_point q) {
    if (length({q.x - last_.x, q.y - last_.y}) < 0.5 * stride) return;  // paths stand closer than this has use for
    last_ = q;
    for (place& each : places_) {
      const double dx = each.at.x - q.x, dy = each.at.y - q.y;
      each.distance = std::min(each.distance, dx * dx + dy * dy);
    }
  }

  /// The one farthest from everything. It counts as taken.
  plane_point farthest() {
    const auto found = std::max_element(places_.begin(), places_.end(),
                                        [](const place& a, const place& b) { return a.distance < b.distance; });
    found->distance = 0;
    return found->at;
  }

 private:
  struct place {
    plane_point at;
    double distance;  // squared
  };
  std::vector<place> places_;
  plane_point last_{-1e9, -1e9};
};

}  // namespace

field_plane::field_plane(const file_problem& problem, double at) : problem_(problem), system_(problem.system), at_(at) {
  horizontal_ = over_time() ? "t" : problem.names[0];
  vertical_ = problem.names.back();
}

bool field_plane::moves() const {
  return !over_time() && expression::uses(problem_.uses, expression::dependence::time);
}

plane_point field_plane::start() const {
  if (over_time()) return {problem_.from, problem_.start[0]};
  return {problem_.start[0], problem_.start[1]};
}

plane_point field_plane::velocity(double t, plane_point p) {
  const std::array<double, 2> x{over_time() ? p.y : p.x, p.y};
  std::array<double, 2> dx{};
  const std::size_t size = problem_.names.size();
  system_(over_time() ? p.x : t, std::span(x).first(size), std::span(dx).first(size));
  return over_time() ? plane_point{1, dx[0]} : plane_point{dx[0], dx[1]};
}

plane_path field_plane::run(const method_info& method, const options<std::span<double>>& settings, int between) const {
  plane_path path;
  const auto sim = method.make(model_of(problem_, method), problem_.start, problem_.from, settings);
  observe(*sim, *problem_.to, path_recorder(path, over_time(), between));
  path.ending = sim->ending();
  path.message = ending_in_words(problem_, path.ending, method);
  return path;
}

std::vector<plot::arrow> field_arrows(field_plane& plane, const drawn_box& drawn) {
  const int across = arrows_across(drawn);
  const double top = usual_top_speed(plane, drawn), cell = 1. / across;
  std::vector<plot::arrow> arrows;
  for (int j = 0; j < rows_of(drawn, across); ++j)
    for (int i = 0; i < across; ++i) {
      const plane_point middle = middle_of_cell(i, j, across);
      const plane_point v = drawn.velocity_to_drawn(plane.velocity(drawn.from_drawn(middle)));
      const double speed = length(v);
      if (!std::isfinite(speed)) continue;
      const double part = plane.over_time() ? 0.7 : 0.9 * std::clamp(std::sqrt(speed / top), 0.15, 1.);
      const double half = speed > 0 ? 0.5 * part * cell / speed : 0;
      const plane_point from = drawn.from_drawn({middle.x - half * v.x, middle.y - half * v.y});
      const plane_point to = drawn.from_drawn({middle.x + half * v.x, middle.y + half * v.y});
      arrows.push_back({from.x, from.y, to.x - from.x, to.y - from.y});
    }
  return arrows;
}

std::vector<plot::curve> integral_curves(field_plane& plane, const drawn_box& drawn, const plane_path& first,
                                         int count) {
  free_places places(drawn);
  for (std::size_t i = 0; i < first.x.size(); ++i)
    if (const plane_point q = drawn.to_drawn({first.x[i], first.y[i]}); std::isfinite(q.x) && std::isfinite(q.y))
      places.take(q);
  follower along(plane, drawn);
  std::vector<plot::curve> curves;
  for (int tried = 0; static_cast<int>(curves.size()) < count && tried < 2 * count + 10; ++tried) {
    const std::vector<plane_point> line = along.through(places.farthest());
    if (line.size() < 5) continue;
    plot::curve curve;
    curve.faint = true;
    for (const plane_point& q : line) {
      places.take(q);
      const plane_point p = drawn.from_drawn(q);
      curve.x.push_back(p.x);
      curve.y.push_back(p.y);
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace ensue::command
