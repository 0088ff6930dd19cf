#include <algorithm>
#include <cstring>
#include <string>

#include "models/common/faults.h"
#include "traces/cuda/device/device.h"
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/device/streams.h"
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
      device.memory().register_host(at, bytes, "registered host memory");
    } catch (const ConfigError&) {
      throw CallError(host_memory_registered);
    }
  });
}
STRATA_CUDA_CALL cuMemHostUnregister(void* at) {
  return guarded([&](Device& device) {
    const auto* const known = device.memory().find(address(at));
    if (known == nullptr || !known->registered) throw CallError(host_memory_not_registered);
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

namespace {

int copy(const CopyBatch& batch, std::size_t* failed, Handle stream, bool legacy) {
  return guarded([&](Device& device) {
    if (legacy) check_not_legacy(stream);
    copy_batch(device, stream, batch, failed);
  });
}

}  // namespace

STRATA_CUDA_CALL cuMemcpyBatchAsync(void* const* to, void* const* from, const std::size_t* bytes,
                                    std::size_t count, const abi::CopyAttributes* attributes,
                                    const std::size_t* firsts, std::size_t kinds, std::size_t* failed,
                                    Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, failed, stream, true);
}
STRATA_CUDA_CALL cuMemcpyBatchAsync_ptsz(void* const* to, void* const* from, const std::size_t* bytes,
                                         std::size_t count, const abi::CopyAttributes* attributes,
                                         const std::size_t* firsts, std::size_t kinds, std::size_t* failed,
                                         Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, failed, stream, false);
}
STRATA_CUDA_CALL cuMemcpyBatchAsync_v2(void* const* to, void* const* from, const std::size_t* bytes,
                                       std::size_t count, const abi::CopyAttributes* attributes,
                                       const std::size_t* firsts, std::size_t kinds, Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, nullptr, stream, true);
}
STRATA_CUDA_CALL cuMemcpyBatchAsync_v2_ptsz(void* const* to, void* const* from, const std::size_t* bytes,
                                            std::size_t count, const abi::CopyAttributes* attributes,
                                            const std::size_t* firsts, std::size_t kinds, Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, nullptr, stream, false);
}

// Stream-ordered allocation and its pools.

using abi::Handle;

namespace {

void allocate(Device& device, Address* to, std::size_t bytes, Handle stream, MemoryPool& pool) {
  if (to == nullptr || bytes == 0) throw CallError(invalid_value);
  *to = allocate_on(device, stream, bytes, pool);
}
template <class Does>
int with_pool(Handle pool, Does&& does) {
  return guarded([&](Device& device) { does(device.memory_pools().at(pool)); });
}

}  // namespace

STRATA_CUDA_CALL cuMemAllocAsync(Address* to, std::size_t bytes, Handle stream) {
  return guarded(
      [&](Device& device) { allocate(device, to, bytes, stream, device.memory_pools().current()); });
}
STRATA_CUDA_ALIAS(cuMemAllocAsync_ptsz, cuMemAllocAsync)
STRATA_CUDA_CALL cuMemAllocFromPoolAsync(Address* to, std::size_t bytes, Handle pool, Handle stream) {
  return guarded(
      [&](Device& device) { allocate(device, to, bytes, stream, device.memory_pools().at(pool)); });
}
STRATA_CUDA_ALIAS(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync)
STRATA_CUDA_CALL cuMemFreeAsync(Address at, Handle stream) {
  return guarded([&](Device& device) { free_on(device, stream, at); });
}
STRATA_CUDA_ALIAS(cuMemFreeAsync_ptsz, cuMemFreeAsync)

STRATA_CUDA_CALL cuDeviceGetDefaultMemPool(Handle* pool, int number) {
  return guarded([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    *pool = &device.memory_pools().standard();
  });
}
STRATA_CUDA_CALL cuDeviceGetMemPool(Handle* pool, int number) {
  return guarded([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    *pool = &device.memory_pools().current();
  });
}
STRATA_CUDA_CALL cuDeviceSetMemPool(int number, Handle pool) {
  return guarded([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    device.memory_pools().set_current(device.memory_pools().at(pool));
  });
}
STRATA_CUDA_CALL cuMemGetDefaultMemPool(Handle* pool, const abi::MemoryLocation* location, int) {
  return guarded([&](Device& device) {
    check_location(location);
    *pool = &device.memory_pools().standard();
  });
}
STRATA_CUDA_CALL cuMemGetMemPool(Handle* pool, const abi::MemoryLocation* location, int) {
  return guarded([&](Device& device) {
    check_location(location);
    *pool = &device.memory_pools().current();
  });
}
STRATA_CUDA_CALL cuMemSetMemPool(const abi::MemoryLocation* location, int, Handle pool) {
  return guarded([&](Device& device) {
    check_location(location);
    device.memory_pools().set_current(device.memory_pools().at(pool));
  });
}
STRATA_CUDA_CALL cuMemPoolCreate(Handle* pool, const abi::PoolProperties* what) {
  return guarded([&](Device& device) {
    if (pool == nullptr || what == nullptr) throw CallError(invalid_value);
    *pool = &make_pool(device, *what);
  });
}
STRATA_CUDA_CALL cuMemPoolDestroy(Handle pool) {
  return guarded([&](Device& device) { device.memory_pools().destroy(pool); });
}
STRATA_CUDA_CALL cuMemPoolSetAttribute(Handle pool, int attribute, const void* value) {
  return with_pool(pool, [&](MemoryPool& one) { one.set(attribute, value); });
}
STRATA_CUDA_CALL cuMemPoolGetAttribute(Handle pool, int attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& one) { one.get(attribute, value); });
}
STRATA_CUDA_CALL cuMemPoolSetAccess(Handle pool, const abi::MemoryAccess* rights, std::size_t count) {
  return guarded([&](Device& device) { check_access(device, pool, rights, count); });
}
STRATA_CUDA_CALL cuMemPoolGetAccess(int* access, Handle pool, const abi::MemoryLocation* location) {
  return with_pool(pool, [&](MemoryPool&) {
    check_location(location);
    *access = 3;  // read and write
  });
}
STRATA_CUDA_CALL cuMemPoolTrimTo(Handle pool, std::size_t bytes) {
  return with_pool(pool, [&](MemoryPool& one) { one.trim(bytes); });
}

// Virtual memory management.

namespace {

constexpr int on_device = 1;  // CU_MEM_LOCATION_TYPE_DEVICE

/// Throws CallError if it is not memory of the device.
void check(Device& device, const abi::MemoryProperties& what, const char* call) {
  if (what.type != 1) throw CallError(invalid_value);
  if (what.location.type != on_device)
    throw CallError(
        device.absent((std::string(call) + " of memory of the host").c_str(), "CUDA_ERROR_NOT_SUPPORTED"));
  if (what.location.id != 0) throw CallError(invalid_device);
}

}  // namespace

/// The requested address is a hint and is ignored.
STRATA_CUDA_CALL cuMemAddressReserve(Address* to, std::size_t bytes, std::size_t align, Address,
                                     unsigned long long flags) {
  return guarded([&](Device& device) {
    if (to == nullptr || flags != 0) throw CallError(invalid_value);
    *to = device.virtual_memory().reserve(bytes, align);
  });
}
STRATA_CUDA_CALL cuMemAddressFree(Address at, std::size_t bytes) {
  return guarded([&](Device& device) { device.virtual_memory().release(at, bytes); });
}
STRATA_CUDA_CALL cuMemCreate(std::uint64_t* handle, std::size_t bytes, const abi::MemoryProperties* what,
                             unsigned long long flags) {
  return guarded([&](Device& device) {
    if (handle == nullptr || what == nullptr || flags != 0) throw CallError(invalid_value);
    check(device, *what, "cuMemCreate");
    if (what->handles != 0)
      throw CallError(
          device.absent("cuMemCreate of memory that processes share", "CUDA_ERROR_NOT_SUPPORTED"));
    if (device.used_bytes() + bytes > device.description().memory) throw CallError(out_of_memory);
    abi::MemoryProperties properties = *what;
    int compresses = 0;
    device.description().attribute(107, compresses);  // CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED
    if (compresses == 0) properties.compression = 0;  // may be requested all the same
    *handle = device.virtual_memory().create(properties, bytes);
  });
}
STRATA_CUDA_CALL cuMemRelease(std::uint64_t handle) {
  return guarded([&](Device& device) { device.virtual_memory().drop(handle); });
}
STRATA_CUDA_CALL cuMemRetainAllocationHandle(std::uint64_t* handle, void* at) {
  return guarded([&](Device& device) { *handle = device.virtual_memory().retain(address(at)); });
}
STRATA_CUDA_CALL cuMemGetAllocationPropertiesFromHandle(abi::MemoryProperties* to, std::uint64_t handle) {
  return guarded([&](Device& device) { *to = device.virtual_memory().properties(handle); });
}
STRATA_CUDA_CALL cuMemGetAllocationGranularity(std::size_t* bytes, const abi::MemoryProperties* what,
                                               int which) {
  return guarded([&](Device& device) {
    if (bytes == nullptr || what == nullptr || which < 0 || which > 1) throw CallError(invalid_value);
    check(device, *what, "cuMemGetAllocationGranularity");
    *bytes = VirtualMemory::granularity;
  });
}
STRATA_CUDA_CALL cuMemMap(Address at, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                          unsigned long long flags) {
  return guarded([&](Device& device) {
    if (offset != 0 || flags != 0) throw CallError(invalid_value);
    device.virtual_memory().map(at, bytes, handle);
  });
}
STRATA_CUDA_CALL cuMemUnmap(Address at, std::size_t bytes) {
  return guarded([&](Device& device) { device.virtual_memory().unmap(at, bytes); });
}
STRATA_CUDA_CALL cuMemSetAccess(Address at, std::size_t bytes, const abi::MemoryAccess* rights,
                                std::size_t count) {
  return guarded([&](Device& device) {
    if (rights == nullptr || count == 0) throw CallError(invalid_value);
    for (const abi::MemoryAccess* one = rights; one != rights + count; ++one) {
      if (one->location.type != on_device)
        throw CallError(device.absent("cuMemSetAccess for the host", "CUDA_ERROR_NOT_SUPPORTED"));
      if (one->location.id != 0) throw CallError(invalid_device);
      if (one->access != VirtualMemory::none && one->access != VirtualMemory::read &&
          one->access != VirtualMemory::read_write)
        throw CallError(invalid_value);
    }
    device.virtual_memory().allow(at, bytes, static_cast<VirtualMemory::Access>(rights[count - 1].access));
  });
}
STRATA_CUDA_CALL cuMemGetAccess(unsigned long long* access, const abi::MemoryLocation* location, Address at) {
  return guarded([&](Device& device) {
    if (location->type != on_device || location->id != 0) throw CallError(invalid_device);
    *access = device.virtual_memory().access(at);
  });
}
