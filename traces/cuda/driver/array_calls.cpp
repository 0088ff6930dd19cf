// Arrays, copies of boxes, texture and surface objects, and tensor maps, which are written into the program's
// 128 bytes.
#include <algorithm>
#include <cstring>
#include <limits>

#include "traces/cuda/device/textures.h"
#include "traces/cuda/driver/driver_call.h"
#include "traces/ptx/tensor_map.h"

using namespace strata;
using namespace strata::cuda;
using traces::PtxTexture;

namespace {

/// CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR.
struct Shape2D {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct Shape3D {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

/// CUarray_format.
abi::ChannelFormat format_of(int format, unsigned channels) {
  enum { is_signed, is_unsigned, is_real };
  struct Row {
    int number, bits, kind;
  };
  constexpr Row rows[] = {{1, 8, is_unsigned}, {2, 16, is_unsigned}, {3, 32, is_unsigned}, {8, 8, is_signed},
                          {9, 16, is_signed},  {10, 32, is_signed},  {16, 16, is_real},    {32, 32, is_real}};
  for (const Row& row : rows) {
    const auto bits = [&](unsigned channel) { return channel < channels ? row.bits : 0; };
    if (row.number == format) return {bits(0), bits(1), bits(2), bits(3), row.kind};
  }
  throw CallError(invalid_value);
}

int create(Handle* to, const Shape3D& shape) {
  return guarded([&](Device& device) {
    *to = make_array(device, format_of(shape.format, shape.channels),
                     {shape.width, shape.height, shape.depth}, shape.flags);
  });
}

/// One side of CUDA_MEMCPY2D and CUDA_MEMCPY3D.
struct Side2D {
  std::size_t x, y;
  int type;  ///< 1 host, 2 device, 3 array, 4 from the pointer
  void* host;
  Address device;
  Handle array;
  std::size_t pitch;
};
struct Side3D {
  std::size_t x, y, z, mip_level;
  int type;
  void* host;
  Address device;
  Handle array;
  void* reserved;
  std::size_t pitch, height;
};
BoxSide box_side(const Side3D& side) {
  if (side.type == 3) return side_of(array_of(side.array), side.x, side.y, side.z);
  if (side.type != 1 && side.type != 2 && side.type != 4) throw CallError(invalid_value);
  char* const base = static_cast<char*>(side.type == 1 ? side.host : pointer(side.device));
  const std::size_t layer = side.pitch * side.height;
  return {base + side.z * layer + side.y * side.pitch + side.x, side.pitch, layer};
}
BoxSide box_side(const Side2D& side) {
  return box_side(
      Side3D{side.x, side.y, 0, 0, side.type, side.host, side.device, side.array, nullptr, side.pitch, 0});
}

template <class Copy>
std::function<void(Device&)> box_of(const Copy& what, std::size_t depth) {
  const BoxSide to = box_side(what.to), from = box_side(what.from);
  const abi::Extent extent = {what.width, what.height, depth};
  return [=](Device& d) { copy_box(d, to, from, extent); };
}
template <class Copy>
int copy(Handle stream, const Copy& what, std::size_t depth) {
  return guarded([&](Device& device) { put(device, stream, GraphNode::Kind::copy, box_of(what, depth)); });
}
/// Copies between memory and one row of an array.
int copy_row(Handle stream, Handle array, std::size_t x, void* memory, std::size_t bytes, bool to_array) {
  return guarded([&](Device& device) {
    const Array& one = array_of(array);
    if (x + bytes > one.row_bytes()) throw CallError(invalid_value);
    void* const inside = side_of(one, x, 0, 0).first;
    put(device, stream, GraphNode::Kind::copy,
        [=](Device& d) { d.copy(to_array ? inside : memory, to_array ? memory : inside, bytes); });
  });
}

struct Copy2D {
  Side2D from, to;
  std::size_t width, height;
};
static_assert(sizeof(Copy2D) == 128, "as cuda.h lays it out");

/// CUDA_RESOURCE_DESC: 0 an array, 1 a mipmapped one, 2 linear memory, 3 rows with a pitch.
struct Resource {
  int type;
  union {
    Handle array;
    struct {
      Address data;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    struct {
      Address data;
      int format;
      unsigned channels;
      std::size_t width, height, pitch;
    } rows;
  };
};
PtxTexture texture_of(const Resource& from) {
  switch (from.type) {
    case 0:
      return texture_over(array_of(from.array));
    case 1:
      return texture_over_levels(from.array);
    case 2:
      return texture_over(from.linear.data, format_of(from.linear.format, from.linear.channels),
                          from.linear.bytes);
    case 3:
      return texture_over(from.rows.data, format_of(from.rows.format, from.rows.channels), from.rows.width,
                          from.rows.height, from.rows.pitch);
    default:
      throw CallError(not_supported);
  }
}

/// Used part of CUDA_TEXTURE_DESC.
struct TextureOptions {
  int edges[3];
  int filter;      ///< 1: linear
  unsigned flags;  ///< 1: integers stay integers, 2: coordinates from 0 to 1
  unsigned anisotropy;
  MipOptions levels;
  float border[4];
};

}  // namespace

namespace strata::cuda {

struct DriverCopy3D {
  Side3D from, to;
  std::size_t width, height, depth;
};
static_assert(sizeof(DriverCopy3D) == 200, "as cuda.h lays it out");

std::function<void(Device&)> copy_of(const DriverCopy3D& what) {
  return box_of(what, what.depth);
}

}  // namespace strata::cuda

STRATA_CUDA_CALL cuArrayCreate_v2(Handle* to, const Shape2D* shape) {
  return create(to, {shape->width, shape->height, 0, shape->format, shape->channels, 0});
}
STRATA_CUDA_CALL cuArray3DCreate_v2(Handle* to, const Shape3D* shape) {
  return create(to, *shape);
}
STRATA_CUDA_CALL cuArrayDestroy(Handle array) {
  return guarded([&](Device& device) { free_array(device, array); });
}
STRATA_CUDA_CALL cuMipmappedArrayCreate(Handle* to, const Shape3D* shape, unsigned levels) {
  return guarded([&](Device& device) {
    *to = make_mip_map(device, format_of(shape->format, shape->channels),
                       {shape->width, shape->height, shape->depth}, levels, shape->flags);
  });
}
STRATA_CUDA_CALL cuMipmappedArrayGetLevel(Handle* to, Handle mip_map, unsigned level) {
  return guarded([&](Device&) { *to = level_of(mip_map, level); });
}
STRATA_CUDA_CALL cuMipmappedArrayDestroy(Handle mip_map) {
  return guarded([&](Device& device) { free_mip_map(device, mip_map); });
}

STRATA_CUDA_CALL cuMemcpy2DAsync_v2(const Copy2D* what, Handle stream) {
  return copy(stream, *what, 1);
}
STRATA_CUDA_ALIAS(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2)
STRATA_CUDA_CALL cuMemcpy2D_v2(const Copy2D* what) {
  return cuMemcpy2DAsync_v2(what, nullptr);
}
STRATA_CUDA_ALIAS(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2)
STRATA_CUDA_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2)
STRATA_CUDA_CALL cuMemcpy3DAsync_v2(const DriverCopy3D* what, Handle stream) {
  return copy(stream, *what, what->depth);
}
STRATA_CUDA_ALIAS(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2)
STRATA_CUDA_CALL cuMemcpy3D_v2(const DriverCopy3D* what) {
  return cuMemcpy3DAsync_v2(what, nullptr);
}
STRATA_CUDA_ALIAS(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2)
STRATA_CUDA_CALL cuMemcpyHtoAAsync_v2(Handle array, std::size_t x, const void* from, std::size_t bytes,
                                      Handle stream) {
  return copy_row(stream, array, x, const_cast<void*>(from), bytes, true);
}
STRATA_CUDA_ALIAS(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2)
STRATA_CUDA_CALL cuMemcpyHtoA_v2(Handle array, std::size_t x, const void* from, std::size_t bytes) {
  return copy_row(nullptr, array, x, const_cast<void*>(from), bytes, true);
}
STRATA_CUDA_ALIAS(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2)
STRATA_CUDA_CALL cuMemcpyDtoA_v2(Handle array, std::size_t x, Address from, std::size_t bytes) {
  return copy_row(nullptr, array, x, pointer(from), bytes, true);
}
STRATA_CUDA_ALIAS(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2)
STRATA_CUDA_CALL cuMemcpyAtoHAsync_v2(void* to, Handle array, std::size_t x, std::size_t bytes,
                                      Handle stream) {
  return copy_row(stream, array, x, to, bytes, false);
}
STRATA_CUDA_ALIAS(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2)
STRATA_CUDA_CALL cuMemcpyAtoH_v2(void* to, Handle array, std::size_t x, std::size_t bytes) {
  return copy_row(nullptr, array, x, to, bytes, false);
}
STRATA_CUDA_ALIAS(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2)
STRATA_CUDA_CALL cuMemcpyAtoD_v2(Address to, Handle array, std::size_t x, std::size_t bytes) {
  return copy_row(nullptr, array, x, pointer(to), bytes, false);
}
STRATA_CUDA_ALIAS(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2)

STRATA_CUDA_CALL cuTexObjectCreate(std::uint64_t* to, const Resource* resource, const TextureOptions* options,
                                   const void*) {
  return guarded([&](Device& device) {
    PtxTexture texture = texture_of(*resource);
    for (std::size_t i = 0; i < 3; ++i)
      texture.edges[i] = static_cast<PtxTexture::Edge>(options->edges[i] & 3);
    for (std::size_t i = 0; i < 4; ++i) texture.border[i] = options->border[i];
    texture.linear = options->filter == 1;
    texture.reads_reals = (options->flags & 1) == 0 && texture.bits < 32;
    texture.normalized = (options->flags & 2) != 0;
    set_levels(texture, options->levels);
    *to = device.memory().add_texture(texture);
  });
}
STRATA_CUDA_CALL cuSurfObjectCreate(std::uint64_t* to, const Resource* resource) {
  return guarded([&](Device& device) { *to = device.memory().add_texture(texture_of(*resource)); });
}
STRATA_CUDA_CALL cuTexObjectDestroy(std::uint64_t handle) {
  return guarded([&](Device& device) { device.memory().remove_texture(handle); });
}
STRATA_CUDA_ALIAS(cuSurfObjectDestroy, cuTexObjectDestroy)

using traces::TensorMap;

namespace {

constexpr std::uintptr_t map_alignment = 64;

template <class T>
T narrow(std::uint64_t value) {
  return static_cast<T>(std::min<std::uint64_t>(value, std::numeric_limits<T>::max()));
}
template <class Enum>
Enum kind(unsigned value) {
  return static_cast<Enum>(narrow<std::uint8_t>(value));
}

[[noreturn]] void refuse(Device& device, const char* call, const std::string& why) {
  device.note(std::string(call) + ": " + why + "; the program gets CUDA_ERROR_INVALID_VALUE");
  throw CallError(invalid_value);
}

/// Common part of all maps; `own(device, map)` adds the part of `call`.
template <class Own>
auto encode(const char* call, void* to, unsigned element, unsigned rank, const void* at,
            const std::uint64_t* dims, const std::uint64_t* strides, const std::uint32_t* steps,
            unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill, Own own) {
  return guarded([&](Device& device) {
    if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % map_alignment != 0)
      refuse(device, call, "expected a tensorMap at a multiple of 64");
    TensorMap map;
    map.element = kind<TensorMap::Element>(element);
    map.rank = narrow<std::uint8_t>(rank);
    map.address = address(at);
    map.interleave = narrow<std::uint8_t>(interleave);
    map.swizzle = kind<TensorMap::Swizzle>(swizzle);
    map.promotion = narrow<std::uint8_t>(promotion);
    map.fill_nan = narrow<std::uint8_t>(fill);
    if (dims == nullptr || steps == nullptr || (rank > 1 && strides == nullptr))
      refuse(device, call, "expected arrays of dimensions, strides and steps, found a null pointer");
    for (unsigned n = 0; n < std::min(rank, TensorMap::most_dimensions); ++n) {
      map.dims[n] = dims[n];
      map.steps[n] = narrow<std::uint8_t>(steps[n]);
      if (n > 0) map.strides[n - 1] = strides[n - 1];
    }
    own(device, map);
    const std::string wrong = traces::tensor_map_fault(map);
    if (!wrong.empty()) refuse(device, call, wrong);
    std::memset(to, 0, TensorMap::bytes);
    std::memcpy(to, &map, sizeof map);
  });
}

}  // namespace

STRATA_CUDA_CALL cuTensorMapEncodeTiled(void* to, unsigned element, unsigned rank, void* at,
                                        const std::uint64_t* dims, const std::uint64_t* strides,
                                        const std::uint32_t* box, const std::uint32_t* steps,
                                        unsigned interleave, unsigned swizzle, unsigned promotion,
                                        unsigned fill) {
  const char* const call = "cuTensorMapEncodeTiled";
  return encode(call, to, element, rank, at, dims, strides, steps, interleave, swizzle, promotion, fill,
                [&](Device& device, TensorMap& map) {
                  if (box == nullptr) refuse(device, call, "expected an array boxDim, found a null pointer");
                  for (unsigned n = 0; n < std::min(rank, TensorMap::most_dimensions); ++n)
                    map.box[n] = narrow<std::uint16_t>(box[n]);
                });
}

STRATA_CUDA_CALL cuTensorMapEncodeIm2col(void* to, unsigned element, unsigned rank, void* at,
                                         const std::uint64_t* dims, const std::uint64_t* strides,
                                         const int* lower, const int* upper, std::uint32_t channels,
                                         std::uint32_t pixels, const std::uint32_t* steps,
                                         unsigned interleave, unsigned swizzle, unsigned promotion,
                                         unsigned fill) {
  const char* const call = "cuTensorMapEncodeIm2col";
  return encode(call, to, element, rank, at, dims, strides, steps, interleave, swizzle, promotion, fill,
                [&](Device& device, TensorMap& map) {
                  map.im2col = 1;
                  map.channels = narrow<std::uint16_t>(channels);
                  map.pixels = narrow<std::uint16_t>(pixels);
                  if (lower == nullptr || upper == nullptr)
                    refuse(device, call, "expected corners of the pixel box, found a null pointer");
                  for (unsigned n = 0; n + 2 < std::min(rank, TensorMap::most_dimensions); ++n) {
                    map.lower[n] = static_cast<std::int16_t>(std::clamp(lower[n], -32768, 32767));
                    map.upper[n] = static_cast<std::int16_t>(std::clamp(upper[n], -32768, 32767));
                  }
                });
}

STRATA_CUDA_CALL cuTensorMapReplaceAddress(void* to, void* at) {
  return guarded([&](Device& device) {
    const char* const call = "cuTensorMapReplaceAddress";
    if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % map_alignment != 0)
      refuse(device, call, "expected a tensorMap at a multiple of 64");
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), to, sizeof map);
    if (!map.valid()) refuse(device, call, "expected a tensorMap that cuTensorMapEncode* has made");
    map.address = address(at);
    const std::string wrong = traces::tensor_map_fault(map);
    if (!wrong.empty()) refuse(device, call, wrong);
    std::memcpy(to, &map, sizeof map);
  });
}
