/// Steinebach's Rosenbrock method of order 5 with a dense output of order 4: the first choice for stiff problems of moderate size.
#pragma once

#include <ensue/methods/implicit/rosenbrock_driver.hpp>

namespace ensue {

/// G. Steinebach (2023), "Construction of Rosenbrock–Wanner method Rodas5P and numerical benchmarks within the Julia Differential
/// Equations package", BIT Numer. Math. 63, 27. Digits as in SciML/OrdinaryDiffEq.jl, `RODAS5P`, by the same author. Of order 5, with an
/// embedded solution of order 4; L-stable and stiffly accurate: the new state is the last stage's argument plus u₈, and u₈ is the error.
/// Its coefficients are made so that the Prothero–Robinson problem is solved with little loss of order.
struct rodas5p {
  static constexpr const char* name = "rodas5p";
  static constexpr const char* citation = "Steinebach (2023), BIT Numer. Math. 63, 27";
  static constexpr bool takes_mass_matrix = true;  ///< the family is made for algebraic equations of index 1 as well
  static constexpr rosenbrock_table<8, 3> table = {
      .order = 5,
      .embedded_order = 4,
      .dense_order = 4,
      .gamma = 0.21193756319429014L,
      .alpha =
          {0, 0.6358126895828704L, 0.4095798393397535L, 0.9769306725060716L, 0.4288403609558664L, 1, 1, 1},
      .gamma_sum =
          {0.21193756319429014L, -0.42387512638858027L, -0.3384627126235924L, 1.8046452872882734L, 2.325825639765069L, 0, 0, 0},
      .a = {
            {},
            {3.0L},
            {2.849394379747939L, 0.45842242204463923L},
            {-6.954028509809101L, 2.489845061869568L, -10.358996098473584L},
            {2.8029986275628964L, 0.5072464736228206L, -0.3988312541770524L, -0.04721187230404641L},
            {-7.502846399306121L, 2.561846144803919L, -11.627539656261098L, -0.18268767659942256L, 0.030198172008377946L},
            {-7.502846399306121L, 2.561846144803919L, -11.627539656261098L, -0.18268767659942256L, 0.030198172008377946L, 1},
            {-7.502846399306121L, 2.561846144803919L, -11.627539656261098L, -0.18268767659942256L, 0.030198172008377946L, 1, 1}},
      .c = {
            {},
            {-14.155112264123755L},
            {-17.97296035885952L, -2.859693295451294L},
            {147.12150275711716L, -1.41221402718213L, 71.68940251302358L},
            {165.43517024871676L, -0.4592823456491126L, 42.90938336958603L, -5.961986721573306L},
            {24.854864614690072L, -3.0009227002832186L, 47.4931110020768L, 5.5814197821558125L, -0.6610691825249471L},
            {30.91273214028599L, -3.1208243349937974L, 77.79954646070892L, 34.28646028294783L, -19.097331116725623L,
             -28.087943162872662L},
            {37.80277123390563L, -3.2571969029072276L, 112.26918849496327L, 66.9347231244047L, -40.06618937091002L,
             -54.66780262877968L, -9.48861652309627L}},
      .m =
          {-7.502846399306121L, 2.561846144803919L, -11.627539656261098L, -0.18268767659942256L, 0.030198172008377946L, 1, 1, 1},
      .error = {0, 0, 0, 0, 0, 0, 0, 1},
      .dense = {
            {25.948786856663858L, -2.5579724845846235L, 10.433815404888879L, -2.3679251022685204L, 0.524948541321073L,
             1.1241088310450404L, 0.4272876194431874L, -0.17202221070155493L},
            {-9.91568850695171L, -0.9689944594115154L, 3.0438037242978453L, -24.495224566215796L, 20.176138334709044L,
             15.98066361424651L, -6.789040303419874L, -6.710236069923372L},
            {11.419903575922262L, 2.8879645146136994L, 72.92137995996029L, 80.12511834622643L, -52.072871366152654L,
             -59.78993625266729L, -0.15582684282751913L, 4.883087185713722L}}};
};
static_assert(is_l_stable(rodas5p::table));

}  // namespace ensue
