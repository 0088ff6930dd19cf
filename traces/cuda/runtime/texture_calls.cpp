// Texture and surface objects over arrays and linear memory.
#include "traces/cuda/runtime/arrays.h"
#include "traces/cuda/runtime/call.h"

using namespace strata;
using namespace strata::cuda;
using abi::Handle;
using traces::PtxTexture;

namespace {

/// cudaResourceDesc: 0 an array, 1 a mipmapped one, 2 linear memory, 3 rows with a pitch.
struct Resource {
  int type;
  union {
    struct {
      Handle array;
    } array;
    struct {
      void* data;
      abi::ChannelFormat format;
      std::size_t bytes;
    } linear;
    struct {
      void* data;
      abi::ChannelFormat format;
      std::size_t width, height, pitch;
    } rows;
  };
};
/// cudaTextureDesc, as far as it is read.
struct TextureOptions {
  int edges[3];  ///< wrap, clamp, mirror, border
  int filter;    ///< 1: linear
  int read;      ///< 1: whole numbers as -1 or 0 to 1
  int srgb;
  float border[4];
  int normalized;
};
constexpr unsigned cubemap = 4;  // cudaArrayCubemap

void set_format(PtxTexture& texture, const abi::ChannelFormat& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  texture.bits = static_cast<std::uint32_t>(format.x);
  texture.channels = 0;
  for (const int one : bits) {
    if (one != 0 && one != format.x)
      throw CallError(static_cast<Error>(20));  // cudaErrorInvalidChannelDescriptor
    texture.channels += one != 0 ? 1 : 0;
  }
  if (format.x == 0 || texture.channels == 3) throw CallError(static_cast<Error>(20));
  texture.kind = format.kind == 0   ? PtxTexture::Kind::signed_numbers
                 : format.kind == 1 ? PtxTexture::Kind::unsigned_numbers
                                    : PtxTexture::Kind::reals;
}

PtxTexture texture_of(const Resource& resource) {
  PtxTexture texture;
  if (resource.type == 0) {
    const Array& array = *static_cast<const Array*>(resource.array.array);
    if ((array.flags & cubemap) != 0) throw CallError(not_supported);
    set_format(texture, array.format);
    texture.data = array.data;
    texture.size = {static_cast<std::uint32_t>(array.extent.width), static_cast<std::uint32_t>(array.rows()),
                    static_cast<std::uint32_t>(array.layers())};
    texture.row_bytes = array.row_bytes();
    texture.slice_bytes = texture.row_bytes * array.rows();
  } else if (resource.type == 2) {
    set_format(texture, resource.linear.format);
    texture.data = reinterpret_cast<Address>(resource.linear.data);
    texture.size[0] = static_cast<std::uint32_t>(resource.linear.bytes / texture.texel_bytes());
    texture.row_bytes = texture.slice_bytes = resource.linear.bytes;
  } else if (resource.type == 3) {
    set_format(texture, resource.rows.format);
    texture.data = reinterpret_cast<Address>(resource.rows.data);
    texture.size = {static_cast<std::uint32_t>(resource.rows.width),
                    static_cast<std::uint32_t>(resource.rows.height), 1};
    texture.row_bytes = resource.rows.pitch;
    texture.slice_bytes = resource.rows.pitch * resource.rows.height;
  } else {
    throw CallError(not_supported);
  }
  return texture;
}

}  // namespace

STRATA_CUDA_CALL cudaCreateTextureObject(std::uint64_t* to, const Resource* resource,
                                         const TextureOptions* options, const void*) {
  return call([&](Device& device) {
    PtxTexture texture = texture_of(*resource);
    for (int i = 0; i < 3; ++i)
      texture.edges[static_cast<std::size_t>(i)] = static_cast<PtxTexture::Edge>(options->edges[i] & 3);
    for (int i = 0; i < 4; ++i) texture.border[static_cast<std::size_t>(i)] = options->border[i];
    texture.linear = options->filter == 1;
    texture.reads_reals = options->read == 1;
    texture.normalized = options->normalized != 0;
    *to = device.memory().add_texture(texture);
  });
}
STRATA_CUDA_ALIAS(cudaCreateTextureObject_v2, cudaCreateTextureObject)
STRATA_CUDA_CALL cudaCreateSurfaceObject(std::uint64_t* to, const Resource* resource) {
  return call([&](Device& device) { *to = device.memory().add_texture(texture_of(*resource)); });
}
STRATA_CUDA_CALL cudaDestroyTextureObject(std::uint64_t handle) {
  return call([&](Device& device) { device.memory().remove_texture(handle); });
}
STRATA_CUDA_CALL cudaDestroySurfaceObject(std::uint64_t handle) {
  return call([&](Device& device) { device.memory().remove_texture(handle); });
}
