/// A model's own f' behind one type, over doubles: in whichever of the forms it writes, with what it says of its pattern.
#pragma once

#include <ensue/model/jacobian.hpp>
#include <ensue/linear/banded.hpp>
#include <ensue/linear/sparse.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace ensue {

class jacobian_function {
 public:
  using full = linear::dense_matrix<double>;
  using band = linear::banded_matrix<double>;
  using sparse = linear::sparse_matrix<double>;

  jacobian_function() = default;
  /// What the model offers; nothing is no mistake. (Its copies are its own, as those of f.)
  template <class Model> explicit jacobian_function(const Model& model) {
    if constexpr (requires { model.jacobian_pattern(); })
      pattern_ = std::make_shared<const linear::sparsity_pattern>(model.jacobian_pattern());
    if constexpr (requires { model.jacobian_bandwidth(); }) band_ = model.jacobian_bandwidth();
    offered_[0] = writes<full>(model), offered_[1] = writes<band>(model), offered_[2] = writes<sparse>(model);
    if (!offered_[0] && !offered_[1] && !offered_[2]) return;
    write_ = [f = model](double t, std::span<double> x, const target& to) mutable {
      return std::visit([&](auto* j) { return write(f, t, x, *j); }, to);
    };
  }

  template <class Matrix> bool offers() const { return offered_[target(static_cast<Matrix*>(nullptr)).index()]; }
  template <class Matrix> bool operator()(double t, std::span<const double> x, Matrix& j) const {
    // As solvers with states of this type hand it over.
    return write_(t, {const_cast<double*>(x.data()), x.size()}, target(&j));
  }

  /// Without rows where the model says nothing.
  linear::sparsity_pattern pattern() const { return pattern_ ? *pattern_ : linear::sparsity_pattern(); }
  std::optional<linear::bandwidth> bandwidth() const { return band_; }

 private:
  using target = std::variant<full*, band*, sparse*>;

  template <class Model, class Matrix> static bool write(Model& f, double t, std::span<double> x, Matrix& j) {
    if constexpr (can_write<Model, Matrix>) return detail::defined_by<bool>([&] { return f.jacobian(t, x, j); });
    else return false;
  }

  /// (A model that says nothing of a pattern is not asked whether it writes one: its body may be for full matrices only.)
  template <class Model, class Matrix> static constexpr bool can_write = [] {
    constexpr bool is_full = std::is_same_v<Matrix, full>;
    constexpr bool has_form = requires(const Model& m) { m.jacobian_pattern(); } || requires(const Model& m) { m.jacobian_bandwidth(); };
    if constexpr (is_full || has_form) return has_jacobian<Model, std::span<double>, Matrix>;
    else return false;
  }();
  template <class Matrix, class Model> static bool writes(const Model& model) {
    if constexpr (can_write<Model, Matrix>) return detail::offers_jacobian<Model, std::span<double>, Matrix>(model);
    else return false;
  }

  std::function<bool(double, std::span<double>, const target&)> write_;
  std::shared_ptr<const linear::sparsity_pattern> pattern_;
  std::optional<linear::bandwidth> band_;
  bool offered_[3] = {};
};

}  // namespace ensue
