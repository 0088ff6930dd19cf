// Compiled once for each library; all other calls are the same in all of them.
#include "traces/cuda/blas/context.h"

const int strata::cuda::blas::library_major = STRATA_CUBLAS_MAJOR;
