#pragma once

#include <utility>

#include "traces/cuda/device/guarded.h"

namespace strata::cuda {

/// Of this thread, until cudaGetLastError.
int& last_error();

/// The body of a call of the runtime. That something is not ready yet is no error to cudaGetLastError (CUDA
/// C++ Programming Guide, "Error Checking").
template <class Body>
int call(Body&& body) {
  const int code = guarded(std::forward<Body>(body));
  if (code != success && code != not_ready) last_error() = code;
  return code;
}

}  // namespace strata::cuda
