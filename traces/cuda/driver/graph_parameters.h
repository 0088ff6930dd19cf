#pragma once

#include <functional>

#include "traces/cuda/device/graph_nodes.h"

/// What calls for nodes of graphs take from those for launches and copies.
namespace strata::cuda {

/// CUDA_MEMCPY3D: its layout is known to array_calls.cpp.
struct DriverCopy3D;
std::function<void(Device&)> copy_of(const DriverCopy3D& what);
/// Values by pointer, or packed in a buffer that a list of options names: 1 the buffer, 2 its size, 0 the
/// end. Throws CallError.
Launch prepare_launch(Device& device, abi::Handle function, Dim3 grid, Dim3 block, unsigned shared,
                      void** values, void** extra, Attributes attributes = {});

}  // namespace strata::cuda
