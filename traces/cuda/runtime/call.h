#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "traces/cuda/app_options.h"
#include "traces/cuda/device/device.h"
#include "traces/cuda/device/graph_nodes.h"

namespace strata::cuda {

/// Error of this thread, until cudaGetLastError.
int& last_error();

/// The body of a call of the runtime. "Not ready" is no error for cudaGetLastError (CUDA C++ Programming
/// Guide, "Error Checking").
template <class Body>
int call(Body&& body) {
  const int code = guarded(std::forward<Body>(body));
  if (code != success && code != not_ready) last_error() = code;
  return code;
}

/// The kernel that the program registered for a host function. Throws CallError.
Function& function_of(const void* host);
/// The host function of a kernel; null if there is none.
const void* host_of(const Function& function);
/// Address of the variable that the program registered for a host variable. Throws CallError.
Address symbol_address(Device& device, const void* host, std::uint64_t* bytes = nullptr);

/// Actions of nodes with these parameters.
std::function<void(Device&)> copy_of(const abi::Copy3D& what);
Launch launch_of(Device& device, const abi::KernelNode& node);

/// Major version of the runtime library.
extern const int runtime_major;

/// Writes the cudaDeviceProp of runtime 11, 12 or 13, which differ.
void write_properties(const DeviceDescription& device, int runtime, void* to);

}  // namespace strata::cuda

/// A call that is not implemented: it is reported once and returns an error (absent_calls.txt).
#define ABSENT(call)                                                               \
  STRATA_CUDA_CALL call() {                                                        \
    return strata::cuda::last_error() = strata::cuda::Device::get().absent(#call); \
  }
