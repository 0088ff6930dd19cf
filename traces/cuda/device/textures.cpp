#include "traces/cuda/device/textures.h"

#include <algorithm>
#include <memory>

namespace strata::cuda {
namespace {

using traces::PtxTexture;

PtxTexture with_format(const abi::ChannelFormat& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  PtxTexture texture;
  texture.bits = static_cast<std::uint32_t>(format.x);
  texture.channels = 0;
  for (const int one : bits) {
    if (one != 0 && one != format.x) throw CallError(invalid_channel);
    texture.channels += one != 0 ? 1 : 0;
  }
  if (format.x == 0 || texture.channels == 3) throw CallError(invalid_channel);
  texture.kind = format.kind == 0   ? PtxTexture::Kind::signed_numbers
                 : format.kind == 1 ? PtxTexture::Kind::unsigned_numbers
                                    : PtxTexture::Kind::reals;
  return texture;
}

}  // namespace

PtxTexture texture_over(const Array& array) {
  PtxTexture texture = with_format(array.format);
  texture.data = array.data;
  texture.size = {static_cast<std::uint32_t>(array.extent.width), static_cast<std::uint32_t>(array.rows()),
                  static_cast<std::uint32_t>(array.layers())};
  texture.row_bytes = array.row_bytes();
  texture.slice_bytes = texture.row_bytes * array.rows();
  return texture;
}

PtxTexture texture_over(Address data, const abi::ChannelFormat& format, std::size_t bytes) {
  PtxTexture texture = with_format(format);
  texture.data = data;
  texture.size[0] = static_cast<std::uint32_t>(bytes / texture.texel_bytes());
  texture.row_bytes = texture.slice_bytes = bytes;
  return texture;
}

PtxTexture texture_over(Address data, const abi::ChannelFormat& format, std::size_t width, std::size_t height,
                        std::size_t pitch) {
  PtxTexture texture = with_format(format);
  texture.data = data;
  texture.size = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1};
  texture.row_bytes = pitch;
  texture.slice_bytes = pitch * height;
  return texture;
}

namespace {

BoxSide side_of(const abi::PitchedPointer& memory, const abi::Position& at) {
  const std::size_t layer = memory.pitch * memory.height;
  return {static_cast<char*>(memory.pointer) + at.z * layer + at.y * memory.pitch + at.x, memory.pitch,
          layer};
}

}  // namespace

abi::Handle make_array(Device& device, const abi::ChannelFormat& format, abi::Extent extent, unsigned flags) {
  if (extent.width == 0) throw CallError(invalid_value);
  auto array = std::make_unique<Array>();
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  if (array->element_bytes() == 0) throw CallError(invalid_channel);
  array->data = device.allocate(array->row_bytes() * array->rows() * array->layers());
  return array.release();
}

void free_array(Device& device, abi::Handle handle) {
  device.free(array_of(handle).data);
  delete static_cast<Array*>(handle);
}

Array& array_of(abi::Handle handle) {
  if (handle == nullptr) throw CallError(invalid_handle);
  return *static_cast<Array*>(handle);
}

BoxSide side_of(const Array& array, std::size_t x, std::size_t y, std::size_t z) {
  const std::size_t row = array.row_bytes(), layer = row * array.rows();
  return {reinterpret_cast<char*>(array.data) + z * layer + y * row + x, row, layer};
}

void copy_box(Device& device, const BoxSide& to, const BoxSide& from, abi::Extent extent) {
  for (std::size_t z = 0; z < extent.depth; ++z)
    for (std::size_t y = 0; y < extent.height; ++y)
      device.copy(to.first + z * to.layer + y * to.row, from.first + z * from.layer + y * from.row,
                  extent.width);
}

void copy_box(Device& device, const abi::Copy3D& what) {
  const auto* const from = static_cast<const Array*>(what.from_array);
  const auto* const to = static_cast<const Array*>(what.to_array);
  const auto side = [](const Array* array, const abi::PitchedPointer& memory, const abi::Position& at) {
    return array != nullptr ? side_of(*array, at.x * array->element_bytes(), at.y, at.z)
                            : side_of(memory, at);
  };
  // With an array the width is in elements.
  const std::size_t unit = from != nullptr ? from->element_bytes() : to != nullptr ? to->element_bytes() : 1;
  copy_box(device, side(to, what.to, what.to_position), side(from, what.from, what.from_position),
           {what.extent.width * unit, what.extent.height, what.extent.depth});
}

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
