/// An explicit method while that pays, an implicit one while the problem is stiff.
///
///     ensue::solve(f, x0, {0, 1e5}, ensue::automatic{}, {.rtol = 1e-5})
#pragma once

#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/methods/explicit/vern7.hpp>
#include <ensue/methods/implicit/automatic_driver.hpp>
#include <ensue/methods/implicit/bdf.hpp>
#include <ensue/methods/implicit/own_properties.hpp>
#include <ensue/methods/implicit/radau.hpp>
#include <ensue/methods/implicit/rodas5p.hpp>

namespace ensue {

/// The first choice where nothing is known of a problem: tsit5, or vern7 where many digits are asked for; while it is stiff rodas5p, or
/// radau for many digits, or bdf for many components. Fixed steps are those of the implicit half.
struct automatic {
  static constexpr const char* name = "auto";
  static constexpr const char* citation =
      "changes as LSODA does: Petzold (1983), SIAM J. Sci. Stat. Comput. 4, 136-148";
  using loose = tsit5;
  using tight = vern7;
  using stiff = rodas5p;
  using precise = radau;
  using large = bdf;
  static constexpr double tight_below = 1e-6;    ///< rtol
  static constexpr std::size_t large_from = 64;  ///< components
  /// h|λ| as a part of the stability limit, above which the implicit half is cheaper. Where it has the same order, it gains nothing before
  /// stability limits the explicit steps; that of many digits takes longer steps than vern7 also where they are limited by accuracy, the
  /// longer the more digits, since its order is higher: part and score are those of rtol = 1e-7, and go with this power of it.
  static constexpr double loose_part = 0.6, tight_part = 0.18;
  static constexpr double score_to_change = 2.2;  ///< parts above that, added up
  static constexpr double patience_power = 1. / 9;
  static constexpr double small_part = 0.5;     ///< the same, below which the explicit half is cheaper
  static constexpr int calm_steps = 5;          ///< so many such steps in a row before it is taken
  static constexpr own_properties properties{.order = 5,
                                             .embedded_order = 4,
                                             .stages = stiff::table.stages,
                                             .start_evaluations = 1,
                                             .evaluations = 1,
                                             .a_stable = true,
                                             .l_stable = true};
  template <class State> using stepper = automatic_stepper<automatic, State>;
};

}  // namespace ensue
