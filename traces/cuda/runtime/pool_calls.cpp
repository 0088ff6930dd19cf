// Memory that is allocated in the order of a stream, and the pools that it comes from: as the driver has
// them.
#include "traces/cuda/runtime/call.h"

using namespace strata;
using namespace strata::cuda;
using abi::Handle;

extern "C" {
int cuMemAllocAsync(Address* to, std::size_t bytes, Handle stream);
int cuMemAllocFromPoolAsync(Address* to, std::size_t bytes, Handle pool, Handle stream);
int cuMemFreeAsync(Address at, Handle stream);
int cuDeviceGetDefaultMemPool(Handle* pool, int number);
int cuDeviceGetMemPool(Handle* pool, int number);
int cuDeviceSetMemPool(int number, Handle pool);
int cuMemGetDefaultMemPool(Handle* pool, const abi::MemoryLocation* location, int kind);
int cuMemGetMemPool(Handle* pool, const abi::MemoryLocation* location, int kind);
int cuMemSetMemPool(const abi::MemoryLocation* location, int kind, Handle pool);
int cuMemPoolCreate(Handle* pool, const abi::PoolProperties* what);
int cuMemPoolDestroy(Handle pool);
int cuMemPoolSetAttribute(Handle pool, int attribute, const void* value);
int cuMemPoolGetAttribute(Handle pool, int attribute, void* value);
int cuMemPoolSetAccess(Handle pool, const abi::MemoryAccess* rights, std::size_t count);
int cuMemPoolGetAccess(int* access, Handle pool, const abi::MemoryLocation* location);
int cuMemPoolTrimTo(Handle pool, std::size_t bytes);
}

namespace {

/// The driver's code, which is the runtime's.
int told(int code) {
  if (code != success) last_error() = code;
  return code;
}
/// Nothing is no memory here; for the driver it is an error.
template <class Allocate>
int allocate(void** to, std::size_t bytes, Allocate&& allocate_from) {
  if (to == nullptr) return told(invalid_value);
  *to = nullptr;
  if (bytes == 0) return call([](Device&) {});
  Address at = 0;
  const int code = told(allocate_from(&at));
  if (code == success) *to = reinterpret_cast<void*>(at);
  return code;
}

}  // namespace

STRATA_CUDA_CALL cudaMallocAsync(void** to, std::size_t bytes, Handle stream) {
  return allocate(to, bytes, [&](Address* at) { return cuMemAllocAsync(at, bytes, stream); });
}
STRATA_CUDA_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync)
STRATA_CUDA_CALL cudaMallocFromPoolAsync(void** to, std::size_t bytes, Handle pool, Handle stream) {
  return allocate(to, bytes, [&](Address* at) { return cuMemAllocFromPoolAsync(at, bytes, pool, stream); });
}
STRATA_CUDA_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync)
STRATA_CUDA_CALL cudaFreeAsync(void* at, Handle stream) {
  return told(cuMemFreeAsync(reinterpret_cast<Address>(at), stream));
}
STRATA_CUDA_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync)
STRATA_CUDA_CALL cudaDeviceGetDefaultMemPool(Handle* pool, int number) {
  return told(cuDeviceGetDefaultMemPool(pool, number));
}
STRATA_CUDA_CALL cudaDeviceGetMemPool(Handle* pool, int number) {
  return told(cuDeviceGetMemPool(pool, number));
}
STRATA_CUDA_CALL cudaDeviceSetMemPool(int number, Handle pool) {
  return told(cuDeviceSetMemPool(number, pool));
}
STRATA_CUDA_CALL cudaMemGetDefaultMemPool(Handle* pool, const abi::MemoryLocation* location, int kind) {
  return told(cuMemGetDefaultMemPool(pool, location, kind));
}
STRATA_CUDA_CALL cudaMemGetMemPool(Handle* pool, const abi::MemoryLocation* location, int kind) {
  return told(cuMemGetMemPool(pool, location, kind));
}
STRATA_CUDA_CALL cudaMemSetMemPool(const abi::MemoryLocation* location, int kind, Handle pool) {
  return told(cuMemSetMemPool(location, kind, pool));
}
STRATA_CUDA_CALL cudaMemPoolCreate(Handle* pool, const abi::PoolProperties* what) {
  return told(cuMemPoolCreate(pool, what));
}
STRATA_CUDA_CALL cudaMemPoolDestroy(Handle pool) {
  return told(cuMemPoolDestroy(pool));
}
STRATA_CUDA_CALL cudaMemPoolSetAttribute(Handle pool, int attribute, const void* value) {
  return told(cuMemPoolSetAttribute(pool, attribute, value));
}
STRATA_CUDA_CALL cudaMemPoolGetAttribute(Handle pool, int attribute, void* value) {
  return told(cuMemPoolGetAttribute(pool, attribute, value));
}
STRATA_CUDA_CALL cudaMemPoolSetAccess(Handle pool, const abi::MemoryAccess* rights, std::size_t count) {
  return told(cuMemPoolSetAccess(pool, rights, count));
}
STRATA_CUDA_CALL cudaMemPoolGetAccess(int* access, Handle pool, const abi::MemoryLocation* location) {
  return told(cuMemPoolGetAccess(access, pool, location));
}
STRATA_CUDA_CALL cudaMemPoolTrimTo(Handle pool, std::size_t bytes) {
  return told(cuMemPoolTrimTo(pool, bytes));
}
