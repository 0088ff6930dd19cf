#include "traces/cuda/device/textures.h"

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

}  // namespace strata::cuda
