// As sculpting.cpp, of which it is a part of its own because compilers take a while for either.
#include "sculpting/sculpting_lanes.hpp"

#define ENSUE_JOINED(a, b) a##b
#define ENSUE_NAME(set) ENSUE_JOINED(share_of_sculpting_, set)

namespace ensue {

batch_report ENSUE_NAME(ENSUE_LANES)(const sculpting_job<double>& job, shared_work& work) {
  return share_of_sculpting<number_of_lanes<double, preferred_lanes<double>>>(job, work);
}

}  // namespace ensue
