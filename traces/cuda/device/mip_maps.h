#pragma once

#include <vector>

#include "traces/cuda/device/arrays.h"
#include "traces/ptx/ptx_texture.h"

namespace strata::cuda {

/// What cudaMallocMipmappedArray gives: arrays, each half as large as the one before it.
struct MipMap {
  std::vector<abi::Handle> levels;
};

/// At most as many levels as there are until all axes have one element. Throws CallError, as all below.
abi::Handle make_mip_map(Device& device, const abi::ChannelFormat& format, abi::Extent extent,
                         unsigned levels, unsigned flags);
void free_mip_map(Device& device, abi::Handle handle);
/// The array of a level.
abi::Handle level_of(abi::Handle mip_map, unsigned level);
/// What a texture object over all of its levels reads.
traces::PtxTexture texture_over_levels(abi::Handle mip_map);

/// How a texture object chooses among levels.
struct MipOptions {
  int filter;  ///< 1: linear
  float bias, least, most;
};
void set_levels(traces::PtxTexture& texture, const MipOptions& options);

}  // namespace strata::cuda
