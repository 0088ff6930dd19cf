// Memory that is allocated in the order of a stream, and the pools that it comes from.
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/device/guarded.h"

using namespace strata;
using namespace strata::cuda;
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
