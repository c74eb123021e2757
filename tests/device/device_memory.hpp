/// Memory of the GPU and what goes wrong with it, for the programs of this folder.
#pragma once

#include <cstdio>
#include <vector>

namespace device_test {

inline bool good = true;
inline void check(bool fine, const char* what) {
  if (!fine) std::printf("FAILED: %s\n", what);
  good = good && fine;
}
inline void check(cudaError_t error) { check(error == cudaSuccess, cudaGetErrorString(error)); }

/// The last line, and a program's status.
inline int verdict() {
  std::printf("%s\n", good ? "1 passed, 0 failed" : "0 passed, 1 failed");
  return good ? 0 : 1;
}

template <class T> struct device_memory {
  T* data = nullptr;
  std::size_t count;
  explicit device_memory(std::size_t n) : count(n) { check(cudaMalloc(&data, n * sizeof(T))); }
  explicit device_memory(const std::vector<T>& from) : device_memory(from.size()) { set(from); }
  device_memory(const device_memory&) = delete;
  ~device_memory() { cudaFree(data); }
  void set(const std::vector<T>& from) {
    check(cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> copy(count);
    check(cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
  }
};

/// Milliseconds of what is launched.
template <class Launch> float time_of(Launch launch) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (!begin) check(cudaEventCreate(&begin)), check(cudaEventCreate(&end));
  cudaEventRecord(begin);
  launch();
  cudaEventRecord(end);
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return milliseconds;
}

}  // namespace device_test
