#pragma once

#include <cstdint>

#include "traces/cuda/device/device.h"

namespace strata::cuda {

/// The kernel that the program registered for one of its host functions. Throws CallError.
Function& function_of(const void* host);
/// The other way round; nullptr when it is none of these.
const void* host_of(const Function& function);
/// Where the variable is that the program registered for one of its host variables. Throws CallError.
Address symbol_address(Device& device, const void* host, std::uint64_t* bytes = nullptr);

}  // namespace strata::cuda
