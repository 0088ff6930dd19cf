#include "traces/cuda/device/streams.h"
#include "traces/cuda/device/textures.h"
#include "traces/cuda/runtime/call.h"

using namespace strata;
using namespace strata::cuda;

using abi::Handle;

namespace {

int create(Handle* to, const abi::ChannelFormat* format, abi::Extent extent, unsigned flags) {
  return call([&](Device& device) {
    if (to == nullptr || format == nullptr) throw CallError(invalid_value);
    *to = make_array(device, *format, extent, flags);
  });
}

/// Copies rows between an array and memory.
int copy_rows(Handle handle, std::size_t x, std::size_t y, void* memory, std::size_t pitch, std::size_t width,
              std::size_t height, bool to_array, Handle stream) {
  return call([&](Device& device) {
    const Array& array = array_of(handle);
    char* const data = reinterpret_cast<char*>(array.data) + y * array.row_bytes() + x;
    const std::size_t row = array.row_bytes();
    const std::size_t end = (y + height - 1) * row + x + width;  // a row may continue in the next one
    if (end > row * array.rows() * array.layers() || (height > 1 && x + width > row))
      throw CallError(invalid_value);
    put(device, stream, GraphNode::Kind::copy, [=](Device& d) {
      for (std::size_t n = 0; n < height; ++n) {
        char* const inside = data + n * row;
        char* const outside = static_cast<char*>(memory) + n * pitch;
        d.copy(to_array ? inside : outside, to_array ? outside : inside, width);
      }
    });
  });
}

}  // namespace

STRATA_CUDA_CALL cudaMallocArray(Handle* to, const abi::ChannelFormat* format, std::size_t width,
                                 std::size_t height, unsigned flags) {
  return create(to, format, {width, height, 0}, flags);
}
STRATA_CUDA_CALL cudaMalloc3DArray(Handle* to, const abi::ChannelFormat* format, abi::Extent extent,
                                   unsigned flags) {
  return create(to, format, extent, flags);
}
STRATA_CUDA_CALL cudaFreeArray(Handle handle) {
  return call([&](Device& device) {
    if (handle != nullptr) free_array(device, handle);
  });
}
STRATA_CUDA_CALL cudaMallocMipmappedArray(Handle* to, const abi::ChannelFormat* format, abi::Extent extent,
                                          unsigned levels, unsigned flags) {
  return call([&](Device& device) {
    if (to == nullptr || format == nullptr) throw CallError(invalid_value);
    *to = make_mip_map(device, *format, extent, levels, flags);
  });
}
STRATA_CUDA_CALL cudaFreeMipmappedArray(Handle handle) {
  return call([&](Device& device) {
    if (handle != nullptr) free_mip_map(device, handle);
  });
}
STRATA_CUDA_CALL cudaGetMipmappedArrayLevel(Handle* to, Handle handle, unsigned level) {
  return call([&](Device&) { *to = level_of(handle, level); });
}
STRATA_CUDA_CALL cudaArrayGetInfo(abi::ChannelFormat* format, abi::Extent* extent, unsigned* flags,
                                  Handle handle) {
  return call([&](Device&) {
    const Array& array = array_of(handle);
    if (format != nullptr) *format = array.format;
    if (extent != nullptr) *extent = array.extent;
    if (flags != nullptr) *flags = array.flags;
  });
}
STRATA_CUDA_CALL cudaGetChannelDesc(abi::ChannelFormat* format, Handle handle) {
  return call([&](Device&) { *format = array_of(handle).format; });
}
STRATA_CUDA_ENTRY abi::ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

STRATA_CUDA_CALL cudaMemcpyToArray(Handle array, std::size_t x, std::size_t y, const void* from,
                                   std::size_t bytes, int) {
  return copy_rows(array, x, y, const_cast<void*>(from), bytes, bytes, 1, true, nullptr);
}
STRATA_CUDA_CALL cudaMemcpyFromArray(void* to, Handle array, std::size_t x, std::size_t y, std::size_t bytes,
                                     int) {
  return copy_rows(array, x, y, to, bytes, bytes, 1, false, nullptr);
}
STRATA_CUDA_CALL cudaMemcpy2DToArrayAsync(Handle array, std::size_t x, std::size_t y, const void* from,
                                          std::size_t pitch, std::size_t width, std::size_t height, int,
                                          Handle stream) {
  return copy_rows(array, x, y, const_cast<void*>(from), pitch, width, height, true, stream);
}
STRATA_CUDA_CALL cudaMemcpy2DToArray(Handle array, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height, int) {
  return copy_rows(array, x, y, const_cast<void*>(from), pitch, width, height, true, nullptr);
}
STRATA_CUDA_CALL cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, Handle array, std::size_t x,
                                            std::size_t y, std::size_t width, std::size_t height, int,
                                            Handle stream) {
  return copy_rows(array, x, y, to, pitch, width, height, false, stream);
}
STRATA_CUDA_CALL cudaMemcpy2DFromArray(void* to, std::size_t pitch, Handle array, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height, int) {
  return copy_rows(array, x, y, to, pitch, width, height, false, nullptr);
}

// Texture and surface objects over arrays, mip maps and linear memory.

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
/// Used part of cudaTextureDesc.
struct TextureOptions {
  int edges[3];  ///< wrap, clamp, mirror, border
  int filter;    ///< 1: linear
  int read;      ///< 1: integers as -1 or 0 to 1
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
