#pragma once

#include "traces/cuda/device/guarded.h"
#include "traces/cuda/device/streams.h"

/// What all files of the driver library need: pointers of programs are numbers or void*, contexts and devices
/// are one.
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

}  // namespace strata::cuda
