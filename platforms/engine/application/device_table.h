#pragma once

#include <string>

#include "traces/cuda/app_options.h"

namespace strata::platforms {

/// A device of platforms/machines/devices/devices.yaml, or of another file in that format: `h100`,
/// `mine.yaml:big`. Throws ConfigError with the nearest name.
cuda::DeviceDescription find_device(const std::string& name);

}  // namespace strata::platforms
