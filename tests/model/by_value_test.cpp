/// A model that takes dx by value writes a copy: it is refused at compile time (compile_fail/*_by_value.cpp), and nothing else is.
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/model/jacobian.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/solve.hpp>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif

namespace {

using namespace ensue;
using two = vec<double, 2>;
using many = std::vector<double>;

template <class S, class F> constexpr bool refuses(const F&) { return detail::writes_copy_of_derivative<F, S>(); }
/// For every kind of state that owns its numbers.
template <class F> constexpr bool refuses_always(const F& f) {
  return refuses<two>(f) && refuses<many>(f) && refuses<std::array<double, 2>>(f) && refuses<vec<float, 2>>(f) && refuses<vec<dual<double, 2>, 2>>(f);
}
template <class F> constexpr bool refuses_sometimes(const F& f) {
  return refuses<two>(f) || refuses<many>(f) || refuses<std::array<double, 2>>(f) || refuses<vec<float, 2>>(f) || refuses<vec<dual<double, 2>, 2>>(f);
}

TEST(by_value, a_generic_lambda_is_refused) {
  EXPECT_TRUE(refuses_always([](auto, auto x, auto dx) { dx[0] = x[0]; }));
  EXPECT_TRUE(refuses_always([](auto, const auto& x, auto dx) { dx[0] = x[0]; }));
  EXPECT_TRUE(refuses_always([](const auto&, auto&& x, auto dx) mutable { dx[0] = x[0]; }));
  EXPECT_TRUE(refuses_always([](auto&&, auto x, const auto dx) noexcept { (void)x, (void)dx; }));
  EXPECT_TRUE(refuses_always([](auto t, auto x, auto dx) { return dx[0] = x[0], t > 0; })) << "one that says where it is defined";
  EXPECT_TRUE(refuses<two>([](double, auto x, auto dx) { dx[0] = x[0]; }));
  EXPECT_TRUE(refuses_always([](auto&&, auto x, const auto dx) noexcept { static_cast<void>(x[0] + dx[0]); }));
  EXPECT_TRUE(refuses<two>(differentiable{[](auto, const auto& x, auto dx) { dx[0] = x[0]; }}));
}

void function_of_copies(double, const two&, two) {}
void function_of_references(double, const two&, two&) {}
template <class T> struct object_of_copies {
  void operator()(T, const vec<T, 2>& x, vec<T, 2> dx) const { dx = x; }
};
template <class T> struct object_of_references {
  void operator()(T, const vec<T, 2>& x, vec<T, 2>& dx) const { dx = x; }
};
struct template_of_copies {
  template <class T> bool operator()(const T&, const vec<T, 2>& x, vec<T, 2> dx) const { return dx = x, true; }
};
struct template_of_references {
  template <class T> bool operator()(const T&, const vec<T, 2>& x, vec<T, 2>& dx) const { return dx = x, true; }
};

TEST(by_value, so_are_functions_and_objects) {
  EXPECT_TRUE(refuses<two>(function_of_copies));
  EXPECT_TRUE(refuses<two>(&function_of_copies));
  EXPECT_TRUE(refuses<two>(object_of_copies<double>{}));
  EXPECT_TRUE(refuses<two>(template_of_copies{}));
  EXPECT_TRUE(refuses<two>([](double, two x, two dx) { dx = x; }));
  EXPECT_TRUE(refuses<many>([](double, many, many dx) { dx[0] = 0; }));
  EXPECT_TRUE((refuses<two>(std::function<void(double, two, two)>())));
  const object_of_copies<double> model;
  EXPECT_TRUE(refuses<two>(std::ref(model)));
}

struct members_of_copies {
  void derivative(auto, const auto& x, auto dx) const { dx[0] = x[0]; }
};
struct members_of_references {
  void derivative(auto, const auto& x, auto& dx) const { dx[0] = x[0]; }
};
struct force_into_a_copy {
  void acceleration(double, const auto& q, auto a) const { a[0] = q[0]; }
};
struct drag_into_a_copy {
  void acceleration(double, auto q, const auto& v, vec<double, 1> a) const { a[0] = q[0] + v[0]; }
};
struct drag {
  void acceleration(double, auto q, const auto& v, auto& a) const { a[0] = q[0] + v[0]; }
};
struct turning_of_a_copy {
  void tangent(double, const quaternion<double>&, auto w) const { w[0] = 1; }
};

TEST(by_value, so_are_members) {
  EXPECT_TRUE(refuses<two>(members_of_copies{}));
  EXPECT_FALSE(refuses<two>(members_of_references{}));
  EXPECT_TRUE(refuses<two>(force_into_a_copy{}));
  EXPECT_FALSE(refuses<std::span<double>>(force_into_a_copy{}));
  EXPECT_FALSE(refuses<many>(force_into_a_copy{})) << "the halves of a dynamic state are spans";
  EXPECT_TRUE(refuses<two>(drag_into_a_copy{}));
  EXPECT_FALSE(refuses<two>(drag{}));
  EXPECT_TRUE(refuses<quaternion<double>>(turning_of_a_copy{}));
}

TEST(by_value, views_are_allowed) {
  EXPECT_FALSE(refuses<std::span<double>>([](double, auto x, auto dx) { dx[0] = x[0]; }));
  EXPECT_FALSE(refuses<two>([](double, auto x, std::span<double> dx) { dx[0] = x[0]; }));
  EXPECT_FALSE(refuses<many>([](double, std::span<const double> x, std::span<double> dx) { dx[0] = x[0]; }));
  const auto run = solve([](double, std::span<const double> x, std::span<double> dx) { dx[0] = -x[0]; }, many{1}, {0, 1}, dp54{});
  EXPECT_NEAR(run.state[0], std::exp(-1), 1e-5);
}

/// A body that is no template's to compile with anything but what the solver hands over.
struct particular {
  template <class X, class D> static void fill(const X& x, D& dx) { dx[0] = x[0]; }
};

TEST(by_value, references_are_never_refused) {
  EXPECT_FALSE(refuses_sometimes([](auto, const auto& x, auto& dx) { dx[0] = x[0]; }));
  EXPECT_FALSE(refuses_sometimes([](auto, auto x, auto&& dx) { dx[0] = x[0]; }));
  EXPECT_FALSE(refuses_sometimes([](auto&&, auto&& x, auto&& dx) { particular::fill(x, std::forward<decltype(dx)>(dx)); }));
  EXPECT_FALSE(refuses_sometimes([](auto&&... all) { [](auto&, auto& x, auto& dx) { dx[0] = x[0]; }(all...); }));
  EXPECT_FALSE(refuses_sometimes([](auto&& t, auto&&... all) {
    const auto f = [](const auto&, const auto& x, auto& dx) { dx[0] = x[0]; };
    f(std::forward<decltype(t)>(t), std::forward<decltype(all)>(all)...);
  }));
  EXPECT_FALSE(refuses<two>(function_of_references));
  EXPECT_FALSE(refuses<two>(object_of_references<double>{}));
  EXPECT_FALSE(refuses<two>(template_of_references{}));
  EXPECT_FALSE((refuses<two>(std::function<void(double, const two&, two&)>())));
  const object_of_references<double> model;
  EXPECT_FALSE(refuses<two>(std::ref(model)));
}

TEST(by_value, of_parameters_only_dx_is_asked) {
  using p = vec<double, 1>;
  const auto refused = []<class F>(const F&) { return detail::takes_derivative_by_value<F, two, p>(); };
  EXPECT_TRUE(refused([](auto, const auto& x, auto dx, const auto& k) { dx[0] = k[0] * x[0]; }));
  EXPECT_TRUE(refused([](double, auto x, auto dx, auto k) { dx[0] = k[0] * x[0]; }));
  EXPECT_TRUE(refused([](double, const two& x, two dx, const p& k) { dx[0] = k[0] * x[0]; }));
  EXPECT_FALSE(refused([](double, const two& x, two& dx, p k) { dx[0] = k[0] * x[0]; }));
  EXPECT_FALSE(refused([](auto, auto x, auto& dx, auto k) { dx[0] = k[0] * x[0]; }));
}

#if __has_include(<Eigen/Core>)
TEST(by_value, of_eigen_the_vectors_and_not_the_views) {
  using vector = Eigen::VectorXd;
  EXPECT_TRUE(refuses<vector>([](double, const vector&, vector dx) { dx[0] = 0; }));
  EXPECT_TRUE(refuses<vector>([](double, const auto&, auto dx) { dx[0] = 0; }));
  EXPECT_TRUE(refuses<vector>([](double, const vector&, Eigen::Vector2d dx) { dx[0] = 0; })) << "converted";
  EXPECT_FALSE(refuses<vector>([](double, const vector&, Eigen::Ref<vector> dx) { dx[0] = 0; }));
  EXPECT_FALSE(refuses<vector>([](double, const vector&, vector& dx) { dx[0] = 0; }));
}
#endif

}  // namespace
