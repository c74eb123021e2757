/// Kennedy & Carpenter's method of order 4 with seven stages: for moderate tolerances, where f' is dear.
#pragma once

#include <ensue/methods/explicit/tableau.hpp>
#include <ensue/methods/implicit/dirk_driver.hpp>

namespace ensue {

/// C. A. Kennedy & M. H. Carpenter (2016), "Diagonally implicit Runge–Kutta methods for ordinary differential equations. A review",
/// NASA/TM–2016–219173, ESDIRK4(3)7L[2]SA; digits as in SUNDIALS' ARKODE, whose authors had them from theirs. Of order 4 with an embedded
/// solution of order 3, both L-stable, stage order 2, all nodes inside the step. (Their method of six stages has a node at 1.04 h; that of
/// the additive pair of 2003 thirteen times this one's error.) As printed: the nodes, and every row without its first element. The estimate
/// is taken four times: a method so much better than its companion takes long steps, whose errors come to 400 tolerances on the Oregonator.
struct esdirk4 {
  static constexpr const char* name = "esdirk4";
  static constexpr const char* citation = "Kennedy & Carpenter (2016), NASA/TM-2016-219173";
  static constexpr dirk_table<7> table = with_first_elements(
      dirk_table<7>{.order = 4,
                    .embedded_order = 3,
                    .gamma = 0.125L,
                    .a = {{},
                          {0},
                          {0, ratio(-39188347878, 1513744654945)},
                          {0, ratio(1748874742213, 5168247530883), ratio(-1748874742213, 5795261096931)},
                          {0, ratio(-6429340993097, 17896796106705), ratio(9711656375562, 10370074603625),
                           ratio(1137589605079, 3216875020685)},
                          {0, ratio(405169606099, 1734380148729), ratio(-264468840649, 6105657584947),
                           ratio(118647369377, 6233854714037), ratio(683008737625, 4934655825458)},
                          {0, ratio(-5649241495537, 14093099002237), ratio(5718691255176, 6089204655961),
                           ratio(2199600963556, 4241893152925), ratio(8860614275765, 11425531467341),
                           ratio(-3696041814078, 6641566663007)}},
                    .embedded = {0, ratio(-1517409284625, 6267517876163), ratio(8291371032348, 12587291883523),
                                 ratio(5328310281212, 10646448185159), ratio(5405006853541, 7104492075037),
                                 ratio(-4254786582061, 7445269677723), ratio(19, 140)},
                    .probe = dirk_probe::defect,
                    .caution = 4},
      {0, 0.25L, ratio(1200237871921, 16391473681546), 0.5L, ratio(395, 567), ratio(89, 126), 1});
};
static_assert(is_l_stable(esdirk4::table));

}  // namespace ensue
