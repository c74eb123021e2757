/// The driver beside the textbook's sums: one step of every method, as its table says, in a loop over the stages and in more digits. It is compiled a second time with
/// a GPU's ways (as_on_a_gpu), whose sums are others.
#include <ensue/methods/explicit/driver.hpp>
#include <ensue/methods.hpp>

#include "support/kinds.hpp"
#include "support/methods.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace {

using namespace ensue;
using number = long double;
using numbers = vec<number, 3>;

constexpr double t = 0.3, h = 0.25;

struct textbook_step {
  numbers k[32] = {}, end = {};
};

template <class Method> numbers sum(const numbers* k, auto weight) {
  numbers total{0, 0, 0};
  for (int j = 0; j < Method::table.stages; ++j)
    for (std::size_t i = 0; i < 3; ++i) total[i] += static_cast<number>(weight(j)) * k[j][i];
  return total;
}

template <class Method> textbook_step by_the_textbook(const numbers& x) {
  constexpr auto& table = Method::table;
  textbook_step step;
  const auto moved = [&](const numbers& by) { return numbers{x[0] + h * by[0], x[1] + h * by[1], x[2] + h * by[2]}; };
  for (int i = 0; i < table.stages; ++i)
    tests::swirl<number>{}(t + h * static_cast<number>(table.c[i]), moved(sum<Method>(step.k, [&](int j) { return j < i ? table.a[i][j] : 0; })), step.k[i]);
  step.end = moved(sum<Method>(step.k, [&](int j) { return table.b[j]; }));
  return step;
}

template <class Method> struct driver : testing::Test {
  template <class T> using state = vec<T, 3>;

  /// Within four roundings; `Compensating`: as where sums may be compensated, otherwise with products kept.
  template <class T, bool Compensating> void expect_the_textbooks() {
    const state<T> x = tests::swirl<T>::solution(T(t));
    const textbook_step expected = by_the_textbook<Method>({x[0], x[1], x[2]});
    tests::swirl<T> f;
    explicit_stepper<Method, state<T>> stepper(Method{}, x);
    std::int64_t evaluations = 0;
    stepper.derivative(f, T(t), x);
    ASSERT_TRUE(stepper.template attempt<Compensating>(f, T(t), T(t) + T(h), T(h), x, true, evaluations));
    const double rounding = 4 * static_cast<double>(epsilon<T>);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(static_cast<double>(stepper.candidate()[i]), static_cast<double>(expected.end[i]), rounding) << Method::name << ' ' << i;
    if constexpr (Method::table.embedded_rows == 1) {
      number squares = 0;
      const numbers errors = sum<Method>(expected.k, [](int j) { return Method::table.b[j] - Method::table.embedded[0].weights[j]; });
      for (std::size_t i = 0; i < 3; ++i) squares += h * errors[i] * h * errors[i];
      error_measure<state<T>> absolute(T(0), T(1), norms::euclidean, 3);
      EXPECT_NEAR(std::sqrt(static_cast<double>(stepper.squared_error(x, T(h), absolute))), std::sqrt(static_cast<double>(squares)), rounding) << Method::name;
    }
  }
};
TYPED_TEST_SUITE(driver, tests::typed<tests::only<tests::has_table>>);

TYPED_TEST(driver, takes_the_step_of_the_textbook) {
  this->template expect_the_textbooks<double, true>();
  this->template expect_the_textbooks<double, false>();
}
TYPED_TEST(driver, takes_the_step_of_the_textbook_in_float) {
  this->template expect_the_textbooks<float, true>();
  this->template expect_the_textbooks<float, false>();
}

}  // namespace
