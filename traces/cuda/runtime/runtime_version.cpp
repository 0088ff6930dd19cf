// Compiled once per library; all other calls are shared.
#include "traces/cuda/runtime/call.h"

const int strata::cuda::runtime_major = STRATA_CUDART_MAJOR;
