#include "traces/cuda/device/mip_maps.h"

#include <algorithm>
#include <memory>

#include "traces/cuda/device/textures.h"

namespace strata::cuda {
namespace {

constexpr unsigned layered = 1;  ///< cudaArrayLayered, CUDA_ARRAY3D_LAYERED: the depth counts layers

std::size_t half(std::size_t axis, unsigned level) {
  return axis == 0 ? 0 : std::max<std::size_t>(1, axis >> level);
}
const MipMap& mip_map_of(abi::Handle handle) {
  if (handle == nullptr) throw CallError(invalid_handle);
  return *static_cast<const MipMap*>(handle);
}

}  // namespace

abi::Handle make_mip_map(Device& device, const abi::ChannelFormat& format, abi::Extent extent,
                         unsigned levels, unsigned flags) {
  const bool layers = (flags & layered) != 0;
  unsigned most = 1;
  for (std::size_t axis = std::max({extent.width, extent.height, layers ? 0 : extent.depth}); axis > 1;
       axis /= 2)
    ++most;
  auto map = std::make_unique<MipMap>();
  try {
    for (unsigned n = 0; n < std::min(std::max(levels, 1U), most); ++n)
      map->levels.push_back(make_array(
          device, format,
          {half(extent.width, n), half(extent.height, n), layers ? extent.depth : half(extent.depth, n)},
          flags));
  } catch (...) {
    for (const abi::Handle level : map->levels) free_array(device, level);
    throw;
  }
  return map.release();
}

void free_mip_map(Device& device, abi::Handle handle) {
  for (const abi::Handle level : mip_map_of(handle).levels) free_array(device, level);
  delete static_cast<MipMap*>(handle);
}

abi::Handle level_of(abi::Handle mip_map, unsigned level) {
  const MipMap& map = mip_map_of(mip_map);
  if (level >= map.levels.size()) throw CallError(invalid_value);
  return map.levels[level];
}

traces::PtxTexture texture_over_levels(abi::Handle mip_map) {
  const MipMap& map = mip_map_of(mip_map);
  traces::PtxTexture texture = texture_over(array_of(map.levels[0]));
  for (std::size_t n = 1; n < map.levels.size(); ++n) {
    const traces::PtxTexture one = texture_over(array_of(map.levels[n]));
    texture.smaller.push_back({one.data, one.size, one.row_bytes, one.slice_bytes});
  }
  return texture;
}

void set_levels(traces::PtxTexture& texture, const MipOptions& options) {
  texture.mip_linear = options.filter == 1;
  texture.mip_bias = options.bias;
  texture.least_level = options.least;
  texture.most_level = options.most;
}

}  // namespace strata::cuda
