/// Something goes wrong at the n-th call of f in a batch, in lanes and on threads: what is thrown arrives, no thread is left, and a batch that is run again gives what it gives undisturbed. What is no
/// number ends the trajectories that it hit, as it would end each alone, or shrinks their steps.
#include "reliability/faults.hpp"
#include "reliability/support.hpp"
#include "support/sanitized.hpp"

#include <ensue/batch/batch.hpp>

#include <atomic>

namespace {

using namespace ensue;
using namespace ensue::tests;

using state = vec<double, 2>;

/// The n-th call of all threads together goes wrong, in every lane of it.
struct shared_diary {
  fault what = fault::nan;
  int at = 0;
  std::atomic<int> calls = 0;
};

struct oscillators {
  shared_diary* log;
  template <class T, class X, class DX> mask_of<T> operator()(const T& t, const X& x, DX& dx) const {
    dx[0] = x[1], dx[1] = T(3) * (T(1) - x[0] * x[0]) * x[1] - x[0] + T(0.1) * t;
    if (++log->calls != log->at) return mask_of<T>(true);
    switch (log->what) {
      case fault::nan: dx[1] = T(not_a_number); break;
      case fault::infinity: dx[1] = T(infinite); break;
      case fault::exception: throw trouble();
      case fault::no_memory: throw std::bad_alloc();
      case fault::undefined: return mask_of<T>(false);
    }
    return mask_of<T>(true);
  }
};

std::vector<state> starts() {
  std::vector<state> made;
  for (int i = 0; i < 300; ++i) made.push_back({2 - 0.01 * i, 0.02 * i});  // more than one thread takes at once
  return made;
}

template <class Method> struct fault_in_batch : testing::Test {};
#if defined(ENSUE_TEST_ONE_OF_EACH_KIND)
TYPED_TEST_SUITE(fault_in_batch, testing::Types<dp54>);
#else
using batched_methods = testing::Types<rk4, bs32, dp54>;
TYPED_TEST_SUITE(fault_in_batch, batched_methods);
#endif

TYPED_TEST(fault_in_batch, arrives_and_leaves_nothing_behind) {
  shared_diary log;
  batch many{oscillators{&log}, TypeParam{}, {.rtol = 1e-4, .atol = 1e-4}};
  if (!is_adaptive<TypeParam>::value) many.settings.step = 1. / 64;
  constexpr double end = 1;
  std::vector<state> right = starts();
  many.advance(right, {0., end});
  const int calls = log.calls;
  for (const unsigned threads : {1u, 2u}) {
    many.threads = threads;
    for (const fault what : every_fault)
      for (int n = 1; n <= calls; n += sanitized ? 1 + calls / 10 : 1 + calls / 60) {
        std::vector<state> moved = starts();
        std::vector<trajectory_ending> endings(moved.size());
        log.what = what, log.at = n, log.calls = 0;
        const bool thrown = threw_as_told(what, [&] { many.advance(moved, {0., end}, endings); });
        ASSERT_EQ(thrown, throws(what)) << name_of(what) << " at call " << n;
        log.at = 0;
        if (thrown) continue;
        for (std::size_t i = 0; i < moved.size(); ++i) {
          ASSERT_TRUE(is_finite(moved[i])) << "trajectory " << i << ": " << name_of(what) << " at call " << n;
          if (endings[i].how != outcome::finished) ASSERT_TRUE(is_documented(endings[i].how)) << name_of(endings[i].how);
          else ASSERT_LT(distance(std::span(moved[i].elements), std::span(right[i].elements)), 0.01) << "trajectory " << i << ": " << name_of(what) << " at call " << n;
        }
      }
    std::vector<state> again = starts();
    many.advance(again, {0., end});
    for (std::size_t i = 0; i < again.size(); ++i) ASSERT_TRUE(same_state(again[i], right[i])) << i;
  }
}

}  // namespace
