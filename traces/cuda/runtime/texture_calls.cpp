// Texture and surface objects over arrays, mip maps and linear memory.
#include "traces/cuda/device/mip_maps.h"
#include "traces/cuda/device/textures.h"
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
  unsigned anisotropy;
  MipOptions levels;
};
PtxTexture texture_of(const Resource& resource) {
  switch (resource.type) {
    case 0:
      return texture_over(array_of(resource.array.array));
    case 1:
      return texture_over_levels(resource.array.array);
    case 2:
      return texture_over(reinterpret_cast<Address>(resource.linear.data), resource.linear.format,
                          resource.linear.bytes);
    case 3:
      return texture_over(reinterpret_cast<Address>(resource.rows.data), resource.rows.format,
                          resource.rows.width, resource.rows.height, resource.rows.pitch);
    default:
      throw CallError(not_supported);
  }
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
    set_levels(texture, options->levels);
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
