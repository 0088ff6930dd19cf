// Tensor maps: what cp.async.bulk.tensor copies from and to, written into the program's 128 bytes.
#include <algorithm>
#include <cstring>
#include <limits>

#include "traces/cuda/driver/driver_call.h"
#include "traces/ptx/tensor_map.h"

using namespace strata;
using namespace strata::cuda;
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

struct Common {
  const char* call;
  void* to;
  unsigned element, rank;
  const void* address;
  const std::uint64_t *dims, *strides;
  const std::uint32_t* steps;
  unsigned interleave, swizzle, promotion, fill;
};

[[noreturn]] void refuse(Device& device, const char* call, const std::string& why) {
  device.note(std::string(call) + ": " + why + "; the program gets CUDA_ERROR_INVALID_VALUE");
  throw CallError(invalid_value);
}

TensorMap begin(Device& device, const Common& c) {
  if (c.to == nullptr || reinterpret_cast<std::uintptr_t>(c.to) % map_alignment != 0)
    refuse(device, c.call, "expected a tensorMap at a multiple of 64");
  TensorMap map;
  map.element = kind<TensorMap::Element>(c.element);
  map.rank = narrow<std::uint8_t>(c.rank);
  map.address = address(c.address);
  map.interleave = narrow<std::uint8_t>(c.interleave);
  map.swizzle = kind<TensorMap::Swizzle>(c.swizzle);
  map.promotion = narrow<std::uint8_t>(c.promotion);
  map.fill_nan = narrow<std::uint8_t>(c.fill);
  const unsigned rank = std::min(c.rank, TensorMap::most_dimensions);
  if (c.dims == nullptr || c.steps == nullptr || (rank > 1 && c.strides == nullptr))
    refuse(device, c.call, "expected arrays of dimensions, strides and steps, found a null pointer");
  for (unsigned n = 0; n < rank; ++n) {
    map.dims[n] = c.dims[n];
    map.steps[n] = narrow<std::uint8_t>(c.steps[n]);
    if (n > 0) map.strides[n - 1] = c.strides[n - 1];
  }
  return map;
}

void end(Device& device, const Common& c, const TensorMap& map) {
  const std::string wrong = traces::tensor_map_fault(map);
  if (!wrong.empty()) refuse(device, c.call, wrong);
  std::memset(c.to, 0, TensorMap::bytes);
  std::memcpy(c.to, &map, sizeof map);
}

}  // namespace

STRATA_CUDA_CALL cuTensorMapEncodeTiled(void* to, unsigned element, unsigned rank, void* at,
                                        const std::uint64_t* dims, const std::uint64_t* strides,
                                        const std::uint32_t* box, const std::uint32_t* steps,
                                        unsigned interleave, unsigned swizzle, unsigned promotion,
                                        unsigned fill) {
  return guarded([&](Device& device) {
    const Common c = {"cuTensorMapEncodeTiled",
                      to,
                      element,
                      rank,
                      at,
                      dims,
                      strides,
                      steps,
                      interleave,
                      swizzle,
                      promotion,
                      fill};
    TensorMap map = begin(device, c);
    if (box == nullptr) refuse(device, c.call, "expected an array boxDim, found a null pointer");
    for (unsigned n = 0; n < std::min(rank, TensorMap::most_dimensions); ++n)
      map.box[n] = narrow<std::uint16_t>(box[n]);
    end(device, c, map);
  });
}

STRATA_CUDA_CALL cuTensorMapEncodeIm2col(void* to, unsigned element, unsigned rank, void* at,
                                         const std::uint64_t* dims, const std::uint64_t* strides,
                                         const int* lower, const int* upper, std::uint32_t channels,
                                         std::uint32_t pixels, const std::uint32_t* steps,
                                         unsigned interleave, unsigned swizzle, unsigned promotion,
                                         unsigned fill) {
  return guarded([&](Device& device) {
    const Common c = {"cuTensorMapEncodeIm2col",
                      to,
                      element,
                      rank,
                      at,
                      dims,
                      strides,
                      steps,
                      interleave,
                      swizzle,
                      promotion,
                      fill};
    TensorMap map = begin(device, c);
    map.im2col = 1;
    map.channels = narrow<std::uint16_t>(channels);
    map.pixels = narrow<std::uint16_t>(pixels);
    if (lower == nullptr || upper == nullptr)
      refuse(device, c.call, "expected corners of the pixel box, found a null pointer");
    for (unsigned n = 0; n + 2 < std::min(rank, TensorMap::most_dimensions); ++n) {
      map.lower[n] = static_cast<std::int16_t>(std::clamp(lower[n], -32768, 32767));
      map.upper[n] = static_cast<std::int16_t>(std::clamp(upper[n], -32768, 32767));
    }
    end(device, c, map);
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
