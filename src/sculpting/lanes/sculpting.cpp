// Compiled once for each instruction set; ENSUE_LANES is its name. Nothing here may be an inline function whose name does not tell the sets apart:
// a linker would keep one of them for all (tests/CMakeLists.txt looks).
#include "sculpting/sculpting_lanes.hpp"

#define ENSUE_JOINED(a, b) a##b
#define ENSUE_NAME(set) ENSUE_JOINED(share_of_sculpting_, set)

namespace ensue {

batch_report ENSUE_NAME(ENSUE_LANES)(const sculpting_job<float>& job, shared_work& work) {
  return share_of_sculpting<number_of_lanes<float, preferred_lanes<float>>>(job, work);
}

}  // namespace ensue
