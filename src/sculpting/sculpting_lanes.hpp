/// What of sculpting is compiled for several instruction sets (cmake/lanes.cmake) and chosen when it runs.
#pragma once

#include "sculpting/sculpting.hpp"

#include <ensue/batch/batch.hpp>
#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>
#include <ensue/models/kelvinlet.hpp>

namespace ensue {

/// Vertices, their spans, and one field that moves them. T: float or double.
template <class T> struct sculpting_job {
  batch_task<trajectory_table<T, 3>, detail::no_parameters> task;
  sculpting_method method;
  const models::kelvinlet_field<T, 1>* one_kelvinlet = nullptr;
  const models::kelvinlet_field<T, 2>* two_kelvinlets = nullptr;
  const models::affine_move<T, 2>* affine = nullptr;
  options<std::span<double>> settings = {};
};

/// A thread's share of a job, with numbers of this kind.
template <class Number> batch_report share_of_sculpting(const sculpting_job<base_of<Number>>& job, shared_work& work) {
  const auto with_method = [&](const auto& field) {
    const auto run = [&](const auto& method) {
      return advance_share<Number, batch_steps::adaptive>(field, method, job.settings, job.task, work);
    };
    switch (job.method) {
      case sculpting_method::bs32: return run(bs32{});
      case sculpting_method::tsit5: return run(tsit5{});
      case sculpting_method::dp54: break;
    }
    return run(dp54{});
  };
  if (job.one_kelvinlet) return with_method(*job.one_kelvinlet);
  if (job.two_kelvinlets) return with_method(*job.two_kelvinlets);
  return with_method(*job.affine);
}

batch_report share_of_sculpting_scalar(const sculpting_job<float>& job, shared_work& work);
batch_report share_of_sculpting_scalar(const sculpting_job<double>& job, shared_work& work);
batch_report share_of_sculpting_baseline(const sculpting_job<float>& job, shared_work& work);
batch_report share_of_sculpting_baseline(const sculpting_job<double>& job, shared_work& work);
batch_report share_of_sculpting_avx2(const sculpting_job<float>& job, shared_work& work);
batch_report share_of_sculpting_avx2(const sculpting_job<double>& job, shared_work& work);
batch_report share_of_sculpting_avx512(const sculpting_job<float>& job, shared_work& work);
batch_report share_of_sculpting_avx512(const sculpting_job<double>& job, shared_work& work);

}  // namespace ensue
