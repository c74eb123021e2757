#include "stable_step.hpp"

#include "problems/problem_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ensue::command {
namespace {

using complex = std::complex<double>;
constexpr double infinite = std::numeric_limits<double>::infinity();

// Similar to the matrix, and zero below the first subdiagonal: elimination with pivoting.
void reduce_to_hessenberg(std::vector<complex>& a, std::size_t n) {
  for (std::size_t k = 1; k + 1 < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k - 1]) > std::abs(a[pivot * n + k - 1])) pivot = i;
    if (a[pivot * n + k - 1] == 0.) continue;
    if (pivot != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(a[pivot * n + j], a[k * n + j]);
      for (std::size_t i = 0; i < n; ++i) std::swap(a[i * n + pivot], a[i * n + k]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const complex factor = a[i * n + k - 1] / a[k * n + k - 1];
      if (factor == 0.) continue;
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      for (std::size_t j = 0; j < n; ++j) a[j * n + k] += factor * a[j * n + i];
    }
  }
}

// The eigenvalue of the last 2 × 2 block that is nearer to its corner.
complex wilkinson_shift(const complex& a, const complex& b, const complex& c, const complex& d) {
  const complex half = (a - d) / 2., root = std::sqrt(half * half + b * c);
  const complex sum = std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
  return sum == 0. ? d : d - b * c / sum;
}

// One step of QR on rows and columns from … to: A − shift = QR, then RQ + shift, by rotations.
void qr_step(std::vector<complex>& a, std::size_t n, std::size_t from, std::size_t to, const complex& shift) {
  std::vector<std::pair<double, complex>> rotations;
  for (std::size_t i = from; i <= to; ++i) a[i * n + i] -= shift;
  for (std::size_t k = from; k < to; ++k) {
    const complex x = a[k * n + k], y = a[(k + 1) * n + k];
    const double length = std::hypot(std::abs(x), std::abs(y));
    double c = 1;
    complex s = 0;
    if (std::abs(x) == 0) c = 0, s = 1;
    else if (length > 0) c = std::abs(x) / length, s = x / std::abs(x) * std::conj(y) / length;
    rotations.emplace_back(c, s);
    for (std::size_t j = k; j <= to; ++j) {
      const complex upper = a[k * n + j], lower = a[(k + 1) * n + j];
      a[k * n + j] = c * upper + s * lower;
      a[(k + 1) * n + j] = -std::conj(s) * upper + c * lower;
    }
  }
  for (std::size_t k = from; k < to; ++k) {
    const auto& [c, s] = rotations[k - from];
    for (std::size_t i = from; i <= std::min(k + 1, to); ++i) {
      const complex left = a[i * n + k], right = a[i * n + k + 1];
      a[i * n + k] = c * left + std::conj(s) * right;
      a[i * n + k + 1] = -s * left + c * right;
    }
  }
  for (std::size_t i = from; i <= to; ++i) a[i * n + i] += shift;
}

}  // namespace

std::vector<complex> eigenvalues(std::span<const double> matrix, std::size_t n) {
  std::vector<complex> a(matrix.begin(), matrix.end()), found;
  if (!std::all_of(matrix.begin(), matrix.end(), [](double x) { return std::isfinite(x); })) return found;
  double size = 0;
  for (const complex& one : a) size += std::abs(one);
  reduce_to_hessenberg(a, n);
  int steps = 0;
  for (std::size_t last = n; last-- > 0;) {
    for (steps = 0;; ++steps) {
      std::size_t first = last;
      while (first > 0) {
        double beside = std::abs(a[first * n + first]) + std::abs(a[(first - 1) * n + first - 1]);
        if (beside == 0) beside = size;
        if (std::abs(a[first * n + first - 1]) <= 1e-16 * beside) break;
        --first;
      }
      if (first == last) break;
      if (steps > 300) return found;  // has not been seen
      const std::size_t l = last * n + last;
      complex shift = wilkinson_shift(a[l - n - 1], a[l - n], a[l - 1], a[l]);
      if (steps % 11 == 10) shift += std::abs(a[l - 1]);  // out of a cycle
      qr_step(a, n, first, last, shift);
    }
    found.push_back(a[last * n + last]);
  }
  return found;
}

namespace {

using sparse = linear::sparse_matrix<double>;

// A start that is along no eigenvector; the first `filled` components.
std::vector<double> any_direction(std::size_t n, std::size_t filled) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < filled; ++i) v[i] = 1 + 0.5 * std::sin(1.7 * static_cast<double>(i * i + 1));
  return v;
}

// Power iteration: `apply`, and what comes of it divided by its largest component. False: it vanishes or is not finite.
template <class Apply> bool iterate(std::vector<double>& v, const Apply& apply) {
  std::vector<double> next(v.size());
  for (int iteration = 0; iteration < 300; ++iteration) {
    apply(v, next);
    double largest = 0;
    for (const double x : next) largest = std::max(largest, std::abs(x));
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = next[i] / largest;
  }
  return true;
}

// The largest one by magnitude: real and negative or positive, or with its conjugate, which is then told from |λ|² and 2 Re λ
// of the recurrence v_{k+2} = 2 Re λ v_{k+1} − |λ|² v_k that the iterates end in.
complex largest_eigenvalue(const sparse& j) {
  std::vector<double> v = any_direction(j.size(), j.size()), next(v.size()), after(v.size());
  const auto apply = [&](const std::vector<double>& x, std::vector<double>& y) { j.multiply(x, y); };
  if (!iterate(v, apply)) return 0;
  apply(v, next);
  apply(next, after);
  // Least squares for after = p·next − q·v.
  double nn = 0, nv = 0, vv = 0, an = 0, av = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    nn += next[i] * next[i], nv += next[i] * v[i], vv += v[i] * v[i];
    an += after[i] * next[i], av += after[i] * v[i];
  }
  const double determinant = nn * vv - nv * nv;
  if (determinant <= 1e-10 * nn * vv) return nv / vv;  // the iterates are along one line: λ is real
  const double p = (an * vv - av * nv) / determinant, q = -(av * nn - an * nv) / determinant;
  const complex root = std::sqrt(complex(p * p / 4 - q));
  const complex one = p / 2 + root, other = p / 2 - root;
  return std::abs(one) > std::abs(other) ? one : other;
}

// Of x = (q, v) with q'' = a(q): f' is (0, 1; A, 0), and λ² is an eigenvalue of A. The general way finds λ with a small real part that is not there: modes
// whose frequencies are close are still mixed after 300 iterations.
complex largest_eigenvalue_undamped(const sparse& j) {
  std::vector<double> q = any_direction(j.size(), j.size() / 2), half(q.size()), moved(q.size());
  const auto apply = [&](const std::vector<double>& x, std::vector<double>& y) { j.multiply(x, half), j.multiply(half, y); };
  if (!iterate(q, apply)) return 0;
  apply(q, moved);
  double product = 0, square = 0;
  for (std::size_t i = 0; i < q.size(); ++i) product += q[i] * moved[i], square += q[i] * q[i];
  return std::sqrt(complex(product / square));
}

}  // namespace

spectrum spectrum_along(const laboratory& lab) {
  const system_function f = differentiated_model_of(lab.problem());
  spectrum result;
  if (!f.jacobian().offers<linear::sparse_matrix<double>>()) return result;
  linear::sparse_matrix<double> jacobian(f.jacobian().pattern());
  const std::size_t n = jacobian.size();
  result.only_largest = n > most_components_for_spectrum;
  const bool undamped = lab.problem().system.force() == force_of::position;
  std::vector<double> dense;
  const auto add = [&](double t, std::vector<complex> found) {
    result.values.insert(result.values.end(), found.begin(), found.end());
    std::sort(found.begin(), found.end(), [](const complex& a, const complex& b) { return std::abs(a) > std::abs(b); });
    if (found.empty() || (!result.fastest.empty() && std::abs(found.front()) <= std::abs(result.fastest.front()))) return;
    result.fastest = std::move(found);
    result.fastest_at = t;
  };
  const auto look = [&](double t, std::span<const double> x) {
    jacobian.clear();
    f.jacobian()(t, x, jacobian);
    if (result.only_largest) return add(t, {undamped ? largest_eigenvalue_undamped(jacobian) : largest_eigenvalue(jacobian)});
    dense.assign(n * n, 0);
    const linear::sparsity_pattern& pattern = jacobian.pattern();
    for (std::size_t i = 0; i < n; ++i)
      for (linear::index_type k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
        dense[i * n + static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])] = jacobian.values()[static_cast<std::size_t>(k)];
    add(t, eigenvalues(dense, n));
  };
  look(lab.problem().from, lab.problem().start);
  const reference_solution& reference = lab.reference();
  for (std::size_t k = 0; k < reference.times.size(); ++k) {
    if (lab.limit().is_over()) return {};  // a part of it would promise steps that are too long
    look(reference.times[k], reference.states[k]);
  }
  if (lab.to() < lab.problem().from)  // backwards, what grew decays
    for (complex& one : result.values) one = -one;
  return result;
}

namespace {

// What one step of length 1 multiplies the mode of eigenvalue z by, made by taking it.
class one_step {
 public:
  explicit one_step(const method_info& method) {
    options<std::span<double>> settings;
    settings.step = 1;
    const std::vector<double> start = {1, 0};
    if (method.needs == system_needed::any) sim_ = method.make(std::ref(rotation_), start, 0, settings);
    else sim_ = method.make(spring{rotation_.z}, start, 0, settings);
    rotates_ = method.needs == system_needed::any;
  }

  double growth(const complex& z) {
    *rotation_.z = z;
    const auto first = after({1, 0});
    if (!first) return infinite;
    if (rotates_) return std::abs(*first);
    // The matrix of the step, and the larger of its eigenvalues.
    const auto second = after({0, 1});
    if (!second) return infinite;
    const double half_trace = (first->real() + second->imag()) / 2;
    const double determinant = first->real() * second->imag() - first->imag() * second->real();
    const complex root = std::sqrt(complex(half_trace * half_trace - determinant));
    return std::max(std::abs(half_trace + root), std::abs(half_trace - root));
  }

 private:
  struct rotation {
    std::shared_ptr<complex> z = std::make_shared<complex>(0);
    void operator()(double, std::span<const double> x, std::span<double> dx) const {
      dx[0] = z->real() * x[0] - z->imag() * x[1];
      dx[1] = z->imag() * x[0] + z->real() * x[1];
    }
  };
  /// x'' = −|z|² x + 2 Re(z) x', whose eigenvalues are z and its conjugate.
  struct spring {
    std::shared_ptr<complex> z;
    void acceleration(double, std::span<const double> q, std::span<const double> v, std::span<double> a) const {
      a[0] = -std::norm(*z) * q[0] + 2 * z->real() * v[0];
    }
    static force_of force() { return force_of::position; }  // where it is damped, only methods are asked that take that
  };

  std::optional<complex> after(const std::vector<double>& start) {
    sim_->set_state(0, start);
    if (sim_->step() != outcome::finished) return {};
    return complex(sim_->state()[0], sim_->state()[1]);
  }

  rotation rotation_;
  std::unique_ptr<any_integrator> sim_;
  bool rotates_;
};

}  // namespace

stability_boundary::stability_boundary(const method_info& method, double turns) {
  if (std::isinf(method.real_stability) && std::isinf(method.imaginary_stability)) {  // stable for all that decays or turns
    radius_.assign(directions + 1, infinite);
    return;
  }
  one_step step(method);
  constexpr double farthest = 100, stride = 0.0625;
  const auto first_growing = [&](const complex& direction, const auto& allowed) {
    double low = 0;
    while (low < farthest && step.growth((low + stride) * direction) <= allowed(low + stride)) low += stride;
    if (low >= farthest) return infinite;
    double high = low + stride;
    for (int i = 0; i < 30; ++i) {
      const double middle = (low + high) / 2;
      (step.growth(middle * direction) <= allowed(middle) ? low : high) = middle;
    }
    return low;
  };
  radius_.push_back(
      first_growing(complex(0, 1), [&](double y) { return std::min(1.01, std::pow(10., y / turns)) + 1e-12; }));
  // A method that takes no damping has only undamped modes before it.
  for (int k = 1; k < directions && method.needs != system_needed::position_force; ++k)
    radius_.push_back(first_growing(std::polar(1., std::numbers::pi / 2 * (1 + static_cast<double>(k) / directions)),
                                    [](double) { return 1 + 1e-12; }));
  radius_.resize(directions, radius_.front());
  radius_.push_back(method.needs == system_needed::any ? method.real_stability : radius_.back());
}

std::optional<double> stability_boundary::towards(const complex& lambda) const {
  const double size = std::abs(lambda);
  if (!(size > 0) || lambda.real() > 1e-6 * size) return {};
  const double angle = std::atan2(std::abs(lambda.imag()), lambda.real());
  const double position = std::max(0., angle / (std::numbers::pi / 2) - 1) * directions;
  const int k = std::min(directions - 1, static_cast<int>(position));
  const double part = position - k, near = radius_[static_cast<std::size_t>(k)],
               far = radius_[static_cast<std::size_t>(k + 1)];
  return part == 0 ? near : part == 1 ? far : (1 - part) * near + part * far;
}

namespace {

// Doubled or halved until one is stable and the next one not, then by bisection. None: every step that was tried blew up.
template <class IsStable>
std::optional<double> longest_stable(const IsStable& is_stable, double first, double shortest, double longest, bool& longer_were_not_tried) {
  double low = std::min(longest, first), high = low;
  if (is_stable(low)) {
    while (high = std::min(longest, 2 * low), low < longest && is_stable(high)) low = high;
    longer_were_not_tried = low >= longest;
    if (longer_were_not_tried) return longest;
  } else {
    do {
      high = low;
      low /= 2;
      if (low < shortest) return {};
    } while (!is_stable(low));
  }
  while (high > 1.002 * low) {
    const double middle = std::sqrt(low * high);
    (is_stable(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

stable_step predicted_stable_step(const method_info& method, const laboratory& lab, const spectrum& modes) {
  stable_step result;
  double largest = 0;
  for (const complex& lambda : modes.values) largest = std::max(largest, std::abs(lambda));
  const stability_boundary boundary(method, largest * lab.span());
  for (const complex& lambda : modes.values) {
    const auto radius = boundary.towards(lambda);
    if (!radius) continue;
    if (std::abs(lambda.real()) <= 1e-6 * std::abs(lambda) && method.imaginary_stability == 0)
      result.grows_at_every_step = true;
    if (*radius > 0) result.predicted = std::min(result.predicted.value_or(infinite), *radius / std::abs(lambda));
  }
  return result;
}

void observe_stable_step(const method_info& method, const laboratory& lab, stable_step& result) {
  constexpr std::int64_t most_evaluations = 100'000;
  const double first = result.predicted.value_or(lab.span() / output_times);
  const double shortest = lab.span() * method.evaluations.accepted / most_evaluations;
  bool longer_were_not_tried = false;
  const auto is_stable = [&](double h) { return lab.is_stable(method, h, most_evaluations); };
  const auto found = longest_stable(is_stable, first, shortest, lab.span() / 2, longer_were_not_tried);
  if (lab.limit().is_over()) return;  // a run that was cut short is not unstable
  result.was_tried = true;
  result.observed = found;
  result.longer_were_not_tried = longer_were_not_tried;
}

}  // namespace ensue::command
