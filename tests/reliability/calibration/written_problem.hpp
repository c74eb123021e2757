/// Random problem files whose solution is known, with a random way to solve them: what `ensue solve --check` is judged by.
///
///     const written_problem one(17);        // the seed is the problem
///     one.text, one.exact(t), one.method    // TOML, the solution, and how it is solved
///
/// y' = A (y − g(τ)) + g'(τ) + V p(τ) with A = V D V⁻¹, so that y = g + V m, where each mode m' = λ m + p is solved by a formula; p are pulses,
/// spikes and doses. The components are y itself, or bent: x₂ = y₂ + b sin y₁. τ is t, or −t of a run that goes backwards. Of second order, the
/// modes are springs: m'' = −ω² m.
#pragma once

#include "reliability/calibration/core.hpp"

#include <ensue/registry.hpp>

#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

namespace ensue::calibration {

inline constexpr std::string_view written_kinds[] = {"nonstiff", "oscillating", "stiff", "corners", "stiff corners", "dae",
                                                     "pulse",    "spike",       "doses", "stop",    "fixed steps",   "reset", "motion"};

/// What drives one mode.
struct drive {
  enum class form { none, pulses, hump, bell } is = form::none;
  double height = 0, at = 0, width = 0;
  double period = std::numeric_limits<double>::infinity();  ///< of pulses

  /// m(τ) where m' = λ m + p and m(0) = 0; spikes have λ = 0.
  double response(double lambda, double tau) const {
    double sum = 0;
    switch (is) {
      case form::none: return 0;
      case form::hump: return height * width * (std::tanh((tau - at) / width) + std::tanh(at / width));
      case form::bell: return height * width * 0.886226925452758014 * (std::erf((tau - at) / width) + std::erf(at / width));
      case form::pulses:
        for (double begin = at; begin < tau; begin += period) {
          const double inside = std::min(tau - begin, width);
          sum += height * (lambda == 0 ? inside : std::expm1(lambda * inside) / lambda * std::exp(lambda * (tau - begin - inside)));
        }
    }
    return sum;
  }
};

class written_problem {
 public:
  static constexpr std::size_t n = 2;

  // Sequences of neighbouring seeds are one sequence, shifted: their first numbers are seeds that are far apart.
  explicit written_problem(std::uint64_t seed) : seed(seed), random_(random_numbers(seed).bits()) {
    kind = written_kinds[random_.below(std::size(written_kinds))];
    span = random_.logarithmic(3, 100);
    backwards = random_.chance(0.15);
    is_dae_ = kind == "dae";
    choose_modes();
    choose_drive();
    if (random_.chance(0.5) && kind != "reset" && kind != "motion") bend_ = random_.uniform(-0.8, 0.8);
    if (is_dae_) choose_algebraic();
    if (kind == "motion") write_motion();
    else write();
    choose_solver();
    if (kind == "stop" || kind == "reset") choose_event();
  }

  /// The solution at time t; an algebraic variable is the last component.
  std::vector<double> exact(double t) const {
    const double tau = backwards ? -t : t;
    if (kind == "motion") return exact_motion(tau);
    const std::array<double, n> y = plain(tau);
    std::vector<double> x{y[0], y[1] + bend_ * std::sin(y[0])};
    if (is_dae_) x.push_back(scale_ * (weight_[0] * y[0] + weight_[1] * y[1] + std::sin(y[0])));
    return x;
  }
  bool may_be_stepped_over() const { return drive_.is != drive::form::none; }
  /// The solution where the run ends: at the end of the span, or where an event stops it.
  std::vector<double> exact_at_end() const { return exact(backwards ? -ends : ends); }

  std::uint64_t seed;
  std::string_view kind;
  std::string text;
  const method_info* method = nullptr;
  double rtol = 0, atol = 0, step = 0;  ///< a fixed step, or tolerances
  double between_points = 0;            ///< 0: every step
  double span = 0, ends = 0;            ///< in τ; `ends` before `span` where an event stops the run
  bool backwards = false;
  double jumps_at = std::numeric_limits<double>::quiet_NaN();  ///< in τ: where an event changes the state

 private:
  bool is(std::string_view part) const { return kind.find(part) != std::string_view::npos; }

  void choose_modes() {
    for (std::size_t i = 0; i < n; ++i) {
      g_[i] = is("osc") ? wave::make(random_, 0.5, 4) : wave::make(random_, 0.2, 2);
      for (double& frequency : g_[i].frequency) frequency *= std::min(1., 30 / span);
      if (is("corners")) g_[i].corners.emplace_back(random_.uniform(0.1, 0.9) * span, random_.uniform(-1, 1));
      lambda_[i] = random_.uniform(-3, 0.1) * std::min(1., 10 / span);
      start_[i] = random_.uniform(-1, 1);
    }
    if (is("osc")) turn_ = random_.uniform(1, 8) * std::min(1., 20 / span), lambda_[0] = lambda_[1] = -random_.uniform(0, 0.02);
    if (is("stiff") && kind != "nonstiff") lambda_[1] = -random_.logarithmic(1e2, 1e8);
    if (is_dae_ && random_.chance(0.4)) lambda_[1] = -random_.logarithmic(1e2, 1e8);
    if (lambda_[1] < -50 && random_.chance(0.5)) start_[1] = 0;
    const double c = random_.uniform(-0.6, 0.6), d = random_.uniform(-0.6, 0.6);
    v_ = {{{1, c}, {d, 1}}};
    const double determinant = 1 - c * d;
    inverse_ = {{{1 / determinant, -c / determinant}, {-d / determinant, 1 / determinant}}};
  }

  void choose_drive() {
    constexpr std::string_view forms[] = {"pulse", "spike", "doses"};
    std::string_view form = kind;
    if ((kind == "stiff" || is_dae_) && random_.chance(0.3)) form = forms[random_.below(std::size(forms))];
    if (std::ranges::count(forms, form) == 0) return;
    // What moves fast by itself is looked at often enough by any method.
    if (random_.chance(0.7)) {
      for (wave& each : g_) each.amplitude[0] = each.amplitude[1] = 0;
      lambda_[0] = -random_.uniform(0, 3) / span;
      if (form == kind) lambda_[1] = -random_.uniform(0, 10) / span;
    }
    drive& one = drive_;
    one.height = random_.sign() * random_.logarithmic(0.1, 100);
    one.at = random_.uniform(0.05, 0.95) * span;
    one.width = random_.logarithmic(1. / 300, 1. / 20) * span;
    if (form == "pulse") one.is = drive::form::pulses;
    if (form == "spike") {
      lambda_[0] = 0;
      one.is = random_.chance(0.5) ? drive::form::hump : drive::form::bell;
      one.width = random_.logarithmic(1. / 1000, 1. / 50) * span;  // half of it passes within about this
    }
    if (form == "doses") {
      one.is = drive::form::pulses;
      one.period = random_.chance(0.5) ? span / std::floor(random_.uniform(5, 100)) : random_.uniform(1. / 60, 1. / 3) * span;
      one.width = std::min(random_.logarithmic(1. / 300, 1. / 20) * span, one.period / 2);
      one.at = random_.chance(0.5) ? 0 : random_.uniform(0, 1) * one.period;
    }
  }

  void choose_algebraic() {
    scale_ = random_.logarithmic(1e-3, 1e3), gain_ = random_.sign() * random_.logarithmic(1e-2, 1e2);
    for (std::size_t i = 0; i < n; ++i) weight_[i] = random_.uniform(-1, 1), coupling_[i] = random_.uniform(-1, 1);
  }

  void choose_solver() {
    const bool stiff = -lambda_[1] * span > 1000;
    const bool fixed = kind == "fixed steps" || (kind == "motion" && random_.chance(0.4)) || (drive_.is != drive::form::none && random_.chance(0.15));
    const force_of force = kind == "motion" ? force_of::position : force_of::none;
    std::vector<const method_info*> fitting;
    for (const method_info* each : all_methods()) {
      if (!refusal(*each, force, is_dae_).empty() || is_for_groups(each->needs) || (stiff && !each->evaluations.differentiates)) continue;
      if (fixed ? each->order >= 2 || each->adaptive : each->adaptive) fitting.push_back(each);
    }
    method = fitting[random_.below(fitting.size())];
    if (fixed) step = span / std::floor(random_.logarithmic(60, 2000));
    rtol = std::pow(10., -random_.uniform(3, 9)), atol = rtol * std::pow(10., -random_.uniform(0, 3));
    if (random_.chance(0.5)) between_points = span / std::floor(random_.logarithmic(1, 300));
    ends = span;
  }

  /// An event where x₁ first passes a level, fast enough that its time is known: it stops the run, or moves x₁ far away, where it stays.
  void choose_event() {
    const double aimed = random_.uniform(0.2, 0.9) * span, level = x1(aimed), time = first_passage(level);
    if (!(time > 0)) return;
    const std::string event = "[[event]]\nname = \"level\"\nwhen = \"x1 - (" + number(level) + ")\"\n";
    if (kind == "stop") {
      ends = time;
      text += event + "stop = true\n";
      return;
    }
    jumps_at = time, jump_ = random_.sign() * random_.uniform(3, 6);
    for (int k = 1; k <= samples; ++k)
      if (const double tau = time + (span - time) * k / samples; (x1(tau) - level) * jump_ < 0.1) return void(jumps_at = NAN);
    text += event + "set = { x1 = \"x1 + (" + number(jump_) + ")\" }\n";
  }

  double x1(double tau) const { return exact(backwards ? -tau : tau)[0]; }

  /// NaN where it is nearly a touch, which rounding decides.
  double first_passage(double level) const {
    for (int k = 1; k <= samples; ++k) {
      double a = span * (k - 1) / samples, b = span * k / samples;
      const double below = x1(a) - level;
      if (k > 1 && (x1(a) - x1(a - span / samples)) * (x1(b) - x1(a)) <= 0 && std::abs(below) < 0.02) return NAN;
      if (!(below * (x1(b) - level) <= 0) || (k == 1 && below == 0)) continue;
      if (std::abs(x1(b) - x1(a)) < 0.05 * (b - a)) return NAN;
      for (double middle = (a + b) / 2; middle != a && middle != b; middle = (a + b) / 2) ((x1(middle) - level) * below > 0 ? a : b) = middle;
      return b;
    }
    return NAN;
  }

  std::vector<double> exact_motion(double tau) const {
    std::vector<double> x(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = g_[i].value(tau), x[n + i] = g_[i].slope(tau);
      for (std::size_t k = 0; k < n; ++k) {
        const double phase = omega_[k] * tau;
        x[i] += v_[i][k] * start_[k] * std::cos(phase), x[n + i] -= v_[i][k] * start_[k] * omega_[k] * std::sin(phase);
      }
      if (backwards) x[n + i] = -x[n + i];
    }
    return x;
  }

  std::array<double, n> plain(double tau) const {
    std::array<double, n> m{};
    if (turn_ == 0) {
      for (std::size_t k = 0; k < n; ++k) m[k] = start_[k] * std::exp(lambda_[k] * tau);
    } else {
      const double cosine = std::cos(turn_ * tau), sine = std::sin(turn_ * tau), shrunk = std::exp(lambda_[0] * tau);
      m = {shrunk * (cosine * start_[0] + sine * start_[1]), shrunk * (cosine * start_[1] - sine * start_[0])};
    }
    m[0] += drive_.response(lambda_[0], tau);
    if (tau > jumps_at)
      for (std::size_t k = 0; k < n; ++k) m[k] += jump_ * inverse_[k][0] * std::exp(lambda_[k] * (tau - jumps_at));
    std::array<double, n> y{};
    for (std::size_t i = 0; i < n; ++i) y[i] = g_[i].value(tau) + v_[i][0] * m[0] + v_[i][1] * m[1];
    return y;
  }

  static std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }
  static std::string times(double factor, const std::string& what) { return "(" + number(factor) + ")*" + what; }

  std::string value_of(const wave& g) const {
    std::string sum = number(g.offset);
    for (int k = 0; k < 2; ++k) sum += " + " + times(g.amplitude[k], "sin(" + number(g.frequency[k]) + "*tau + " + number(g.phase[k]) + ")");
    for (const auto& [time, slope] : g.corners) sum += " + " + times(slope, "max(tau - " + number(time) + ", 0)");
    return sum;
  }
  std::string slope_of(const wave& g) const {
    std::string sum = "0";
    for (int k = 0; k < 2; ++k)
      sum += " + " + times(g.amplitude[k] * g.frequency[k], "cos(" + number(g.frequency[k]) + "*tau + " + number(g.phase[k]) + ")");
    for (const auto& [time, slope] : g.corners) sum += " + if(tau > " + number(time) + ", " + number(slope) + ", 0)";
    return sum;
  }
  std::string drive_in_words() const {
    const std::string since = "(tau - " + number(drive_.at) + ")", height = number(drive_.height), width = number(drive_.width);
    switch (drive_.is) {
      case drive::form::none: return "0";
      case drive::form::hump: return times(drive_.height, "(1 - tanh(" + since + "/" + width + ")^2)");
      case drive::form::bell: return times(drive_.height, "exp(-(" + since + "/" + width + ")^2)");
      case drive::form::pulses: break;
    }
    if (!std::isfinite(drive_.period))
      return "if(abs(tau - " + number(drive_.at + drive_.width / 2) + ") < " + number(drive_.width / 2) + ", " + height + ", 0)";
    const std::string phase = since + " - " + number(drive_.period) + "*floor(" + since + "/" + number(drive_.period) + ")";
    return "if(tau < " + number(drive_.at) + ", 0, if(" + phase + " < " + width + ", " + height + ", 0))";
  }

  void write() {
    const std::vector<double> x0 = exact(0);
    text = "from = 0\nto = " + number(backwards ? -span : span) + "\n[state]\n";
    for (std::size_t i = 0; i < x0.size(); ++i) text += (i < n ? "x" + std::to_string(i + 1) : std::string("z")) + " = " + number(x0[i]) + "\n";
    text += std::string("[definitions]\ntau = \"") + (backwards ? "-t" : "t") + "\"\n";
    text += "y1 = \"x1\"\ny2 = \"x2 - (" + number(bend_) + ")*sin(x1)\"\n";
    if (is_dae_)
      text += "off = \"z/" + number(scale_) + " - (" + times(weight_[0], "y1") + " + " + times(weight_[1], "y2") + " + sin(y1))\"\n";
    text += "p = \"" + drive_in_words() + "\"\n";
    for (std::size_t i = 0; i < n; ++i) text += "away" + std::to_string(i + 1) + " = \"y" + std::to_string(i + 1) + " - (" + value_of(g_[i]) + ")\"\n";
    // By modes: rounding in the elements of A would change its small eigenvalues.
    for (std::size_t k = 0; k < n; ++k)
      text += "mode" + std::to_string(k + 1) + " = \"" + times(inverse_[k][0], "away1") + " + " + times(inverse_[k][1], "away2") + "\"\n";
    text += "rate1 = \"" + times(lambda_[0], "mode1") + " + " + times(turn_, "mode2") + " + p\"\n";
    text += "rate2 = \"" + times(lambda_[1], "mode2") + " - " + times(turn_, "mode1") + "\"\n";
    for (std::size_t i = 0; i < n; ++i)
      text += "slope" + std::to_string(i + 1) + " = \"" + times(v_[i][0], "rate1") + " + " + times(v_[i][1], "rate2") + " + " + slope_of(g_[i]) +
              (is_dae_ ? " + " + times(coupling_[i], "off") : "") + "\"\n";
    const std::string sign = backwards ? "-" : "";
    text += "[derivative]\nx1 = \"" + sign + "slope1\"\nx2 = \"" + sign + "(slope2 + (" + number(bend_) + ")*cos(x1)*slope1)\"\n";
    if (is_dae_) text += "[algebraic]\nz = \"" + times(gain_, "off") + "\"\n";
  }

  void write_motion() {
    for (double& each : omega_) each = random_.uniform(0.5, 6) * std::min(1., 20 / span);
    const std::vector<double> x0 = exact_motion(0);
    text = "from = 0\nto = " + number(backwards ? -span : span) + "\n[position]\n";
    for (std::size_t i = 0; i < n; ++i) text += "x" + std::to_string(i + 1) + " = " + number(x0[i]) + "\n";
    text += "[velocity]\n";
    for (std::size_t i = 0; i < n; ++i) text += "x" + std::to_string(i + 1) + " = " + number(x0[n + i]) + "\n";
    text += std::string("[definitions]\ntau = \"") + (backwards ? "-t" : "t") + "\"\n";
    for (std::size_t i = 0; i < n; ++i) text += "away" + std::to_string(i + 1) + " = \"x" + std::to_string(i + 1) + " - (" + value_of(g_[i]) + ")\"\n";
    text += "[acceleration]\n";
    for (std::size_t i = 0; i < n; ++i) {
      text += "x" + std::to_string(i + 1) + " = \"" + bend_of(g_[i]);
      for (std::size_t j = 0; j < n; ++j) {
        double a = 0;
        for (std::size_t k = 0; k < n; ++k) a -= v_[i][k] * omega_[k] * omega_[k] * inverse_[k][j];
        text += " + " + times(a, "away" + std::to_string(j + 1));
      }
      text += "\"\n";
    }
  }
  std::string bend_of(const wave& g) const {
    std::string sum = "0";
    for (int k = 0; k < 2; ++k)
      sum += " + " + times(-g.amplitude[k] * g.frequency[k] * g.frequency[k], "sin(" + number(g.frequency[k]) + "*tau + " + number(g.phase[k]) + ")");
    return sum;
  }

  static constexpr int samples = 4000;

  random_numbers random_;
  std::array<wave, n> g_;
  std::array<double, n> lambda_{}, start_{};
  double turn_ = 0;  ///< of two modes that are a pair
  double jump_ = 0;  ///< of x₁, by an event
  std::array<double, n> omega_{};  ///< of springs
  std::array<std::array<double, n>, n> v_{}, inverse_{};
  drive drive_;
  double bend_ = 0;
  bool is_dae_ = false;
  double scale_ = 1, gain_ = 1;
  std::array<double, n> weight_{}, coupling_{};
};

}  // namespace ensue::calibration
