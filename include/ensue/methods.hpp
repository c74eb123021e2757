/// Every method, and the one list of them.
///
///     ensue::solve(f, x0, {0, 10}, ensue::dp54{}, {.rtol = 1e-8})         // a method is a type; a value of it says which one
///
/// A line is `#include <ensue/methods/folder/name.hpp>  // type`: after `//` stand the C++ types that the line registers, without
/// `ensue::`, separated by spaces (so without spaces inside them: `doubling<euler>`). cmake/methods.cmake reads it. From it
/// come the registry, `ensue methods`, the tables of the documentation and every generic test: a method is added by its own
/// file and one line here. The order is the order in which methods are shown; a method made of another comes after it.
#pragma once

// clang-format off: the order has a meaning
#include <ensue/methods/explicit/euler.hpp>     // euler
#include <ensue/methods/explicit/midpoint.hpp>  // midpoint
#include <ensue/methods/explicit/heun.hpp>      // heun
#include <ensue/methods/explicit/rk4.hpp>       // rk4
#include <ensue/methods/explicit/bs32.hpp>      // bs32
#include <ensue/methods/explicit/rkf45.hpp>     // rkf45
#include <ensue/methods/explicit/dp54.hpp>      // dp54
#include <ensue/methods/explicit/tsit5.hpp>     // tsit5
#include <ensue/methods/explicit/vern7.hpp>     // vern7
#include <ensue/methods/explicit/vern9.hpp>     // vern9
#include <ensue/methods/explicit/dop853.hpp>    // dop853
#include <ensue/methods/explicit/doubling.hpp>  // doubling<euler> doubling<midpoint> doubling<rk4>
#include <ensue/methods/second_order/semi_implicit_euler.hpp>   // semi_implicit_euler
#include <ensue/methods/second_order/verlet.hpp>                // verlet
#include <ensue/methods/second_order/leapfrog.hpp>              // leapfrog
#include <ensue/methods/second_order/adaptive_verlet.hpp>       // adaptive_verlet
#include <ensue/methods/second_order/yoshida4.hpp>              // yoshida4
#include <ensue/methods/second_order/mclachlan4.hpp>            // mclachlan4
#include <ensue/methods/second_order/blanes_moan4.hpp>          // blanes_moan4
#include <ensue/methods/second_order/yoshida6.hpp>              // yoshida6
#include <ensue/methods/second_order/kahan_li6.hpp>             // kahan_li6
#include <ensue/methods/second_order/blanes_moan6.hpp>          // blanes_moan6
#include <ensue/methods/second_order/yoshida8.hpp>              // yoshida8
#include <ensue/methods/second_order/mclachlan8.hpp>            // mclachlan8
#include <ensue/methods/second_order/kahan_li8.hpp>             // kahan_li8
#include <ensue/methods/second_order/velocity_adapters.hpp>     // lagged<verlet> predicted<verlet>
#include <ensue/methods/second_order/rkn64.hpp>                 // rkn64
#include <ensue/methods/second_order/rkn86.hpp>                 // rkn86
#include <ensue/methods/second_order/rkn1210.hpp>               // rkn1210
#include <ensue/methods/implicit/implicit_midpoint.hpp>         // implicit_midpoint
#include <ensue/methods/implicit/gauss4.hpp>                    // gauss4
#include <ensue/methods/implicit/gauss6.hpp>                    // gauss6
#include <ensue/methods/implicit/linearly_implicit_euler.hpp>   // linearly_implicit_euler
#include <ensue/methods/implicit/rosenbrock23.hpp>              // rosenbrock23
#include <ensue/methods/implicit/rodas5p.hpp>                   // rodas5p
#include <ensue/methods/implicit/backward_euler.hpp>            // backward_euler
#include <ensue/methods/implicit/trapezoid.hpp>                 // trapezoid
#include <ensue/methods/implicit/trbdf2.hpp>                    // trbdf2
#include <ensue/methods/implicit/esdirk4.hpp>                   // esdirk4
#include <ensue/methods/implicit/radau.hpp>                     // radau
#include <ensue/methods/implicit/bdf.hpp>                       // bdf
#include <ensue/methods/implicit/automatic.hpp>                 // automatic
#include <ensue/methods/rotation/lie_euler.hpp>                 // lie_euler
#include <ensue/methods/rotation/rkmk4.hpp>                     // rkmk4
#include <ensue/methods/rotation/free_rotation.hpp>             // free_rotation
#include <ensue/methods/rotation/rotation_splitting.hpp>        // rotation_splitting
#include <ensue/methods/rotation/moser_veselov.hpp>             // moser_veselov
#include <ensue/methods/rotation/moser_veselov4.hpp>            // moser_veselov4
// clang-format on
