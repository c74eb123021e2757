/// The inner loops of a GPU whose instructions are guarded (gpu_loops.cpp counts them): of what cuda_batch launches, for Lorenz' system and for the field of sculpting.
#include <ensue/batch/cuda.hpp>
#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/models/kelvinlet.hpp>

template <class T> struct lorenz {
  ENSUE_HD ENSUE_INLINE void operator()(T, const ensue::vec<T, 3>& u, ensue::vec<T, 3>& du, const ensue::vec<T, 1>& rho) const {
    du[0] = T(10) * (u[1] - u[0]);
    du[1] = u[0] * (rho[0] - u[2]) - u[1];
    du[2] = u[0] * u[1] - T(8) / T(3) * u[2];
  }
};
using kelvinlet = ensue::models::kelvinlet_field<float, 1>;

template <class T, class Method, class System, std::size_t Parameters> cudaError_t launched(ensue::vec<T, 3>* states) {
  return ensue::cuda_batch<T, 3, Method, System, Parameters>{}.advance(states, 1, {T(0), T(1)});
}
template cudaError_t launched<float, ensue::dp54, lorenz<float>, 1>(ensue::vec<float, 3>*);
template cudaError_t launched<double, ensue::dp54, lorenz<double>, 1>(ensue::vec<double, 3>*);
template cudaError_t launched<float, ensue::dp54, kelvinlet, 0>(ensue::vec<float, 3>*);
template cudaError_t launched<float, ensue::bs32, kelvinlet, 0>(ensue::vec<float, 3>*);
