/// A model's mass matrix behind one type, over doubles: in whichever form f' has.
#pragma once

#include <ensue/model/mass_matrix.hpp>
#include <ensue/linear/banded.hpp>
#include <ensue/linear/dense.hpp>
#include <ensue/linear/sparse.hpp>

#include <functional>
#include <memory>
#include <variant>

namespace ensue {

class mass_function {
 public:
  /// (Its copy of the model is its own.)
  template <class Model> explicit mass_function(const Model& model) {
    if constexpr (requires { model.mass_pattern(); })
      pattern_ = std::make_shared<const linear::sparsity_pattern>(model.mass_pattern());
    write_ = [f = model](const target& to) { std::visit([&f](auto* m) { detail::write_mass_matrix(f, *m); }, to); };
  }

  template <class Matrix> void operator()(Matrix& m) const { write_(target(&m)); }
  /// Without rows where the model says nothing.
  linear::sparsity_pattern pattern() const { return pattern_ ? *pattern_ : linear::sparsity_pattern(); }

 private:
  using target = std::variant<linear::dense_matrix<double>*, linear::banded_matrix<double>*, linear::sparse_matrix<double>*>;

  std::function<void(const target&)> write_;
  std::shared_ptr<const linear::sparsity_pattern> pattern_;
};

}  // namespace ensue
