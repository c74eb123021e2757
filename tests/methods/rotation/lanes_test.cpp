/// Bodies in the lanes of a pack, each with its own inertia, turn as they would alone, bit for bit.
#include <ensue/integrator.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/numbers/pack.hpp>
#include <ensue/methods/rotation/free_rotation.hpp>
#include <ensue/methods/rotation/moser_veselov.hpp>
#include <ensue/methods/rotation/rkmk4.hpp>
#include <ensue/methods/rotation/rotation_splitting.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

namespace {

using namespace ensue;
constexpr int width = 4;
using P = pack<double, width>;

// Both sides of the separatrix, a top, a ball at a crawl: each takes another way through the elliptic functions.
constexpr double inertia[3][width] = {{0.3, 0.9, 0.5, 1}, {0.5, 0.5, 0.5, 1}, {0.9, 0.3, 0.2, 1}};
constexpr double spin[3][width] = {{2, 1, 0.4, 1e-3}, {0.3, -0.4, 0.3, 0}, {0.2, 0.1, -1, 0}};

/// Pulls the first axis down.
struct pull {
  template <class T> void operator()(const real_of<T>&, const quaternion<T>& q, vec<T, 3>& n) const {
    n = cross(q.rotate({T(1), T(0), T(0)}), vec<T, 3>{T(0), T(0), T(-0.3)});
  }
};

template <class Method> struct lanes_of_bodies : testing::Test {};
using methods = testing::Types<rkmk4, free_rotation, rotation_splitting, moser_veselov>;
TYPED_TEST_SUITE(lanes_of_bodies, methods);

TYPED_TEST(lanes_of_bodies, turn_as_alone) {
  vec<P, 3> i, w;
  for (std::size_t k = 0; k < 3; ++k) i[k] = P::load(inertia[k]), w[k] = P::load(spin[k]);
  const models::rigid_body<P, pull> bodies{i, {}};
  const double ends[width] = {1, 0.5, 2, 0.3};  // lanes end at different times
  stepping_loop<models::rigid_body<P, pull>, rotating_body<P>, TypeParam> together(bodies, bodies.spinning(w), P(0), {}, {});
  together.advance_fixed(P::load(ends), P(0.1));
  for (int lane = 0; lane < width; ++lane) {
    const models::rigid_body<double, pull> body{{inertia[0][lane], inertia[1][lane], inertia[2][lane]}, {}};
    stepping_loop<models::rigid_body<double, pull>, rotating_body<double>, TypeParam> alone(
        body, body.spinning({spin[0][lane], spin[1][lane], spin[2][lane]}), 0, {}, {});
    alone.advance_fixed(ends[lane], 0.1);
    EXPECT_EQ(together.reports[lane].how, outcome::finished);
    EXPECT_EQ(together.now.statistics.evaluations[lane], alone.now.statistics.evaluations);
    for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(together.now.x[k][lane], alone.now.x[k]) << TypeParam::name << lane << ' ' << k;
  }
}

}  // namespace
