// One vertex after the other: `--backend scalar`, which is compared with lanes. Nobody waits for its answers, so it is compiled quickly (CMakeLists.txt).
#include "sculpting/sculpting_lanes.hpp"

namespace ensue {

batch_report share_of_sculpting_scalar(const sculpting_job<float>& job, shared_work& work) { return share_of_sculpting<float>(job, work); }
batch_report share_of_sculpting_scalar(const sculpting_job<double>& job, shared_work& work) { return share_of_sculpting<double>(job, work); }

}  // namespace ensue
