/// Libraries on the stiff problems, and what their runs are compared with.
#pragma once

#include "../stiff_problems.hpp"
#include "entrant.hpp"
#include "reference.hpp"

namespace bench {

void enter_stiff_ensue(std::vector<entrant>& all);
void enter_stiff_odeint(std::vector<entrant>& all);
void enter_stiff_gsl(std::vector<entrant>& all);
void enter_stiff_cvode(std::vector<entrant>& all);
void enter_stiff_arkode(std::vector<entrant>& all);

/// For each problem two runs of Radau's methods, with seven and five stages, in long double.
std::vector<reference_maker> stiff_references();

}  // namespace bench
