/// Equations whose solution, and what becomes of a small error in it, is known as a formula.
///
///     const auto inner = driven_modes::make(random, 3, {.stiff = true}, to);
///     inner->state(t)            y(t)
///     inner->propagator(t, s)    dy(t)/dy(s): an error d made at time s is propagator(t, s)·d at time t
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ensue::calibration {

inline constexpr std::size_t most_components = 5;
using vector = std::array<double, most_components>;
using matrix = std::array<vector, most_components>;

/// The same numbers everywhere: Steele, Lea & Flood (2014), "Fast splittable pseudorandom number generators", OOPSLA, SplitMix64.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform(double from, double to) { return from + (to - from) * std::ldexp(static_cast<double>(bits() >> 11), -53); }
  double logarithmic(double from, double to) { return std::exp(uniform(std::log(from), std::log(to))); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform(0, static_cast<double>(n))); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  double sign() { return chance(0.5) ? 1 : -1; }

 private:
  std::uint64_t state_;
};

class core {
 public:
  virtual ~core() = default;
  virtual vector state(double t) const = 0;
  virtual void derivative(double t, const vector& y, vector& dy) const = 0;
  virtual matrix propagator(double t, double s) const = 0;  ///< t >= s

  std::size_t size = 0;
  double to = 0;         ///< the span is from 0
  double rate = 0;       ///< one over the time in which the solution changes by itself
  double stiffness = 0;  ///< the largest size of an eigenvalue
  bool moves = false;    ///< y = (q, v), q'' = a(t, q)
};

/// Two sines, and corners: slopes that are added from a time on.
struct wave {
  double offset = 0, amplitude[2] = {}, frequency[2] = {}, phase[2] = {};
  std::vector<std::pair<double, double>> corners = {};  ///< (time, slope)

  static wave make(random_numbers& random, double least, double most) {
    wave w{random.uniform(-1, 1)};
    for (int k = 0; k < 2; ++k)
      w.amplitude[k] = random.uniform(0.2, 1), w.frequency[k] = random.uniform(least, most), w.phase[k] = random.uniform(0, 6.283);
    return w;
  }
  double value(double t) const {
    double sum = offset;
    for (int k = 0; k < 2; ++k) sum += amplitude[k] * std::sin(frequency[k] * t + phase[k]);
    for (const auto& [time, slope] : corners) sum += t > time ? slope * (t - time) : 0;
    return sum;
  }
  double slope(double t) const {
    double sum = 0;
    for (int k = 0; k < 2; ++k) sum += amplitude[k] * frequency[k] * std::cos(frequency[k] * t + phase[k]);
    for (const auto& [time, slope] : corners) sum += t > time ? slope : 0;
    return sum;
  }
  double bend(double t) const {  ///< the second derivative, without corners
    double sum = 0;
    for (int k = 0; k < 2; ++k) sum -= amplitude[k] * frequency[k] * frequency[k] * std::sin(frequency[k] * t + phase[k]);
    return sum;
  }
};

inline matrix random_rotation(random_numbers& random, std::size_t n) {
  matrix q{};
  for (std::size_t i = 0; i < n; ++i)
    for (double length = 0; length < 0.1;) {
      for (std::size_t k = 0; k < n; ++k) q[i][k] = random.uniform(-1, 1);
      for (std::size_t j = 0; j < i; ++j) {
        double product = 0;
        for (std::size_t k = 0; k < n; ++k) product += q[i][k] * q[j][k];
        for (std::size_t k = 0; k < n; ++k) q[i][k] -= product * q[j][k];
      }
      length = 0;
      for (std::size_t k = 0; k < n; ++k) length += q[i][k] * q[i][k];
      length = std::sqrt(length);
      if (length >= 0.1)
        for (std::size_t k = 0; k < n; ++k) q[i][k] /= length;
    }
  return q;
}

/// y' = A(y - g(t)) + g'(t), solved by y = g(t) + V exp(Dt) c: A = V D V⁻¹ with real eigenvalues and pairs of complex ones, V orthogonal or not.
/// (A stiff one is Prothero and Robinson's problem.)
class driven_modes : public core {
 public:
  struct character {
    bool stiff = false, oscillating = false, corners = false;
  };

  static std::shared_ptr<const core> make(random_numbers& random, std::size_t n, const character& is, double to) {
    const auto made = std::make_shared<driven_modes>();
    made->size = n, made->to = to;
    made->choose_eigenvectors(random);
    made->choose_eigenvalues(random, is);
    for (std::size_t i = 0; i < n; ++i) {
      made->g_[i] = is.oscillating ? wave::make(random, 0.5, 4) : wave::make(random, 0.2, 2);
      for (std::size_t k = is.corners ? 1 + random.below(3) : 0; k > 0; --k)
        made->g_[i].corners.emplace_back(random.uniform(0.1, 0.9) * to, random.uniform(-1, 1));
      for (const double frequency : made->g_[i].frequency) made->rate = std::max(made->rate, frequency);
    }
    return made;
  }

  vector state(double t) const override {
    const vector modes = evolved(t, c_);
    vector y{};
    for (std::size_t i = 0; i < size; ++i) {
      y[i] = g_[i].value(t);
      for (std::size_t k = 0; k < size; ++k) y[i] += v_[i][k] * modes[k];
    }
    return y;
  }

  void derivative(double t, const vector& y, vector& dy) const override {
    vector away{}, modes{};
    for (std::size_t i = 0; i < size; ++i) away[i] = y[i] - g_[i].value(t);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t i = 0; i < size; ++i) modes[k] += inverse_[k][i] * away[i];
    const vector before = modes;
    for (std::size_t k = 0; k < size; ++k) {
      modes[k] = real_[k] * before[k];
      if (imaginary_[k] != 0) modes[k] += imaginary_[k] * before[imaginary_[k] > 0 ? k + 1 : k - 1];
    }
    for (std::size_t i = 0; i < size; ++i) {
      dy[i] = g_[i].slope(t);
      for (std::size_t k = 0; k < size; ++k) dy[i] += v_[i][k] * modes[k];
    }
  }

  matrix propagator(double t, double s) const override {
    matrix p{};
    for (std::size_t j = 0; j < size; ++j) {
      vector column{};
      for (std::size_t k = 0; k < size; ++k) column[k] = inverse_[k][j];
      column = evolved(t - s, column);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < size; ++k) p[i][j] += v_[i][k] * column[k];
    }
    return p;
  }

 private:
  void choose_eigenvectors(random_numbers& random) {
    const std::size_t n = size;
    const matrix q = random_rotation(random, n);
    matrix shear{}, back{};  // upper triangular with ones, and its inverse
    const double strength = random.chance(0.5) ? 1.5 : 0;
    for (std::size_t i = 0; i < n; ++i) {
      shear[i][i] = 1;
      for (std::size_t j = i + 1; j < n; ++j) shear[i][j] = random.uniform(-strength, strength);
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = n; i-- > 0;) {
        back[i][j] = i == j;
        for (std::size_t k = i + 1; k < n; ++k) back[i][j] -= shear[i][k] * back[k][j];
      }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) v_[i][j] += q[i][k] * shear[k][j], inverse_[i][j] += back[i][k] * q[j][k];
  }

  void choose_eigenvalues(random_numbers& random, const character& is) {
    for (std::size_t k = 0; k < size; ++k) {
      const bool pair = k + 1 < size && random.chance(is.oscillating ? 1 : 0.3), stiff = is.stiff && (k > 0 || size == 1);
      double a = is.oscillating ? random.uniform(-0.02, 0) : random.uniform(-3, 0.1), b = is.oscillating ? random.uniform(1, 8) : random.uniform(0.3, 3);
      if (stiff) a = -random.logarithmic(1e2, 1e8), b = -a * random.uniform(0.1, 0.7);
      const double c = stiff && random.chance(0.5) ? 0 : random.uniform(-1, 1);
      stiffness = std::max(stiffness, std::hypot(a, pair ? b : 0));
      if (!stiff) rate = std::max(rate, std::hypot(a, pair ? b : 0));
      real_[k] = a, c_[k] = c;
      if (pair) imaginary_[k] = b, ++k, real_[k] = a, imaginary_[k] = -b, c_[k] = c == 0 ? 0 : random.uniform(-1, 1);
    }
  }

  vector evolved(double t, const vector& c) const {
    vector modes{};
    for (std::size_t k = 0; k < size; ++k) {
      const double shrunk = std::exp(real_[k] * t);
      if (imaginary_[k] == 0) {
        modes[k] = shrunk * c[k];
      } else {
        const double cosine = std::cos(imaginary_[k] * t), sine = std::sin(imaginary_[k] * t);
        modes[k] = shrunk * (cosine * c[k] + sine * c[k + 1]), modes[k + 1] = shrunk * (cosine * c[k + 1] - sine * c[k]);
        ++k;
      }
    }
    return modes;
  }

  matrix v_{}, inverse_{};
  vector real_{}, imaginary_{}, c_{};
  std::array<wave, most_components> g_;
};

/// q'' = -K(q - g(t)) + g''(t): coupled springs whose ends are moved.
class springs : public core {
 public:
  static std::shared_ptr<const core> make(random_numbers& random, std::size_t masses, double to) {
    const auto made = std::make_shared<springs>();
    made->size = 2 * masses, made->to = to, made->moves = true, made->masses_ = masses;
    made->q_ = random_rotation(random, masses);
    for (std::size_t i = 0; i < masses; ++i) {
      made->omega_[i] = random.uniform(0.5, 6);
      made->g_[i] = wave::make(random, 0.3, 3);
      made->cosine_[i] = random.uniform(-1, 1), made->sine_[i] = random.uniform(-1, 1);
      made->rate = std::max({made->rate, made->omega_[i], made->g_[i].frequency[0], made->g_[i].frequency[1]});
    }
    made->stiffness = made->rate;
    return made;
  }

  vector state(double t) const override {
    vector y{};
    for (std::size_t i = 0; i < masses_; ++i) {
      y[i] = g_[i].value(t), y[masses_ + i] = g_[i].slope(t);
      for (std::size_t k = 0; k < masses_; ++k) {
        const double w = omega_[k], c = std::cos(w * t), s = std::sin(w * t);
        y[i] += q_[i][k] * (cosine_[k] * c + sine_[k] * s);
        y[masses_ + i] += q_[i][k] * w * (sine_[k] * c - cosine_[k] * s);
      }
    }
    return y;
  }
  void derivative(double t, const vector& y, vector& dy) const override {
    for (std::size_t i = 0; i < masses_; ++i) dy[i] = y[masses_ + i], dy[masses_ + i] = g_[i].bend(t);
    for (std::size_t k = 0; k < masses_; ++k) {
      double along = 0;
      for (std::size_t j = 0; j < masses_; ++j) along += q_[j][k] * (y[j] - g_[j].value(t));
      for (std::size_t i = 0; i < masses_; ++i) dy[masses_ + i] -= q_[i][k] * omega_[k] * omega_[k] * along;
    }
  }
  matrix propagator(double t, double s) const override {
    matrix p{};
    for (std::size_t k = 0; k < masses_; ++k) {
      const double w = omega_[k], c = std::cos(w * (t - s)), sn = std::sin(w * (t - s));
      for (std::size_t i = 0; i < masses_; ++i)
        for (std::size_t j = 0; j < masses_; ++j) {
          const double both = q_[i][k] * q_[j][k];
          p[i][j] += both * c, p[i][masses_ + j] += both * sn / w;
          p[masses_ + i][j] -= both * w * sn, p[masses_ + i][masses_ + j] += both * c;
        }
    }
    return p;
  }

 private:
  std::size_t masses_ = 0;
  matrix q_{};
  vector omega_{}, cosine_{}, sine_{};
  std::array<wave, most_components> g_;
};

/// A limit cycle whose speed depends on its size: with u = r², u' = 2 mu u(1 - u), angle' = omega + beta u.
class limit_cycle : public core {
 public:
  static std::shared_ptr<const core> make(random_numbers& random, double to) {
    const auto made = std::make_shared<limit_cycle>();
    made->size = 2, made->to = to;
    made->mu_ = random.uniform(0.2, 2), made->omega_ = random.uniform(1, 5), made->beta_ = random.uniform(-1, 1);
    made->u_ = random.uniform(0.2, 3), made->angle_ = random.uniform(0, 6.283);
    made->rate = made->stiffness = std::max(2 * made->mu_, made->omega_ + std::abs(made->beta_));
    return made;
  }

  vector state(double t) const override {
    const auto [u, angle] = polar(t);
    return {std::sqrt(u) * std::cos(angle), std::sqrt(u) * std::sin(angle)};
  }
  void derivative(double, const vector& y, vector& dy) const override {
    const double u = y[0] * y[0] + y[1] * y[1], out = mu_ * (1 - u), turn = omega_ + beta_ * u;
    dy[0] = out * y[0] - turn * y[1], dy[1] = out * y[1] + turn * y[0];
  }
  matrix propagator(double t, double s) const override {
    const auto [u, angle] = polar(t);
    const auto [u0, angle0] = polar(s);
    const double tau = t - s, c = 1 / u0 - 1, e = std::exp(-2 * mu_ * tau);
    const double of_u = u * u * e / (u0 * u0);
    const double of_angle = -beta_ / (2 * mu_ * u0 * u0) * (e / (1 + c * e) - 1 / (1 + c));
    const double r = std::sqrt(u), r0 = std::sqrt(u0);
    const double to_u[2] = {2 * r0 * std::cos(angle0), 2 * r0 * std::sin(angle0)};
    const double to_angle[2] = {-std::sin(angle0) / r0, std::cos(angle0) / r0};
    matrix p{};
    for (std::size_t j = 0; j < 2; ++j) {
      const double du = of_u * to_u[j], da = of_angle * to_u[j] + to_angle[j];
      p[0][j] = std::cos(angle) * du / (2 * r) - r * std::sin(angle) * da;
      p[1][j] = std::sin(angle) * du / (2 * r) + r * std::cos(angle) * da;
    }
    return p;
  }

 private:
  std::pair<double, double> polar(double t) const {
    const double c = 1 / u_ - 1, e = std::exp(-2 * mu_ * t);
    return {1 / (1 + c * e), angle_ + omega_ * t + beta_ * (t + std::log((1 + c * e) / (1 + c)) / (2 * mu_))};
  }
  double mu_ = 0, omega_ = 0, beta_ = 0, u_ = 0, angle_ = 0;
};

/// y' = 1 + k|y| from below zero to above: f has a corner at a state.
class corner : public core {
 public:
  static std::shared_ptr<const core> make(random_numbers& random) {
    const auto made = std::make_shared<corner>();
    made->size = 1, made->k_ = random.uniform(0.3, 2), made->start_ = random.uniform(-3, -0.5);
    made->turn_ = std::log(1 - made->k_ * made->start_) / made->k_;
    made->to = made->turn_ + random.uniform(0.5, 3) / made->k_;
    made->rate = made->stiffness = made->k_;
    return made;
  }

  vector state(double t) const override {
    if (t < turn_) return {1 / k_ + (start_ - 1 / k_) * std::exp(-k_ * t)};
    return {std::expm1(k_ * (t - turn_)) / k_};
  }
  void derivative(double, const vector& y, vector& dy) const override { dy[0] = 1 + k_ * std::abs(y[0]); }
  matrix propagator(double t, double s) const override {
    const double below = std::min(t, turn_) - std::min(s, turn_), above = std::max(t, turn_) - std::max(s, turn_);
    matrix p{};
    p[0][0] = std::exp(k_ * (above - below));
    return p;
  }

 private:
  double k_ = 1, start_ = -1, turn_ = 0;
};

}  // namespace ensue::calibration
