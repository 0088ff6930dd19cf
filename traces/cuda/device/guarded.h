#pragma once

#include <exception>
#include <mutex>
#include <new>

#include "traces/cuda/device/device.h"

#define STRATA_CUDA_CALL extern "C" __attribute__((visibility("default"))) int
#define STRATA_CUDA_ENTRY extern "C" __attribute__((visibility("default")))
/// Another name of a call: those of the per-thread default stream, which is a stream like any.
#define STRATA_CUDA_ALIAS(other, call) \
  extern "C" __attribute__((visibility("default"), alias(#call))) decltype(call) other;

namespace strata::cuda {

/// The body of a call: one at a time, its errors as codes. A kernel fault is the result of every call behind
/// it.
template <class Body>
int guarded(Body&& body) {
  Device& device = Device::get();
  const std::lock_guard<std::recursive_mutex> lock(device.mutex);
  int code = device.tell_broken();
  try {
    if (code == success) body(device);
  } catch (const CallError& error) {
    code = error.code;
  } catch (const std::bad_alloc&) {
    code = out_of_memory;
  } catch (const std::exception&) {
    code = unknown_error;
  }
  return code;
}

}  // namespace strata::cuda
