#pragma once

#include "traces/cuda/device/device.h"
#include "traces/cuda/runtime/abi.h"

namespace strata::cuda {

/// What cudaMallocArray gives: elements in rows, rows in layers, nothing between them.
struct Array {
  abi::ChannelFormat format;
  abi::Extent extent;  ///< in elements; 0: the dimension is not there
  unsigned flags = 0;
  Address data = 0;
  std::size_t element_bytes() const {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  std::size_t row_bytes() const { return extent.width * element_bytes(); }
  std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  std::size_t layers() const { return extent.depth == 0 ? 1 : extent.depth; }
};

/// A copy of a box between memory and arrays. Throws CallError.
void copy_box(Device& device, const abi::Copy3D& what);

}  // namespace strata::cuda
