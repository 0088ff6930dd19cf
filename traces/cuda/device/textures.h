#pragma once

#include <vector>

#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/device.h"
#include "traces/ptx/global_memory.h"

namespace strata::cuda {

/// Result of cudaMallocArray: elements in rows, rows in layers, without padding.
struct Array {
  abi::ChannelFormat format;
  abi::Extent extent;  ///< in elements; 0: no such dimension
  unsigned flags = 0;
  Address data = 0;
  std::size_t element_bytes() const {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  std::size_t row_bytes() const { return extent.width * element_bytes(); }
  std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  std::size_t layers() const { return extent.depth == 0 ? 1 : extent.depth; }
};

/// Throws CallError, as all below.
abi::Handle make_array(Device& device, const abi::ChannelFormat& format, abi::Extent extent, unsigned flags);
void free_array(Device& device, abi::Handle handle);
Array& array_of(abi::Handle handle);
/// One side of a copy: begin of its box, and distances between rows and layers.
struct BoxSide {
  char* first;
  std::size_t row, layer;
};
/// The box of an array that begins `x` bytes into a row.
BoxSide side_of(const Array& array, std::size_t x, std::size_t y, std::size_t z);
/// Rows of `extent.width` bytes.
void copy_box(Device& device, const BoxSide& to, const BoxSide& from, abi::Extent extent);
/// Copies a box between memory and arrays.
void copy_box(Device& device, const abi::Copy3D& what);

/// Result of cudaMallocMipmappedArray: arrays, each half the size of the one before.
struct MipMap {
  std::vector<abi::Handle> levels;
};

/// At most the levels down to one element on all axes. Throws CallError, as all below.
abi::Handle make_mip_map(Device& device, const abi::ChannelFormat& format, abi::Extent extent,
                         unsigned levels, unsigned flags);
void free_mip_map(Device& device, abi::Handle handle);
/// The array of a level.
abi::Handle level_of(abi::Handle mip_map, unsigned level);
/// Texture over all levels.
traces::PtxTexture texture_over_levels(abi::Handle mip_map);

/// How a texture object chooses levels.
struct MipOptions {
  int filter;  ///< 1: linear
  float bias, least, most;
};
void set_levels(traces::PtxTexture& texture, const MipOptions& options);

/// Texture or surface over an array, linear memory, or rows with a pitch. Throws CallError if it is not
/// supported.
traces::PtxTexture texture_over(const Array& array);
traces::PtxTexture texture_over(Address data, const abi::ChannelFormat& format, std::size_t bytes);
traces::PtxTexture texture_over(Address data, const abi::ChannelFormat& format, std::size_t width,
                                std::size_t height, std::size_t pitch);

}  // namespace strata::cuda
