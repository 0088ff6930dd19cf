// Compiled once per library; all other calls are shared.
#include "traces/cuda/blas/context.h"

const int strata::cuda::blas::library_major = STRATA_CUBLAS_MAJOR;
