#include "traces/cuda/device/arrays.h"

namespace strata::cuda {
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
  // The width is in elements where an array takes part.
  const std::size_t unit = from != nullptr ? from->element_bytes() : to != nullptr ? to->element_bytes() : 1;
  copy_box(device, side(to, what.to, what.to_position), side(from, what.from, what.from_position),
           {what.extent.width * unit, what.extent.height, what.extent.depth});
}

}  // namespace strata::cuda
