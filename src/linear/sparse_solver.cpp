#include "linear/sparse_solver.hpp"

#include <ensue/linear/eigen_solver.hpp>

namespace ensue {

bool bring_sparse_solver() {
#if defined(ENSUE_HAS_EIGEN_LU)
  return linear::use_eigen<double>();
#else
  return false;
#endif
}

}  // namespace ensue
