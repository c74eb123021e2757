/// The twelve problems whose costs are guarded, and which methods run on which: nonstiff ones, mechanics, stiff ones, a tumbling box.
#pragma once

#include <ensue/models/detest.hpp>
#include <ensue/models/pleiades.hpp>
#include <ensue/models/rigid_body.hpp>
#include <ensue/models/stiff.hpp>
#include <ensue/registry.hpp>

#include "methods/second_order/models.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ensue::tests {

enum class problem_kind : unsigned char { nonstiff, mechanics, stiff, rotation };

struct guarded_problem {
  std::string name;
  problem_kind kind;
  system_function f;
  std::vector<double> start;
  double to;              ///< from 0
  double step;            ///< of methods that do not choose it
  double least_size = 1;  ///< atol/rtol: the size below which a component is noise

  /// Those for stiff problems are tried with nonstiff ones, too; mechanics is for those that are not paid for with a Jacobian.
  bool fits(const method_info& method) const {
    if (!refusal(method, f.force()).empty()) return false;
    if (kind == problem_kind::rotation) return is_for_groups(method.needs);
    if (kind == problem_kind::stiff) return method.evaluations.differentiates;
    return kind == problem_kind::nonstiff || !method.evaluations.differentiates;
  }

  /// As tight as methods of that order are used: each takes some hundred steps.
  options<std::span<double>> settings(const method_info& method) const {
    if (!method.adaptive) return {.step = step};
    const double rtol = method.order < 3 ? 1e-3 : method.order < 6 ? 1e-6 : 1e-9;
    return {.rtol = rtol, .atol = rtol * least_size};
  }
};

inline const std::vector<guarded_problem>& guarded_problems() {
  static const std::vector<guarded_problem> all = [] {
    using namespace models;
    std::vector<guarded_problem> made;
    const auto add = [&]<class Model>(problem_kind kind, const Model& model, double step,
                                      double least_size = 1) -> guarded_problem& {
      const auto start = model.start();
      return made.emplace_back(
          guarded_problem{Model::name, kind, model, {start.begin(), start.end()}, model.span().to, step, least_size});
    };
    add(problem_kind::nonstiff, detest_a3<double>{}, 0.02);
    add(problem_kind::nonstiff, detest_b1<double>{}, 0.02);
    add(problem_kind::nonstiff, detest_b5<double>{}, 0.02);
    made.push_back({"henon_heiles", problem_kind::mechanics, henon_heiles{}, henon_heiles_start, 20, 0.02});
    made.push_back({"pushed_pendulums", problem_kind::mechanics, pushed_pendulums{}, pendulums_start, 50, 0.05});
    made.push_back({"dragged_pendulums", problem_kind::mechanics, dragged_pendulums{}, pendulums_start, 50, 0.05});
    add(problem_kind::mechanics, pleiades<double>{}, 0.001);
    add(problem_kind::stiff, hires<double>{}, 0.5, 1e-3);
    add(problem_kind::stiff, orego<double>{}, 0.05);
    add(problem_kind::stiff, rober<double>{}, 0.4, 1e-6).to =
        400;  // beyond that it is for L-stable ones alone: the trapezoid takes millions of steps
    add(problem_kind::stiff, vdpol<double>{}, 1e-3);
    const auto spinning = thrown_box::body().spinning(thrown_box::spin());
    made.push_back({"thrown_box",
                    problem_kind::rotation,
                    thrown_box::body(),
                    {spinning.data(), spinning.data() + spinning.size()},
                    thrown_box::span,
                    0.01});
    return made;
  }();
  return all;
}

}  // namespace ensue::tests
