#include <algorithm>
#include <cstring>

#include "models/common/faults.h"
#include "traces/cuda/driver/driver_call.h"

using namespace strata;
using namespace strata::cuda;

namespace {

template <class Does>
int submit(Handle stream, GraphNode::Kind kind, Does&& does) {
  return guarded([&](Device& device) { put(device, stream, kind, std::forward<Does>(does)); });
}
int copy(void* to, const void* from, std::size_t bytes, Handle stream) {
  return submit(stream, GraphNode::Kind::copy, [=](Device& d) { d.copy(to, from, bytes); });
}
template <class T>
int fill(Address to, std::size_t pitch, T value, std::size_t width, std::size_t height, Handle stream) {
  return submit(stream, GraphNode::Kind::fill, [=](Device& d) {
    for (std::size_t row = 0; row < height; ++row)
      d.fill(pointer(to + row * pitch), &value, sizeof value, width);
  });
}

}  // namespace

STRATA_CUDA_CALL cuMemAlloc_v2(Address* to, std::size_t bytes) {
  return guarded([&](Device& device) {
    if (bytes == 0) throw CallError(invalid_value);
    *to = device.allocate(bytes);
  });
}
STRATA_CUDA_CALL cuMemAllocPitch_v2(Address* to, std::size_t* pitch, std::size_t width, std::size_t height,
                                    unsigned) {
  *pitch = (width + 511) / 512 * 512;
  return cuMemAlloc_v2(to, *pitch * height);
}
STRATA_CUDA_CALL cuMemAllocManaged(Address* to, std::size_t bytes, unsigned) {
  return guarded([&](Device& device) {
    if (bytes == 0) throw CallError(invalid_value);
    *to = device.allocate_of_host(bytes, true);
  });
}
STRATA_CUDA_CALL cuMemHostAlloc(void** to, std::size_t bytes, unsigned) {
  return guarded([&](Device& device) {
    if (bytes == 0) throw CallError(invalid_value);
    *to = pointer(device.allocate_of_host(bytes, false));
  });
}
STRATA_CUDA_CALL cuMemAllocHost_v2(void** to, std::size_t bytes) {
  return cuMemHostAlloc(to, bytes, 0);
}
STRATA_CUDA_CALL cuMemFree_v2(Address at) {
  return guarded([&](Device& device) { device.free(at); });
}
STRATA_CUDA_CALL cuMemFreeHost(void* at) {
  return cuMemFree_v2(address(at));
}
STRATA_CUDA_CALL cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned) {
  return guarded([&](Device& device) {
    if (at == nullptr || bytes == 0) throw CallError(invalid_value);
    try {
      device.memory().lend(at, bytes, "registered host memory");
    } catch (const ConfigError&) {
      throw CallError(host_memory_registered);
    }
  });
}
STRATA_CUDA_CALL cuMemHostUnregister(void* at) {
  return guarded([&](Device& device) {
    const auto* const known = device.memory().find(address(at));
    if (known == nullptr || !known->lent) throw CallError(host_memory_not_registered);
    device.free(address(at));
  });
}
STRATA_CUDA_CALL cuMemHostGetDevicePointer_v2(Address* to, void* host, unsigned) {
  return guarded([&](Device& device) {
    if (!device.is_device(host)) throw CallError(invalid_value);
    *to = address(host);
  });
}
STRATA_CUDA_CALL cuMemHostGetFlags(unsigned* flags, void*) {
  return guarded([&](Device&) { *flags = 2; });
}
STRATA_CUDA_CALL cuMemGetInfo_v2(std::size_t* left, std::size_t* all) {
  return guarded([&](Device& device) {
    *all = device.description().memory;
    *left = *all - std::min<std::uint64_t>(*all, device.used_bytes());
  });
}
STRATA_CUDA_CALL cuMemGetAddressRange_v2(Address* base, std::size_t* bytes, Address at) {
  return guarded([&](Device& device) {
    const auto* const known = device.memory().find(at);
    if (known == nullptr) throw CallError(not_found);
    if (base != nullptr) *base = known->address;
    if (bytes != nullptr) *bytes = known->bytes;
  });
}
STRATA_CUDA_CALL cuMemPrefetchAsync() {
  return success;
}
STRATA_CUDA_ALIAS(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemPrefetchAsync_v2, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemAdvise, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemAdvise_v2, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemDiscardAndPrefetchBatchAsync_ptsz, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemDiscardAndPrefetchBatchAsync, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemDiscardBatchAsync_ptsz, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemDiscardBatchAsync, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemPrefetchBatchAsync_ptsz, cuMemPrefetchAsync)
STRATA_CUDA_ALIAS(cuMemPrefetchBatchAsync, cuMemPrefetchAsync)

STRATA_CUDA_CALL cuMemcpy(Address to, Address from, std::size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, nullptr);
}
STRATA_CUDA_ALIAS(cuMemcpy_ptds, cuMemcpy)
STRATA_CUDA_CALL cuMemcpyAsync(Address to, Address from, std::size_t bytes, Handle stream) {
  return copy(pointer(to), pointer(from), bytes, stream);
}
STRATA_CUDA_ALIAS(cuMemcpyAsync_ptsz, cuMemcpyAsync)
STRATA_CUDA_CALL cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  return copy(pointer(to), from, bytes, nullptr);
}
STRATA_CUDA_ALIAS(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2)
STRATA_CUDA_CALL cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Handle stream) {
  return copy(pointer(to), from, bytes, stream);
}
STRATA_CUDA_ALIAS(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2)
STRATA_CUDA_CALL cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  return copy(to, pointer(from), bytes, nullptr);
}
STRATA_CUDA_ALIAS(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2)
STRATA_CUDA_CALL cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Handle stream) {
  return copy(to, pointer(from), bytes, stream);
}
STRATA_CUDA_ALIAS(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2)
STRATA_CUDA_CALL cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, nullptr);
}
STRATA_CUDA_ALIAS(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2)
STRATA_CUDA_CALL cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Handle stream) {
  return copy(pointer(to), pointer(from), bytes, stream);
}
STRATA_CUDA_ALIAS(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2)
STRATA_CUDA_CALL cuMemsetD8Async(Address to, unsigned char value, std::size_t count, Handle stream) {
  return fill(to, 0, value, count, 1, stream);
}
STRATA_CUDA_ALIAS(cuMemsetD8Async_ptsz, cuMemsetD8Async)
STRATA_CUDA_CALL cuMemsetD16Async(Address to, unsigned short value, std::size_t count, Handle stream) {
  return fill(to, 0, value, count, 1, stream);
}
STRATA_CUDA_ALIAS(cuMemsetD16Async_ptsz, cuMemsetD16Async)
STRATA_CUDA_CALL cuMemsetD32Async(Address to, unsigned value, std::size_t count, Handle stream) {
  return fill(to, 0, value, count, 1, stream);
}
STRATA_CUDA_ALIAS(cuMemsetD32Async_ptsz, cuMemsetD32Async)
STRATA_CUDA_CALL cuMemsetD8_v2(Address to, unsigned char value, std::size_t count) {
  return fill(to, 0, value, count, 1, nullptr);
}
STRATA_CUDA_ALIAS(cuMemsetD8_v2_ptds, cuMemsetD8_v2)
STRATA_CUDA_CALL cuMemsetD16_v2(Address to, unsigned short value, std::size_t count) {
  return fill(to, 0, value, count, 1, nullptr);
}
STRATA_CUDA_ALIAS(cuMemsetD16_v2_ptds, cuMemsetD16_v2)
STRATA_CUDA_CALL cuMemsetD32_v2(Address to, unsigned value, std::size_t count) {
  return fill(to, 0, value, count, 1, nullptr);
}
STRATA_CUDA_ALIAS(cuMemsetD32_v2_ptds, cuMemsetD32_v2)
STRATA_CUDA_CALL cuMemsetD2D8_v2(Address to, std::size_t pitch, unsigned char value, std::size_t width,
                                 std::size_t height) {
  return fill(to, pitch, value, width, height, nullptr);
}
STRATA_CUDA_ALIAS(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2)
STRATA_CUDA_CALL cuMemsetD2D8Async(Address to, std::size_t pitch, unsigned char value, std::size_t width,
                                   std::size_t height, Handle stream) {
  return fill(to, pitch, value, width, height, stream);
}
STRATA_CUDA_ALIAS(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async)
STRATA_CUDA_CALL cuMemsetD2D32_v2(Address to, std::size_t pitch, unsigned value, std::size_t width,
                                  std::size_t height) {
  return fill(to, pitch, value, width, height, nullptr);
}
STRATA_CUDA_ALIAS(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2)

STRATA_CUDA_CALL cuPointerGetAttribute(void* value, int which, Address at) {
  return guarded([&](Device& device) {
    const auto* const known = device.memory().find(at);
    if (known == nullptr) throw CallError(invalid_value);
    switch (which) {
      case 1:
        *static_cast<Handle*>(value) = &device;
        return;
      case 2:
        *static_cast<int*>(value) = known->of_host && !device.is_managed(pointer(at)) ? 1 : 2;
        return;
      case 3:
        *static_cast<Address*>(value) = at;
        return;
      case 4:
        if (!known->of_host) throw CallError(invalid_value);
        *static_cast<Address*>(value) = at;
        return;
      case 8:
        *static_cast<int*>(value) = device.is_managed(pointer(at)) ? 1 : 0;
        return;
      case 9:
        *static_cast<int*>(value) = 0;
        return;
      case 11:
        *static_cast<Address*>(value) = known->address;
        return;
      case 12:
        *static_cast<std::size_t*>(value) = known->bytes;
        return;
      default:
        throw CallError(invalid_value);
    }
  });
}
