// expect: ensue: the elements of a state are float, double, long double, dual or pack
// lines: 12
#include <ensue/numbers/scalar.hpp>

ensue::real_of<int> step_size;
