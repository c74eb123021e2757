// ensue verify: our numbers beside published ones, row by row.
#include "../../src/end_states.hpp"
#include "commands.hpp"

#include <ensue/models/detest.hpp>
#include <ensue/models/pleiades.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/output/events.hpp>
#include <ensue/output/save.hpp>
#include <ensue/registry.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace ensue::command {
namespace {

struct row {
  std::string what;
  double theirs, ours;
  double difference;  ///< of all that was compared, relative to 1 + |theirs|
  double within;      ///< what it may be
  std::string source;

  bool holds() const { return difference <= within; }
};

double relative(double ours, double theirs) { return std::abs(ours - theirs) / (1 + std::abs(theirs)); }

std::unique_ptr<any_integrator> tight(system_function f, std::span<const double> start) {
  return find_method("vern9")->make(std::move(f), start, 0, {.rtol = 1e-13, .atol = 1e-13});
}

// ---- end states of initial value problems ----

template <template <class> class... Model> void add_end_states(std::vector<row>& rows) {
  const auto add = [&]<class M>(const M& model) {
    const auto start = model.start();
    const auto run = tight(model, std::span(start.begin(), start.end()));
    run->advance_to(model.span().to);
    const std::vector<long double> published = end_state_of(model.name);
    row r{fmt::format("{}: state at t = {}", model.name, model.span().to),
          static_cast<double>(published[0]),
          run->state()[0],
          0,
          1e-10,
          model.citation};
    for (std::size_t i = 0; i < published.size(); ++i)
      r.difference = std::max(r.difference, relative(run->state()[i], static_cast<double>(published[i])));
    rows.push_back(r);
  };
  (add(Model<double>{}), ...);
}

// ---- numbers of mechanics ----

void add_pendulum(std::vector<row>& rows) {
  const std::vector<double> start{std::acos(0.), 0.};
  const auto f = [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[1];
    dx[1] = -9.81 * std::sin(x[0]);
  };
  double quarter = 0;
  event_list down({any_event{[](double, std::span<const double> x) { return x[0]; },
                             [&](double t, std::span<double>) { return quarter = t, reaction::stop; }}});
  const auto run = tight(f, start);
  observe(*run, 10., down);
  rows.push_back({"pendulum of 1 m let go at 90 degrees: period", 2.3678419475762, 4 * quarter,
                  relative(4 * quarter, 2.3678419475762), 1e-11, "2 pi sqrt(L/g)/agm(1, cos(45 degrees))"});
}

void add_kepler(std::vector<row>& rows) {
  const std::vector<double> start{0.4, 0., 0., 2.};
  const auto f = [](double, std::span<const double> x, std::span<double> dx) {
    const double r = std::hypot(x[0], x[1]), pull = -1 / (r * r * r);
    dx[0] = x[2], dx[1] = x[3], dx[2] = pull * x[0], dx[3] = pull * x[1];
  };
  const auto run = tight(f, start);
  run->advance_to(4 * std::acos(0.));  // 2π
  const auto x = run->state();
  const double energy = (x[2] * x[2] + x[3] * x[3]) / 2 - 1 / std::hypot(x[0], x[1]),
               moment = x[0] * x[3] - x[1] * x[2];
  const char* const source = "Kepler's laws; e = 0.6, a = 1";
  rows.push_back({"Kepler, e = 0.6: energy after a period", -0.5, energy, relative(energy, -0.5), 1e-11, source});
  rows.push_back(
      {"Kepler, e = 0.6: angular momentum after a period", 0.8, moment, relative(moment, 0.8), 1e-11, source});
  row back{"Kepler, e = 0.6: position after a period", start[0], x[0], 0, 1e-10, source};
  for (std::size_t i = 0; i < 4; ++i) back.difference = std::max(back.difference, relative(x[i], start[i]));
  rows.push_back(back);
}

/// A box thrown with a spin about its middle axis, dt = 1e-3, 10 s, and what engines make of it.
void add_thrown_box(std::vector<row>& rows) {
  using thrown = models::thrown_box;
  constexpr double dt = 1e-3;
  const char* const source = "scpeters/benchmark, free rigid box; engines at dt = 1e-3";
  const auto box = thrown::body();
  const auto start = box.spinning(thrown::spin());
  const double energy = thrown::mass / 2 * dot(thrown::speed(), thrown::speed()) + box.energy(start);
  rows.push_back({"thrown box: energy", 368.546417, energy, relative(energy, 368.546417), 2e-9, source});

  for (const char* name : {"free-rotation", "moser-veselov"}) {
    const auto run = find_method(name)->make(box, std::span(start.data(), start.size()), 0, {.step = dt});
    double period = 0, energy_error = 0, momentum_error = 0;
    event_list again({any_event{
        [&](double, std::span<const double> x) { return box.angular_velocity(body_function::from(x))[2] - thrown::spin()[2]; },
        [&](double t, std::span<double>) { return period = t > 1 && period == 0 ? t : period, reaction::go_on; }, crossing::rising}});
    const auto watch = [&](double, std::span<const double> x) {
      const auto now = body_function::from(x);
      energy_error = std::max(energy_error, std::abs(box.energy(now) / box.energy(start) - 1));
      for (std::size_t i = 4; i < 7; ++i) momentum_error = std::max(momentum_error, std::abs(now[i] - start[i]));
    };
    observe(*run, thrown::span, again, save_steps(watch));
    const std::string what = fmt::format("thrown box, {}: ", name);
    if (find_method(name)->name == "free-rotation")
      rows.push_back({what + "period of its spin in the body", 6.056844158007826, period, relative(period, 6.056844158007826), 1e-9,
                      "4 K(k)/lambda"});
    rows.push_back({what + "energy error (Simbody 0.0062, ODE 0.0125)", 0, energy_error, energy_error, 1e-10, source});
    rows.push_back({what + "momentum error (Simbody 0.0064, ODE 0.0131, DART 2.19)", 0, momentum_error, momentum_error, 1e-10, source});
  }

  struct fall {
    void acceleration(double, std::span<const double>, std::span<double> a) const { a[0] = thrown::gravity; }
  };
  const std::vector<double> thrown_up{0, thrown::speed()[2]};
  const auto run = find_method("semi-implicit-euler")->make(fall{}, thrown_up, 0, {.step = dt});
  run->advance_to(thrown::span);
  const double height = thrown::speed()[2] * thrown::span + thrown::gravity / 2 * thrown::span * thrown::span;
  const double error = std::abs(run->state()[0] - height);
  rows.push_back({"thrown box, semi-implicit-euler: position error", 0.049, error, relative(error, 0.049), 1e-9, "g dt T/2"});
}

std::vector<row> all_rows() {
  using namespace models;
  std::vector<row> rows;
  add_end_states<detest_a1, detest_a2, detest_a3, detest_a4, detest_a5, detest_b1, detest_b2, detest_b3, detest_b4,
                 detest_b5, detest_d1, detest_d2, detest_d3, detest_d4, detest_d5, pleiades>(rows);
  add_kepler(rows);
  add_pendulum(rows);
  add_thrown_box(rows);
  return rows;
}

void print(const std::vector<row>& rows) {
  std::size_t width = 0;
  for (const row& r : rows) width = std::max(width, r.what.size());
  fmt::print("{:<{}}  {:>22}  {:>22}  {:>10}  {:>6}\n", "", width, "theirs", "ours", "difference", "within");
  for (const row& r : rows)
    fmt::print("{:<{}}  {:>22.15g}  {:>22.15g}  {:>10.1e}  {:>6.0e}{}\n", r.what, width, r.theirs, r.ours, r.difference,
               r.within, r.holds() ? "" : "  off");
  const auto off = std::count_if(rows.begin(), rows.end(), [](const row& r) { return !r.holds(); });
  fmt::print(
      "\n{} of {} hold. Numbers shown are of the first component; the difference is the largest of all, relative to 1 "
      "+ |theirs|.\n",
      rows.size() - static_cast<std::size_t>(off), rows.size());
}

void print_as_json(const std::vector<row>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const row& r : rows)
    list.push_back({{"what", r.what},
                    {"theirs", r.theirs},
                    {"ours", r.ours},
                    {"difference", r.difference},
                    {"within", r.within},
                    {"holds", r.holds()},
                    {"source", r.source}});
  fmt::print("{}\n", list.dump());
}

}  // namespace

void add_verify_command(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand("verify", "Puts our numbers beside published ones, row by row");
  command->footer(
      "For example, it needs no file:\n"
      "  ensue verify --json\n"
      "Exit status: 0 all hold, 1 one does not.");
  command->add_flag("--json", *json, "Prints JSON, for programs");
  command->callback([json] {
    const std::vector<row> rows = all_rows();
    *json ? print_as_json(rows) : print(rows);
    if (!std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.holds(); })) throw ended_early{};
  });
}

}  // namespace ensue::command
