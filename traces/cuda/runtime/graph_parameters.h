#pragma once

#include <functional>

#include "traces/cuda/device/graph_nodes.h"

namespace strata::cuda {

/// What nodes of these parameters of the runtime's do.
std::function<void(Device&)> copy_of(const abi::Copy3D& what);
Launch launch_of(Device& device, const abi::KernelNode& node);

}  // namespace strata::cuda
