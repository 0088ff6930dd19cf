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

[[noreturn]] void refuse(Device& device, const char* call, const std::string& why) {
  device.note(std::string(call) + ": " + why + "; the program gets CUDA_ERROR_INVALID_VALUE");
  throw CallError(invalid_value);
}

/// What all maps have; `own(device, map)` adds what only those of `call` have.
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
