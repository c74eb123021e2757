/// Dormand, El-Mikkawy & Prince 8(6) for q'' = a(t, q): eight evaluations a step, for tight tolerances.
#pragma once

#include <ensue/methods/second_order/nystrom_conditions.hpp>

namespace ensue {

/// J. R. Dormand, M. E. A. El-Mikkawy & P. J. Prince (1987), "High-order embedded Runge–Kutta–Nyström formulae", IMA J. Numer. Anal. 7,
/// 423–430 (RKN8(6)9FM). The interpolant is our own: the stages satisfy all conditions of order 5 for velocities at every θ, and with the
/// freedom left those of order 6 to 1 %; its ends have the step's positions, velocities and accelerations.
struct rkn86 {
  static constexpr const char* name = "rkn86";
  static constexpr const char* citation =
      "Dormand, El-Mikkawy & Prince (1987), IMA J. Numer. Anal. 7, 423-430, RKN8(6)9FM";
  static constexpr nystrom_table<9, 6> table = {
      .c = {0, ratio(1, 20), ratio(1, 10), ratio(3, 10), 0.5L, ratio(7, 10), ratio(9, 10), 1, 1},
      .a = {{},
            {ratio(1, 800)},
            {ratio(1, 600), ratio(1, 300)},
            {ratio(9, 200), ratio(-9, 100), ratio(9, 100)},
            {ratio(-66701, 197352), ratio(28325, 32892), ratio(-2665, 5482), ratio(2170, 24669)},
            {ratio(227015747, 304251000), ratio(-54897451, 30425100), ratio(12942349, 10141700), ratio(-9499, 304251),
             ratio(539, 9250)},
            {ratio(-1131891597, 901789000), ratio(41964921, 12882700), ratio(-6663147, 3220675), ratio(270954, 644135),
             ratio(-108, 5875), ratio(114, 1645)},
            {ratio(13836959, 3667458), ratio(-17731450, 1833729), ratio(1063919505, 156478208),
             ratio(-33213845, 39119552), ratio(13335, 28544), ratio(-705, 14272), ratio(1645, 57088)},
            {ratio(223, 7938), 0, ratio(1175, 8064), ratio(925, 6048), ratio(41, 448), ratio(925, 14112),
             ratio(1175, 72576)}},
      .solution = {8,
                   {ratio(223, 7938), 0, ratio(1175, 8064), ratio(925, 6048), ratio(41, 448), ratio(925, 14112),
                    ratio(1175, 72576)},
                   {ratio(223, 7938), 0, ratio(5875, 36288), ratio(4625, 21168), ratio(41, 224), ratio(4625, 21168),
                    ratio(5875, 36288), ratio(223, 7938)}},
      .embedded = {6,
                   {ratio(7987313, 109941300), 0, ratio(1610737, 44674560), ratio(10023263, 33505920),
                    ratio(-497221, 12409600), ratio(10023263, 78180480), ratio(1610737, 402071040)},
                   {ratio(7987313, 109941300), 0, ratio(1610737, 40207104), ratio(10023263, 23454144),
                    ratio(-497221, 6204800), ratio(10023263, 23454144), ratio(1610737, 40207104),
                    ratio(-4251941, 54970650), ratio(3, 20)}},
      .dense_order = 5,
      .dense = {{1.00000000000000000000000L, -8.11492462521888017232629L, 27.1079155511036112941978L,
                 -43.3984831717815622475148L, 33.1014745025412655723385L, -9.66788953807552540159566L},
                {},
                {0, 10.0386549957039785887107L, -46.9483492486957974221183L, 86.1122613790086078849901L,
                 -70.5626994921002352129654L, 21.5220316165243632689667L},
                {0, -1.51721209266965017400078L, 22.3317862572518721290594L, -59.0677549756397420999738L,
                 58.5199405932863687355301L, -20.0482696083815318861553L},
                {0, -2.11012031719307531313311L, 7.96566634224153799987922L, -4.65174204004644293964450L,
                 -5.05481939214514115353049L, 4.03405112142883569214317L},
                {0, 3.08089513583326178214858L, -20.5577116682172763616719L, 46.6102026582531435914730L,
                 -42.5599098121036049997674L, 13.6450138600817926922772L},
                {0, -2.27024788199386313790802L, 16.9782872199070980392904L, -44.1231336383108698661424L,
                 47.3637926475214008115483L, -17.7867990966828487392045L},
                {0, -1.51002695300787555069606L, 10.0410109518068485824633L, -23.3963030962641980302625L,
                 22.8782374605528067865164L, -7.98482564451867274292163L},
                {0, 2.40298173854610397720499L, -16.9186054053978942611000L, 41.9149528847810637070749L,
                 -43.6860165075528605396699L, 16.2866872896235871164900L}}};
};
static_assert(satisfies_stated_orders(rkn86::table));

}  // namespace ensue
