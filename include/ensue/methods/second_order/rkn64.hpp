/// Dormand & Prince 6(4) for q'' = a(t, q): five evaluations a step, an interpolant for nothing.
#pragma once

#include <ensue/methods/second_order/nystrom_conditions.hpp>

namespace ensue {

namespace detail {
/// (m + n√8581)/d, as the paper has them.
constexpr long double with_root_8581(long double m, long double n, long double d) {
  return (m + n * 92.63368717696602623990895211L) / d;
}
}  // namespace detail

/// J. R. Dormand & P. J. Prince (1987), "Runge–Kutta–Nyström triples", Comput. Math. Appl. 13, 937–949 (RKN6(4)6FD, with its interpolant);
/// the family is that of J. R. Dormand, M. E. A. El-Mikkawy & P. J. Prince (1987), "Families of Runge–Kutta–Nyström formulae", IMA J.
/// Numer. Anal. 7, 235–250.
struct rkn64 {
  static constexpr const char* name = "rkn64";
  static constexpr const char* citation = "Dormand & Prince (1987), Comput. Math. Appl. 13, 937-949, RKN6(4)6FD";
  static constexpr auto r = detail::with_root_8581;
  static constexpr long double b3 = r(84119543, 366727, 409622616), b4 = r(84119543, -366727, 409622616);
  static constexpr nystrom_table<6, 5> table = {
      .c = {0, r(209, -1, 900), r(209, -1, 450), r(209, 1, 450), ratio(9, 10), 1},
      .a = {{},
            {r(26131, -209, 810000)},
            {r(26131, -209, 607500), r(26131, -209, 303750)},
            {r(980403512254, 7781688431, 11694469921875), r(-1262884486208, -15385481287, 11694469921875),
             r(7166233891441, 78694563299, 46777879687500)},
            {r(-2963340, -28629, 27040000), r(948483, 89937, 13520000), r(-14967675261, -838088829, 464060480000),
             r(1308954321, -10399869, 2745920000)},
            {ratio(329, 4212), 0, b3, b4, ratio(200, 17901)}},
      .solution = {6,
                   {ratio(329, 4212), 0, b3, b4, ratio(200, 17901), 0},
                   {ratio(329, 4212), 0, r(389225579, 96856, 1024056540), r(389225579, -96856, 1024056540),
                    ratio(2000, 17901), ratio(1, 20)}},
      .embedded = {4,
                   {r(2701, 23, 4563), r(-9829, -131, 9126), r(8990, 85, 9126)},
                   {ratio(115, 2106), 0, r(84119543, 366727, 256014135), r(84119543, -366727, 256014135),
                    ratio(6950, 17901), ratio(-1, 10)}},
      .dense_order = 5,
      .dense = {{1, ratio(-15732, 4212), ratio(25544, 4212), ratio(-19095, 4212), ratio(5400, 4212)},
                {},
                {0, r(2196624447, 700780383, 11264621940), r(44381120782, -2219330302, 11264621940),
                 r(-73944708060, 2341646535, 11264621940), r(31648444200, -822031200, 11264621940)},
                {0, r(2196624447, -700780383, 11264621940), r(44381120782, 2219330302, 11264621940),
                 r(-73944708060, -2341646535, 11264621940), r(31648444200, 822031200, 11264621940)},
                {0, ratio(117000, 17901), ratio(-496000, 17901), ratio(651000, 17901), ratio(-270000, 17901)},
                {0, ratio(-702, 220), ratio(3028, 220), ratio(-4115, 220), ratio(1800, 220)}}};
};
static_assert(satisfies_stated_orders(rkn64::table));

}  // namespace ensue
