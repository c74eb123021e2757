// Sculpting on a GPU. Vertices go there, are moved and come back in parts, on several streams: while one part is computed, others are on their way.
#include "sculpting/sculpting_gpu.hpp"

#include <ensue/batch/cuda.hpp>
#include <ensue/methods/explicit/bs32.hpp>
#include <ensue/methods/explicit/dp54.hpp>
#include <ensue/methods/explicit/tsit5.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace ensue {
namespace {

constexpr std::size_t streams = 3, vertices_of_part = std::size_t{1} << 17;

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("ensue: the GPU says: ") + cudaGetErrorString(error));
}

template <class T> class device_array {
 public:
  explicit device_array(std::size_t count) { require(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T))); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// The host's memory, held where it is while copies run beside computations. (Where that is refused, they wait for each other.)
class held_memory {
 public:
  held_memory(void* data, std::size_t bytes) : data_(cudaHostRegister(data, bytes, 0) == cudaSuccess ? data : nullptr) { (void)cudaGetLastError(); }
  held_memory(const held_memory&) = delete;
  held_memory& operator=(const held_memory&) = delete;
  ~held_memory() {
    if (data_) cudaHostUnregister(data_);
  }

 private:
  void* data_;
};

/// What a part needs: its own stream and memory.
template <class T> struct lane_of_parts {
  cudaStream_t stream = nullptr;
  device_array<vec<T, 3>> states{vertices_of_part};
  device_array<interval<T>> spans{vertices_of_part};
  device_array<device_ending> endings{vertices_of_part};

  lane_of_parts() { require(cudaStreamCreate(&stream)); }
  lane_of_parts(const lane_of_parts&) = delete;
  lane_of_parts& operator=(const lane_of_parts&) = delete;
  ~lane_of_parts() { cudaStreamDestroy(stream); }
};

batch_report summed(const std::vector<device_ending>& endings) {
  batch_report all;
  all.trajectories = endings.size();
  for (std::size_t i = 0; i < endings.size(); ++i) {
    const device_ending& each = endings[i];
    all.steps += each.steps;
    all.rejected += each.rejected;
    all.evaluations += each.evaluations;
    all.at_smallest_step += each.smallest_step_accepted;
    if (each.how == outcome::finished) {
      ++all.finished;
    } else if (i < all.first_failure) {
      all.first_failure = i;
      all.failure.how = each.how;
      all.failure.t = each.t;
    }
  }
  return all;
}

template <class Method, class Field, class T> batch_report moved_by(const Field& field, const gpu_sculpting_job<T>& job) {
  const cuda_batch<T, 3, Method, Field> move{field, {}, job.settings};
  const std::size_t count = job.vertices.size();
  std::vector<device_ending> endings(count);
  const held_memory vertices(job.vertices.data(), count * sizeof(vec<T, 3>)), results(endings.data(), count * sizeof(device_ending));
  const interval<T>* const each = job.spans.each();
  lane_of_parts<T> lanes[streams];
  for (std::size_t first = 0, part = 0; first < count; first += vertices_of_part, ++part) {
    const lane_of_parts<T>& on = lanes[part % streams];
    const std::size_t size = std::min(vertices_of_part, count - first);
    vec<T, 3>* const here = job.vertices.data() + first;
    require(cudaMemcpyAsync(on.states.data(), here, size * sizeof *here, cudaMemcpyHostToDevice, on.stream));
    if (each) require(cudaMemcpyAsync(on.spans.data(), each + first, size * sizeof *each, cudaMemcpyHostToDevice, on.stream));
    const device_spans<T> spans = each ? device_spans<T>(on.spans.data()) : device_spans<T>(job.spans[0]);
    require(move.advance(on.states.data(), size, spans, nullptr, on.endings.data(), on.stream));
    require(cudaMemcpyAsync(here, on.states.data(), size * sizeof *here, cudaMemcpyDeviceToHost, on.stream));
    require(cudaMemcpyAsync(endings.data() + first, on.endings.data(), size * sizeof(device_ending), cudaMemcpyDeviceToHost, on.stream));
  }
  require(cudaDeviceSynchronize());
  return summed(endings);
}

template <class Field, class T> batch_report moved_with_method(const Field& field, const gpu_sculpting_job<T>& job) {
  switch (job.method) {
    case sculpting_method::bs32: return moved_by<bs32>(field, job);
    case sculpting_method::tsit5: return moved_by<tsit5>(field, job);
    case sculpting_method::dp54: break;
  }
  return moved_by<dp54>(field, job);
}

template <class T> batch_report moved(const gpu_sculpting_job<T>& job) {
  if (job.one_kelvinlet) return moved_with_method(*job.one_kelvinlet, job);
  if (job.two_kelvinlets) return moved_with_method(*job.two_kelvinlets, job);
  return moved_with_method(*job.affine, job);
}

}  // namespace

batch_report sculpt_on_gpu(const gpu_sculpting_job<float>& job) { return moved(job); }
batch_report sculpt_on_gpu(const gpu_sculpting_job<double>& job) { return moved(job); }

std::string why_no_cuda_device() {
  int devices = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) error = cudaFree(nullptr);  // the first call that needs it starts it
  if (error != cudaSuccess) return std::string("no GPU can be used here (") + cudaGetErrorString(error) + ")";
  return devices > 0 ? "" : "there is no GPU here";
}

}  // namespace ensue
