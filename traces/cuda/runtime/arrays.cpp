#include "traces/cuda/runtime/arrays.h"

#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/streams.h"

namespace strata::cuda {
namespace {

using abi::Handle;

/// One side of a copy: where the box begins, and what lies between its rows and layers.
struct Side {
  char* first;
  std::size_t row, layer;
};

Side side_of(const Array& array, const abi::Position& at) {
  char* const data = reinterpret_cast<char*>(array.data);
  const std::size_t row = array.row_bytes(), layer = row * array.rows();
  return {data + at.z * layer + at.y * row + at.x * array.element_bytes(), row, layer};
}
Side side_of(const abi::PitchedPointer& memory, const abi::Position& at) {
  const std::size_t layer = memory.pitch * memory.height;
  return {static_cast<char*>(memory.pointer) + at.z * layer + at.y * memory.pitch + at.x, memory.pitch,
          layer};
}

Array& array_of(Handle handle) {
  if (handle == nullptr) throw CallError(invalid_handle);
  return *static_cast<Array*>(handle);
}

}  // namespace

void copy_box(Device& device, const abi::Copy3D& what) {
  const auto* const from = static_cast<const Array*>(what.from_array);
  const auto* const to = static_cast<const Array*>(what.to_array);
  const Side a =
      from != nullptr ? side_of(*from, what.from_position) : side_of(what.from, what.from_position);
  const Side b = to != nullptr ? side_of(*to, what.to_position) : side_of(what.to, what.to_position);
  // The width is in elements where an array takes part.
  const std::size_t unit = from != nullptr ? from->element_bytes() : to != nullptr ? to->element_bytes() : 1;
  for (std::size_t z = 0; z < what.extent.depth; ++z)
    for (std::size_t y = 0; y < what.extent.height; ++y)
      device.copy(b.first + z * b.layer + y * b.row, a.first + z * a.layer + y * a.row,
                  what.extent.width * unit);
}

}  // namespace strata::cuda

using namespace strata;
using namespace strata::cuda;
using abi::Handle;

namespace {

int make_array(Handle* to, const abi::ChannelFormat* format, abi::Extent extent, unsigned flags) {
  return call([&](Device& device) {
    if (to == nullptr || format == nullptr || extent.width == 0) throw CallError(invalid_value);
    auto array = std::make_unique<Array>();
    array->format = *format;
    array->extent = extent;
    array->flags = flags;
    if (array->element_bytes() == 0)
      throw CallError(static_cast<Error>(20));  // cudaErrorInvalidChannelDescriptor
    array->data = device.allocate(array->row_bytes() * array->rows() * array->layers());
    *to = array.release();
  });
}

/// Rows between an array and memory; `to_array` says which way.
int copy_rows(Handle handle, std::size_t x, std::size_t y, void* memory, std::size_t pitch, std::size_t width,
              std::size_t height, bool to_array, Handle stream) {
  return call([&](Device& device) {
    const Array& array = array_of(handle);
    char* const data = reinterpret_cast<char*>(array.data) + y * array.row_bytes() + x;
    const std::size_t row = array.row_bytes();
    const std::size_t end = (y + height - 1) * row + x + width;  // one row may go on in the next
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
  return make_array(to, format, {width, height, 0}, flags);
}
STRATA_CUDA_CALL cudaMalloc3DArray(Handle* to, const abi::ChannelFormat* format, abi::Extent extent,
                                   unsigned flags) {
  return make_array(to, format, extent, flags);
}
STRATA_CUDA_CALL cudaFreeArray(Handle handle) {
  return call([&](Device& device) {
    if (handle == nullptr) return;
    device.free(array_of(handle).data);
    delete static_cast<Array*>(handle);
  });
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
