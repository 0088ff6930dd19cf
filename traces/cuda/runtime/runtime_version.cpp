// Compiled once for each library; all other calls are the same in all of them.
#include "traces/cuda/runtime/call.h"

const int strata::cuda::runtime_major = STRATA_CUDART_MAJOR;
