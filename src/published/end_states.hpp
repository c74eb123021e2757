/// Where the reference problems (models/detest.hpp, models/pleiades.hpp, models/stiff.hpp) end: x at t = 20, for pleiades at t = 3, for the
/// stiff ones at the end of their span.
///
/// Digits: computed in IEEE binary128 by other methods than ours: Radau IIA of order 13 with step doubling, rtol 1e-20 to
/// 1e-21, atol 1e-30; pleiades by extrapolation of order 24, rtol 1e-22. They agree with the published end states to as many
/// digits as those have (13 to 16; A1 and B3, whose first components end at 2e-9, to 7): for DETEST
/// akroshko/odetojava referenceSolutions/nonstiff*Reference.txt and the digits of EVALU in Enright & Pryce (1987), ACM TOMS
/// 13, 28 (Algorithm 648); for pleiades and the stiff ones cran/deTestSet src/Ex_*.f and R/ex_*.R, and volpatto/pside vdpol.f, from the
/// Test Set for IVP Solvers, release 2.4, University of Bari.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ensue {

struct end_state {
  std::string_view problem;
  std::vector<long double> x;
};

inline const std::vector<end_state>& end_states() {
  static const std::vector<end_state> all = {
      {"A1", {2.061153622438557827966e-09L}},
      {"A2", {2.182178902359923812661e-01L}},
      {"A3", {2.491650271850414523461e+00L}},
      {"A4", {1.773016648131483984887e+01L}},
      {"A5", {-7.887826688964014237307e-01L}},
      {"B1", {6.761876008576606607256e-01L, 1.860816099640029800751e-01L}},
      {"B2", {1.000000001030576811219e+00L, 1.000000000000000000000e+00L, 9.999999989694231887807e-01L}},
      {"B3", {2.061153622438557827966e-09L, 5.257228022048512528881e-02L, 9.474277177183612522726e-01L}},
      {"B4", {9.826950928006530499325e-01L, 2.198447081694929702246e+00L, 9.129452507276276543761e-01L}},
      {"B5", {-9.396570798729203961884e-01L, -3.421177754000749065348e-01L, 7.414126596199953007826e-01L}},
      {"D1",
       {2.198835352008396612849e-01L, 9.427076846341813085212e-01L, -9.787659841058176514577e-01L,
        3.287977990962036082625e-01L}},
      {"D2",
       {-1.777027357140411693320e-01L, 9.467784719905892580435e-01L, -1.030294163192969574011e+00L,
        1.211074890053952163349e-01L}},
      {"D3",
       {-5.780432953035361232752e-01L, 8.633840009194192801336e-01L, -9.595083730380727356264e-01L,
        -6.504915126712090167721e-02L}},
      {"D4",
       {-9.538990293416394397393e-01L, 6.907409024219431516987e-01L, -8.212674270877433094538e-01L,
        -1.539574259125824707994e-01L}},
      {"D5",
       {-1.295266250987574367717e+00L, 4.003938963792321527297e-01L, -6.775390924707565887475e-01L,
        -1.270838154278686187669e-01L}},
      {"pleiades", {3.706139143970512900833e-01L,  3.237284092057233092803e+00L,  -3.222559032418323347101e+00L,
                    6.597091455775308359361e-01L,  3.425581707156579790379e-01L,  1.562172101400631016046e+00L,
                    -7.003092922212495385139e-01L, -3.943437585517392055279e+00L, -3.271380973972549928021e+00L,
                    5.225081843456544192436e+00L,  -2.590612434977469510811e+00L, 1.198213693392274637515e+00L,
                    -2.429682344935823409161e-01L, 1.091449240428979747883e+00L,  3.417003806314314752271e+00L,
                    1.354584501625501221477e+00L,  -2.590065597810775419618e+00L, 2.025053734714241106489e+00L,
                    -1.155815100160449092714e+00L, -8.072988170223021725653e-01L, 5.952396354208718766621e-01L,
                    -3.741244961234008471215e+00L, 3.773459685750629036558e-01L,  9.386858869551078886920e-01L,
                    3.667922227200569866710e-01L,  -3.474046353808494365996e-01L, 2.344915448180936923142e+00L,
                    -1.947020434263291900673e+00L}},
  };
  return all;
}

inline const std::vector<end_state>& stiff_end_states() {
  static const std::vector<end_state> all = {
      {"HIRES",
       {7.371312573325667807277e-04L, 1.442485726316184658188e-04L, 5.888729740967575007485e-05L,
        1.175651343283149145506e-03L, 2.386356198831330468821e-03L, 6.238968252742795786647e-03L,
        2.849998395185768657931e-03L, 2.850001604814231342069e-03L}},
      {"OREGO",
       {1.000814870318522716282e+00L, 1.228178521549887983718e+03L, 1.320554942846508287742e+02L}},
      {"ROBER",
       {2.083340149701294230573e-08L, 8.333360770334783400648e-14L, 9.999999791665151693794e-01L}},
      {"VDPOL",
       {1.706167732170465008478e+00L, -8.928097010248165477786e-01L}},
  };
  return all;
}

/// Throws where there is none: a problem without a reference is a mistake of the test's.
inline const std::vector<long double>& end_state_of(std::string_view problem) {
  for (const auto* const list : {&end_states(), &stiff_end_states()})
    for (const end_state& end : *list)
      if (end.problem == problem) return end.x;
  throw std::out_of_range("no reference for " + std::string(problem));
}

}  // namespace ensue
