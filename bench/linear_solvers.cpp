// The solvers under implicit methods: banded LU over n, the forms against each other, the 3×3-block product against the machine's copy,
// and conjugate gradients on the spring lattice of a sheet of cloth.
//
//     bench_linear_solvers [band] [forms] [product] [lattice]      all of them: about a minute
#include "timing.hpp"

#include <ensue/linear/banded.hpp>
#include <ensue/linear/choice.hpp>
#include <ensue/linear/eigen_lu.hpp>
#include <ensue/linear/krylov.hpp>
#include <ensue/linear/sparse.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace ensue::linear;

/// The median of thread CPU nanoseconds of a call.
template <class Body> double nanoseconds(int rounds, const Body& body) {
  std::vector<bench::contestant> one;
  one.push_back({"", [&] { return body(), 1LL; }});
  bench::alternate(one, rounds);
  return bench::quantile(one[0].nanoseconds, 0.5);
}

/// In [−1, 1): the finaliser of splitmix64.
double pseudo_random(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((i ^ (i >> 31)) >> 11) * 0x1p-52 - 1;
}

banded_matrix<double> some_band(std::size_t n, std::size_t lower, std::size_t upper) {
  banded_matrix<double> a(n, lower, upper);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i > lower ? i - lower : 0; j <= i + upper && j < n; ++j) a(i, j) = pseudo_random(31 * i + j) - (i == j ? 4. : 0.);
  return a;
}

void band() {
  std::printf("banded LU, ns a row (factor of shift*I - J, solve), double\n%10s %12s %12s %12s\n", "band", "n = 1e4", "1e5", "1e6");
  for (const std::size_t k : {1u, 2u, 3u, 4u, 5u, 10u, 20u}) {
    std::printf("%7zu+%zu ", k, k);
    for (const std::size_t n : {10'000u, 100'000u, 1'000'000u}) {
      const auto a = some_band(n, k, k);
      banded_lu<double> lu(n, k, k);
      std::vector<double> b(n, 1.);
      const int rounds = n > 100'000 ? 5 : 15;
      const double factor = nanoseconds(rounds, [&] { lu.factor_shifted(a, 1.); });
      const double solve = nanoseconds(rounds, [&] { lu.solve(b), std::fill(b.begin(), b.end(), 1.); });
      std::printf(" %6.1f %5.1f", factor / static_cast<double>(n), solve / static_cast<double>(n));
    }
    std::printf("\n");
  }
}

/// Dense LU as the thresholds of choice.hpp see it: rows in order, partial pivoting.
bool dense_factor(std::vector<double>& a, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    if (a[best * n + k] == 0) return false;
    if (best != k)
      for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    const double* const ENSUE_RESTRICT pivot = a.data() + k * n;
    for (std::size_t i = k + 1; i < n; ++i) {
      double* const ENSUE_RESTRICT row = a.data() + i * n;
      const double m = row[k] /= pivot[k];
      for (std::size_t j = k + 1; j < n; ++j) row[j] -= m * pivot[j];
    }
  }
  return true;
}

sparsity_pattern grid(std::size_t side, std::size_t length) {
  std::vector<sparsity_pattern::entry> entries;
  for (std::size_t i = 0; i < length; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      const std::size_t here = i * side + j;
      entries.emplace_back(here, here);
      if (j + 1 < side) entries.emplace_back(here, here + 1), entries.emplace_back(here + 1, here);
      if (i + 1 < length) entries.emplace_back(here, here + side), entries.emplace_back(here + side, here);
    }
  return sparsity_pattern::from_entries(side * length, side * length, entries);
}

const char* name_of(matrix_form form) {
  return form == matrix_form::dense ? "dense" : form == matrix_form::banded ? "banded" : "sparse";
}

void forms_of(const char* name, const sparsity_pattern& p) {
  sparse_matrix<double> a(p);
  const std::size_t n = p.rows;
  const bandwidth b = bandwidth_of(p);
  banded_matrix<double> band(n, b.lower, b.upper);
  for (std::size_t i = 0; i < n; ++i)
    for (const index_type column : p.row(i)) {
      const auto j = static_cast<std::size_t>(column);
      band(i, j) = a(i, j) = pseudo_random(31 * i + j) + (i == j ? 5. : 0.);
    }
  const int rounds = n > 3000 ? 3 : 9;
  double dense = std::nan(""), sparse = std::nan("");
  if (n <= 1000) {
    std::vector<double> full(n * n), work;
    for (std::size_t i = 0; i < n; ++i)
      for (const index_type j : p.row(i)) full[i * n + static_cast<std::size_t>(j)] = a(i, static_cast<std::size_t>(j));
    dense = nanoseconds(rounds, [&] { work = full, dense_factor(work, n), bench::keep(work); });
  }
  banded_lu<double> lu(n, b.lower, b.upper);
  const double banded = nanoseconds(rounds, [&] { lu.factor(band); });
#ifdef ENSUE_HAS_EIGEN_LU
  sparse_lu<double> eigen(p);
  sparse = nanoseconds(rounds, [&] { eigen.factor(a); });
#endif
  const factor_cost guess = estimate_cost(n, b, p.nonzeros());
  std::printf("  %-22s n %6zu band %4zu: dense %11.1f (%11.1f) banded %11.1f (%11.1f) sparse %11.1f (%11.1f) us -> %s\n", name, n, b.lower,
              dense / 1e3, guess.dense / 1e3, banded / 1e3, guess.banded / 1e3, sparse / 1e3, guess.sparse / 1e3,
              name_of(choose_form(n, b, p.nonzeros())));
}

void forms() {
  std::printf("factorisation by form, measured (estimated)\n");
  for (const std::size_t n : {4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u}) forms_of("full", sparsity_pattern::banded(n, n - 1, n - 1));
  for (const std::size_t n : {8u, 16u, 64u, 1000u}) forms_of("band 2+2", sparsity_pattern::banded(n, 2, 2));
  for (const std::size_t k : {8u, 20u, 40u, 80u}) forms_of("band, n = 1000", sparsity_pattern::banded(1000, k, k));
  for (const std::size_t side : {5u, 10u, 20u, 40u, 80u, 120u}) forms_of("grid, square", grid(side, side));
  for (const std::size_t side : {5u, 10u, 20u, 40u}) forms_of("grid, strip", grid(side, 1000));
}

/// A sheet with springs to its 8 neighbours, k/m = 1e5, waved so that every spring has its own direction and strain.
struct sheet {
  std::size_t side;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::vector<double> x;

  explicit sheet(std::size_t n) : side(n), x(3 * n * n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t here = i * n + j;
        const double u = static_cast<double>(i), v = static_cast<double>(j);
        x[3 * here] = u + 0.02 * std::sin(0.7 * v), x[3 * here + 1] = v + 0.02 * std::sin(0.9 * u + 1);
        x[3 * here + 2] = 0.3 * std::sin(0.31 * u) * std::cos(0.23 * v);
        if (j + 1 < n) edges.emplace_back(here, here + 1);
        if (i + 1 < n) edges.emplace_back(here, here + n);
        if (i + 1 < n && j + 1 < n) edges.emplace_back(here, here + n + 1);
        if (i + 1 < n && j > 0) edges.emplace_back(here, here + n - 1);
      }
  }
  /// I + h² k/m Σ (u uᵀ + max(0, 1 − L/l)(I − u uᵀ)): what is compressed pushes sideways, and is left out, as Choi & Ko (2002) do.
  /// The right-hand side is noise. (With the springs' forces it is large along the edges, where they are not balanced; the larger the sheet,
  /// the sooner what is left there is small against ‖b‖, and block Jacobi takes 36, 33, 28 iterations at 60 Hz.)
  void assemble(double rate, block_matrix3<double>& a, std::vector<double>& b) const {
    const double h = 1 / rate, stiffness = 1e5;
    a.clear();
    for (std::size_t i = 0; i < side * side; ++i) {
      a.add_to_diagonal(i, block3<double>::identity());
      for (std::size_t c = 0; c < 3; ++c) b[3 * i + c] = 98.1 * h * pseudo_random(3 * i + c);
    }
    for (const auto& [i, j] : edges) {
      double d[3], square = 0;
      for (std::size_t c = 0; c < 3; ++c) d[c] = x[3 * j + c] - x[3 * i + c], square += d[c] * d[c];
      const double length = std::sqrt(square), rest = j - i == 1 || j - i == side ? 1 : std::sqrt(2.);
      const double across = std::fmax(0., 1 - rest / length);
      block3<double> s = block3<double>::outer(d, h * h * stiffness * (1 - across) / square);
      s += block3<double>::identity(h * h * stiffness * across);
      a.add_spring(i, j, s);
    }
  }
};

void product() {
  std::printf("3x3-block product against a copy of as many bytes\n");
  for (const std::size_t side : {32u, 100u, 300u, 1000u}) {
    const sheet s(side);
    block_matrix3<double> a(side * side, s.edges);
    std::vector<double> b(a.size()), y(a.size());
    s.assemble(60, a, b);
    const double bytes = static_cast<double>(a.bytes() + 2 * a.size() * sizeof(double));  // x read, y written
    std::vector<char> from(static_cast<std::size_t>(bytes / 2), 1), to(from.size());
    const int repeat = side <= 100 ? 100 : 1;
    std::vector<bench::contestant> runs;
    runs.push_back({"product", [&] {
                      for (int k = 0; k < repeat; ++k) a.multiply(b, y), bench::keep(y);
                      return repeat;
                    }});
    runs.push_back({"copy", [&] {
                      for (int k = 0; k < repeat; ++k) std::memcpy(to.data(), from.data(), from.size()), bench::keep(to);
                      return repeat;
                    }});
    bench::alternate(runs, 15);
    const double own = bench::quantile(runs[0].nanoseconds, 0.5), copy = bench::quantile(runs[1].nanoseconds, 0.5);
    std::printf("  %4zu^2: %5.1f ns and %.0f bytes a particle, %.1f GB/s; copy %.1f GB/s; ratio %.2f\n", side,
                own / static_cast<double>(side * side), bytes / static_cast<double>(side * side), bytes / own, bytes / copy,
                bench::quantile(bench::ratios(runs[1], runs[0]), 0.5));
  }
}

template <class Preconditioner>
void solve_sheet(const char* name, const block_matrix3<double>& a, std::span<const double> b, double relative) {
  Preconditioner m(a);
  conjugate_gradients<double> cg(a.size());
  std::vector<double> x(a.size());
  krylov_result end;
  const int rounds = a.particles() > 200'000 ? 2 : 5;
  const double factor = nanoseconds(rounds, [&] { m.factor(a); });
  const double solve = nanoseconds(rounds, [&] {
    std::fill(x.begin(), x.end(), 0.);
    end = cg.solve(a, b, std::span<double>(x), m, no_filter{}, {.relative = relative});
  });
  const double particles = static_cast<double>(a.particles());
  std::printf("    %-22s %4zu iterations (%s), factor %6.1f, solve %7.1f ns a particle, %6.2f an iteration; %5.0f bytes\n", name,
              end.iterations, describe(end.outcome), factor / particles, solve / particles,
              solve / particles / static_cast<double>(end.iterations),
              static_cast<double>(a.bytes() + m.bytes() + cg.bytes() + 2 * a.size() * sizeof(double)) / particles);
}

void lattice() {
  std::printf("spring lattice, k/m = 1e5, 8 neighbours, conjugate gradients to 1e-3 of |b|\n");
  for (const double rate : {240., 60., 15.})
    for (const std::size_t side : {100u, 300u, 1000u}) {
      if (rate < 60 && side > 300) continue;  // minutes, and nothing new
      const sheet s(side);
      block_matrix3<double> a(side * side, s.edges);
      std::vector<double> b(a.size());
      s.assemble(rate, a, b);
      std::printf("  %.0f Hz, %zu^2\n", rate, side);
      solve_sheet<block_jacobi<double>>("block Jacobi", a, b, 1e-3);
      solve_sheet<incomplete_cholesky<double>>("IC(0)", a, b, 1e-3);
      solve_sheet<incomplete_cholesky<double, float>>("IC(0) in float", a, b, 1e-3);
    }
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto asked = [&](const char* what) {
    for (int k = 1; k < count; ++k)
      if (std::strcmp(arguments[k], what) == 0) return true;
    return count == 1;
  };
  if (asked("band")) band();
  if (asked("forms")) forms();
  if (asked("product")) product();
  if (asked("lattice")) lattice();
}
