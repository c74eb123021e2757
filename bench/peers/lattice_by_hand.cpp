/// The net by hand: its springs, its forces and a linearly implicit Euler step.
#include "lattice.hpp"

#include <cmath>

namespace bench {

hung_net::hung_net(std::size_t particles_a_side, double stiffness_to_mass) : side(particles_a_side), stiffness(stiffness_to_mass) {
  const double diagonal = std::sqrt(2.) * spacing;
  for (std::size_t row = 0; row < side; ++row)
    for (std::size_t column = 0; column < side; ++column) {
      const std::size_t i = row * side + column;
      const bool right = column + 1 < side, below = row + 1 < side;
      if (right) springs.push_back({i, i + 1, spacing});
      if (below && column > 0) springs.push_back({i, i + side - 1, diagonal});
      if (below) springs.push_back({i, i + side, spacing});
      if (below && right) springs.push_back({i, i + side + 1, diagonal});
    }
}

std::vector<double> hung_net::start() const {
  std::vector<double> x(6 * particles(), 0.);
  for (std::size_t i = 0; i < particles(); ++i) {
    x[3 * i] = static_cast<double>(i % side) * spacing;
    x[3 * i + 1] = -static_cast<double>(i / side) * spacing;
  }
  return x;
}

void hung_net::derivative(const double* x, double* dx) const {
  const std::size_t n = 3 * particles();
  double* const a = dx + n;
  for (std::size_t i = 0; i < n; ++i) dx[i] = x[n + i], a[i] = i % 3 == 2 ? gravity : 0;
  for (const spring& s : springs) {
    const double* const p = x + 3 * s.first;
    const double* const q = x + 3 * s.second;
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    const double pull = stiffness * (s.rest_length / std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 1);
    for (std::size_t c = 0; c < 3; ++c) a[3 * s.first + c] += pull * d[c], a[3 * s.second + c] -= pull * d[c];
  }
  for (const std::size_t i : {std::size_t{0}, side - 1})
    for (std::size_t c = 0; c < 3; ++c) a[3 * i + c] = 0;
}

namespace {

/// (1 + h²K) with K of springs as k u uᵀ + g (1 − u uᵀ), g not below zero.
class implicit_net {
 public:
  explicit implicit_net(const hung_net& net)
      : net_(net),
        n_(3 * net.particles()),
        springs_(net.springs.size()),
        inverse_(3 * n_),
        derivative_(2 * n_),
        b_(n_),
        r_(n_),
        z_(n_),
        p_(n_),
        q_(n_),
        change_(n_) {}

  void step(std::vector<double>& x, double h) {
    net_.derivative(x.data(), derivative_.data());
    linearize(x.data(), h);
    multiply(x.data() + n_, q_.data());  // (1 + h²K)v
    for (std::size_t i = 0; i < n_; ++i) b_[i] = h * derivative_[n_ + i] - (q_[i] - x[n_ + i]);
    solve();
    for (std::size_t i = 0; i < n_; ++i) x[n_ + i] += change_[i], x[i] += h * x[n_ + i];
  }

 private:
  struct linear_spring {
    double u[3], along, across;  // h²(k − g), h²g
  };

  void linearize(const double* x, double h) {
    std::vector<double>& diagonal = inverse_;
    for (std::size_t i = 0; i < 3 * n_; ++i) diagonal[i] = i % 9 % 4 == 0;
    for (std::size_t k = 0; k < springs_.size(); ++k) {
      const auto& s = net_.springs[k];
      double d[3], squared = 0;
      for (std::size_t c = 0; c < 3; ++c) d[c] = x[3 * s.first + c] - x[3 * s.second + c], squared += d[c] * d[c];
      const double length = std::sqrt(squared), slack = 1 - s.rest_length / length, g = h * h * net_.stiffness * (slack > 0 ? slack : 0);
      linear_spring& made = springs_[k];
      for (std::size_t c = 0; c < 3; ++c) made.u[c] = d[c] / length;
      made.across = g, made.along = h * h * net_.stiffness - g;
      for (const std::size_t end : {s.first, s.second})
        for (std::size_t c = 0; c < 3; ++c) {
          diagonal[9 * end + 4 * c] += g;
          for (std::size_t e = 0; e < 3; ++e) diagonal[9 * end + 3 * c + e] += made.along * made.u[c] * made.u[e];
        }
    }
    for (std::size_t i = 0; i < n_ / 3; ++i) invert(diagonal.data() + 9 * i);
  }
  static void invert(double* m) {
    const double a = m[0], b = m[1], c = m[2], d = m[4], e = m[5], f = m[8];
    const double x = d * f - e * e, y = c * e - b * f, z = b * e - c * d, whole = 1 / (a * x + b * y + c * z);
    m[0] = whole * x, m[1] = m[3] = whole * y, m[2] = m[6] = whole * z;
    m[4] = whole * (a * f - c * c), m[5] = m[7] = whole * (b * c - a * e), m[8] = whole * (a * d - b * b);
  }
  void multiply(const double* in, double* out) const {
    for (std::size_t i = 0; i < n_; ++i) out[i] = in[i];
    for (std::size_t k = 0; k < springs_.size(); ++k) {
      const linear_spring& s = springs_[k];
      const std::size_t i = 3 * net_.springs[k].first, j = 3 * net_.springs[k].second;
      const double d[3] = {in[i] - in[j], in[i + 1] - in[j + 1], in[i + 2] - in[j + 2]};
      const double along = s.along * (s.u[0] * d[0] + s.u[1] * d[1] + s.u[2] * d[2]);
      for (std::size_t c = 0; c < 3; ++c) {
        const double w = s.across * d[c] + along * s.u[c];
        out[i + c] += w, out[j + c] -= w;
      }
    }
  }
  void hold(std::vector<double>& v) const {
    for (const std::size_t i : {std::size_t{0}, net_.side - 1}) v[3 * i] = v[3 * i + 1] = v[3 * i + 2] = 0;
  }
  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sums[8] = {};
    for (std::size_t i = 0; i + 8 <= a.size(); i += 8)
      for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
    for (std::size_t i = a.size() / 8 * 8; i < a.size(); ++i) sums[0] += a[i] * b[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  void solve() {
    hold(b_);
    r_ = b_;
    for (double& each : change_) each = 0;
    const double enough = 1e-6 * product(b_, b_);
    double before = 0;
    for (int iteration = 0; iteration < 100'000 && product(r_, r_) > enough; ++iteration) {
      for (std::size_t i = 0; i < n_ / 3; ++i)
        for (std::size_t c = 0; c < 3; ++c) {
          const double* const row = inverse_.data() + 9 * i + 3 * c;
          z_[3 * i + c] = row[0] * r_[3 * i] + row[1] * r_[3 * i + 1] + row[2] * r_[3 * i + 2];
        }
      const double now = product(r_, z_), beta = iteration == 0 ? 0 : now / before;
      before = now;
      for (std::size_t i = 0; i < n_; ++i) p_[i] = z_[i] + beta * p_[i];
      multiply(p_.data(), q_.data());
      hold(q_);
      const double alpha = now / product(p_, q_);
      for (std::size_t i = 0; i < n_; ++i) change_[i] += alpha * p_[i], r_[i] -= alpha * q_[i];
    }
  }

  const hung_net& net_;
  std::size_t n_;
  std::vector<linear_spring> springs_;
  std::vector<double> inverse_, derivative_, b_, r_, z_, p_, q_, change_;
};

}  // namespace

std::vector<double> solve_net_by_hand(const hung_net& net, double to, double rate) {
  implicit_net stepper(net);
  std::vector<double> x = net.start();
  const long steps = std::lround(to * rate);
  for (long i = 0; i < steps; ++i) stepper.step(x, to / static_cast<double>(steps));
  x.resize(x.size() / 2);
  return x;
}

}  // namespace bench
