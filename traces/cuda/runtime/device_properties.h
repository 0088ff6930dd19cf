#pragma once

#include "traces/cuda/device_description.h"

namespace strata::cuda {

/// What cudaGetDeviceProperties of runtime 11, 12 or 13 writes: cudaDeviceProp differs between them.
void write_properties(const DeviceDescription& device, int runtime, void* to);

}  // namespace strata::cuda
