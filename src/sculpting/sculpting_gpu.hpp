/// Vertices moved on a GPU: what src/sculpting/sculpting.cpp hands over to src/sculpting/cuda/sculpting.cu, which nvcc compiles where ENSUE_CUDA_BACKEND asks for it
/// (cmake/cuda_backend.cmake).
#pragma once

#include "sculpting/sculpting.hpp"

#include <ensue/options.hpp>
#include <ensue/models/kelvinlet.hpp>

#include <string>

namespace ensue {

/// Vertices in the host's memory, their spans, and one field that moves them. T: float or double.
template <class T> struct gpu_sculpting_job {
  std::span<vec<T, 3>> vertices;
  batch_spans<T> spans;
  sculpting_method method;
  options<vec<T, 3>> settings;
  const models::kelvinlet_field<T, 1>* one_kelvinlet = nullptr;
  const models::kelvinlet_field<T, 2>* two_kelvinlets = nullptr;
  const models::affine_move<T, 2>* affine = nullptr;
};

/// In place. Throws std::runtime_error with what CUDA says.
batch_report sculpt_on_gpu(const gpu_sculpting_job<float>& job);
batch_report sculpt_on_gpu(const gpu_sculpting_job<double>& job);

/// Starts the GPU, if it has not been. Why there is none that could be used; empty: there is one.
std::string why_no_cuda_device();

}  // namespace ensue
