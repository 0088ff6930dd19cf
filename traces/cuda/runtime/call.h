#pragma once

#include <utility>

#include "traces/cuda/device/guarded.h"

namespace strata::cuda {

/// Of this thread, until cudaGetLastError.
int& last_error();

/// The body of a call of the runtime.
template <class Body>
int call(Body&& body) {
  const int code = guarded(std::forward<Body>(body));
  if (code != success) last_error() = code;
  return code;
}

}  // namespace strata::cuda
