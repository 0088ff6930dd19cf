#pragma once

#include "traces/cuda/blas/context.h"

/// A call that is not there: named once, and refused.
#define ABSENT(call)                                                          \
  STRATA_CUDA_CALL call() {                                                   \
    strata::cuda::Device::get().absent(#call, "CUBLAS_STATUS_NOT_SUPPORTED"); \
    return strata::cuda::blas::unsupported;                                   \
  }
