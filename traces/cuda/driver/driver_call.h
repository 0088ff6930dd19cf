#pragma once

#include <functional>

#include "traces/cuda/device/device.h"
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/device/streams.h"

/// Shared by all files of the driver library: pointers of programs are numbers or void*; there is one context
/// and one device.
namespace strata::cuda {

using abi::Handle;

inline Address address(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}
inline void* pointer(Address at) {
  return reinterpret_cast<void*>(at);
}
template <class T>
T& at(Handle handle) {
  if (handle == nullptr) throw CallError(invalid_handle);
  return *static_cast<T*>(handle);
}

/// CUDA_MEMCPY3D, whose layout is in array_calls.cpp; nodes of graphs use its copy.
struct DriverCopy3D;
std::function<void(Device&)> copy_of(const DriverCopy3D& what);
/// Values by pointer, or packed in a buffer that a list of options names: 1 the buffer, 2 its size, 0 the
/// end. Throws CallError.
Launch prepare_launch(Device& device, abi::Handle function, Dim3 grid, Dim3 block, unsigned shared,
                      void** values, void** extra, Attributes attributes = {});

}  // namespace strata::cuda

/// A call that is not implemented: it is reported once and returns an error (absent_calls.txt).
#define ABSENT(call)                                                              \
  STRATA_CUDA_CALL call() {                                                       \
    return strata::cuda::Device::get().absent(#call, "CUDA_ERROR_NOT_SUPPORTED"); \
  }
