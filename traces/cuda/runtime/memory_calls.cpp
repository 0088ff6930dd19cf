#include <cstring>

#include "traces/cuda/device/streams.h"
#include "traces/cuda/device/textures.h"
#include "traces/cuda/runtime/call.h"

using namespace strata;
using namespace strata::cuda;

using abi::Handle;

namespace {

constexpr std::size_t pitch_step = 512;

void* pointer(Address address) {
  return reinterpret_cast<void*>(address);
}
Address address(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}

void allocate(Device& device, void** to, std::size_t bytes) {
  if (to == nullptr) throw CallError(invalid_value);
  *to = bytes == 0 ? nullptr : pointer(device.allocate(bytes));
}

/// cudaMemcpyKind: 1 to the device, 2 to the host, 3 within the device, 4 from the pointers.
void check_kind(const Device& device, const void* to, const void* from, int kind) {
  if (kind < 0 || kind > 4) throw CallError(static_cast<Error>(21));  // cudaErrorInvalidMemcpyDirection
  if ((kind == 1 || kind == 3) && !device.is_device(to)) throw CallError(invalid_value);
  if ((kind == 2 || kind == 3) && !device.is_device(from)) throw CallError(invalid_value);
}

int copy(void* to, const void* from, std::size_t bytes, int kind, Handle stream) {
  return call([&](Device& device) {
    if (bytes == 0) return;
    check_kind(device, to, from, kind);
    put(device, stream, GraphNode::Kind::copy, [=](Device& d) { d.copy(to, from, bytes); });
  });
}

int copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
              std::size_t height, int kind, Handle stream) {
  return call([&](Device& device) {
    if (width == 0 || height == 0) return;
    if (width > to_pitch || width > from_pitch)
      throw CallError(static_cast<Error>(12));  // cudaErrorInvalidPitchValue
    check_kind(device, to, from, kind);
    put(device, stream, GraphNode::Kind::copy, [=](Device& d) {
      for (std::size_t row = 0; row < height; ++row)
        d.copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
               width);
    });
  });
}

int fill(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, std::size_t depth,
         Handle stream) {
  return call([&](Device& device) {
    const auto byte = static_cast<std::uint8_t>(value);
    put(device, stream, GraphNode::Kind::fill, [=](Device& d) {
      for (std::size_t row = 0; row < height * depth; ++row)
        d.fill(static_cast<char*>(to) + row * pitch, &byte, 1, width);
    });
  });
}

}  // namespace

STRATA_CUDA_CALL cudaMalloc(void** to, std::size_t bytes) {
  return call([&](Device& device) { allocate(device, to, bytes); });
}
STRATA_CUDA_CALL cudaFree(void* at) {
  return call([&](Device& device) { device.free(address(at)); });
}
STRATA_CUDA_CALL cudaMallocManaged(void** to, std::size_t bytes, unsigned) {
  return call([&](Device& device) {
    if (to == nullptr || bytes == 0) throw CallError(invalid_value);
    *to = pointer(device.allocate_of_host(bytes, true));
  });
}
STRATA_CUDA_CALL cudaHostAlloc(void** to, std::size_t bytes, unsigned) {
  return call([&](Device& device) {
    if (to == nullptr) throw CallError(invalid_value);
    *to = bytes == 0 ? nullptr : pointer(device.allocate_of_host(bytes, false));
  });
}
STRATA_CUDA_CALL cudaMallocHost(void** to, std::size_t bytes) {
  return cudaHostAlloc(to, bytes, 0);
}
STRATA_CUDA_CALL cudaFreeHost(void* at) {
  return cudaFree(at);
}
STRATA_CUDA_CALL cudaHostRegister(void* at, std::size_t bytes, unsigned) {
  return call([&](Device& device) {
    if (at == nullptr || bytes == 0) throw CallError(invalid_value);
    try {
      device.memory().register_host(at, bytes, "registered host memory");
    } catch (const std::exception&) {
      throw CallError(host_memory_registered);
    }
  });
}
STRATA_CUDA_CALL cudaHostUnregister(void* at) {
  return call([&](Device& device) {
    const auto* const known = device.memory().find(address(at));
    if (known == nullptr || !known->registered) throw CallError(host_memory_not_registered);
    device.free(address(at));
  });
}
STRATA_CUDA_CALL cudaHostGetDevicePointer(void** to, void* host, unsigned) {
  return call([&](Device& device) {
    if (!device.is_device(host)) throw CallError(invalid_value);
    *to = host;
  });
}
STRATA_CUDA_CALL cudaHostGetFlags(unsigned* flags, void* host) {
  return call([&](Device& device) {
    if (!device.is_device(host)) throw CallError(invalid_value);
    *flags = 2;  // mapped
  });
}

STRATA_CUDA_CALL cudaMallocPitch(void** to, std::size_t* pitch, std::size_t width, std::size_t height) {
  return call([&](Device& device) {
    *pitch = (width + pitch_step - 1) / pitch_step * pitch_step;
    *to = *pitch * height == 0 ? nullptr : pointer(device.allocate(*pitch * height));
  });
}
STRATA_CUDA_CALL cudaMalloc3D(abi::PitchedPointer* to, abi::Extent extent) {
  to->width = extent.width;
  to->height = extent.height;
  return cudaMallocPitch(&to->pointer, &to->pitch, extent.width, extent.height * extent.depth);
}

STRATA_CUDA_CALL cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return copy(to, from, bytes, kind, nullptr);
}
STRATA_CUDA_CALL cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, int kind) {
  const int code = copy(to, from, bytes, kind, of_thread(nullptr));
  return code != success ? code
                         : call([](Device& device) { synchronize_stream(device, of_thread(nullptr)); });
}
STRATA_CUDA_CALL cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, Handle stream) {
  return copy(to, from, bytes, kind, stream);
}
STRATA_CUDA_CALL cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t bytes, int kind,
                                      Handle stream) {
  return copy(to, from, bytes, kind, of_thread(stream));
}
STRATA_CUDA_CALL cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy(to, from, bytes, 3, nullptr);
}
STRATA_CUDA_ALIAS(cudaMemcpyPeer_ptds, cudaMemcpyPeer)
STRATA_CUDA_CALL cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, Handle stream) {
  return copy(to, from, bytes, 3, stream);
}
STRATA_CUDA_ALIAS(cudaMemcpyPeerAsync_ptsz, cudaMemcpyPeerAsync)
STRATA_CUDA_CALL cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, int kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
STRATA_CUDA_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D)
STRATA_CUDA_CALL cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, int kind, Handle stream) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream);
}
STRATA_CUDA_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync)
STRATA_CUDA_CALL cudaMemcpy3DAsync(const abi::Copy3D* what, Handle stream) {
  return call([&](Device& device) {
    const abi::Copy3D all = *what;
    put(device, stream, GraphNode::Kind::copy, [=](Device& d) { copy_box(d, all); });
  });
}
STRATA_CUDA_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync)
STRATA_CUDA_CALL cudaMemcpy3D(const abi::Copy3D* what) {
  return cudaMemcpy3DAsync(what, nullptr);
}
STRATA_CUDA_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D)

STRATA_CUDA_CALL cudaMemset(void* to, int value, std::size_t bytes) {
  return fill(to, 0, value, bytes, 1, 1, nullptr);
}
STRATA_CUDA_CALL cudaMemset_ptds(void* to, int value, std::size_t bytes) {
  return fill(to, 0, value, bytes, 1, 1, of_thread(nullptr));
}
STRATA_CUDA_CALL cudaMemsetAsync(void* to, int value, std::size_t bytes, Handle stream) {
  return fill(to, 0, value, bytes, 1, 1, stream);
}
STRATA_CUDA_CALL cudaMemsetAsync_ptsz(void* to, int value, std::size_t bytes, Handle stream) {
  return fill(to, 0, value, bytes, 1, 1, of_thread(stream));
}
STRATA_CUDA_CALL cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill(to, pitch, value, width, height, 1, nullptr);
}
STRATA_CUDA_ALIAS(cudaMemset2D_ptds, cudaMemset2D)
STRATA_CUDA_CALL cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                   std::size_t height, Handle stream) {
  return fill(to, pitch, value, width, height, 1, stream);
}
STRATA_CUDA_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync)
STRATA_CUDA_CALL cudaMemset3DAsync(abi::PitchedPointer to, int value, abi::Extent extent, Handle stream) {
  if (extent.height == to.height || extent.depth == 1)
    return fill(to.pointer, to.pitch, value, extent.width, extent.height, extent.depth, stream);
  int code = success;
  for (std::size_t z = 0; z < extent.depth && code == success; ++z)
    code = fill(static_cast<char*>(to.pointer) + z * to.pitch * to.height, to.pitch, value, extent.width,
                extent.height, 1, stream);
  return code;
}
STRATA_CUDA_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync)
STRATA_CUDA_CALL cudaMemset3D(abi::PitchedPointer to, int value, abi::Extent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}
STRATA_CUDA_ALIAS(cudaMemset3D_ptds, cudaMemset3D)

STRATA_CUDA_CALL cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                         std::size_t offset, int kind, Handle stream) {
  return call([&](Device& device) {
    std::uint64_t size = 0;
    void* const to = pointer(symbol_address(device, symbol, &size) + offset);
    if (offset > size || bytes > size - offset) throw CallError(invalid_value);
    check_kind(device, to, from, kind);
    put(device, stream, GraphNode::Kind::copy, [=](Device& d) { d.copy(to, from, bytes); });
  });
}
STRATA_CUDA_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync)
STRATA_CUDA_CALL cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, int kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}
STRATA_CUDA_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol)
STRATA_CUDA_CALL cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                           std::size_t offset, int kind, Handle stream) {
  return call([&](Device& device) {
    std::uint64_t size = 0;
    const void* const from = pointer(symbol_address(device, symbol, &size) + offset);
    if (offset > size || bytes > size - offset) throw CallError(invalid_value);
    check_kind(device, to, from, kind);
    put(device, stream, GraphNode::Kind::copy, [=](Device& d) { d.copy(to, from, bytes); });
  });
}
STRATA_CUDA_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync)
STRATA_CUDA_CALL cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      int kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}
STRATA_CUDA_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol)
STRATA_CUDA_CALL cudaGetSymbolAddress(void** to, const void* symbol) {
  return call([&](Device& device) { *to = pointer(symbol_address(device, symbol)); });
}
STRATA_CUDA_CALL cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call([&](Device& device) {
    std::uint64_t size = 0;
    symbol_address(device, symbol, &size);
    *bytes = size;
  });
}

STRATA_CUDA_CALL cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  return call([&](Device& device) {
    *all = device.description().memory;
    *left = *all - std::min<std::uint64_t>(*all, device.used_bytes());
  });
}
STRATA_CUDA_CALL cudaPointerGetAttributes(abi::PointerAttributes* to, const void* of) {
  return call([&](Device& device) {
    *to = abi::PointerAttributes();
    const auto* const known = device.memory().find(address(of));
    to->device = known == nullptr ? -2 : 0;
    if (known == nullptr) return;
    to->type = device.is_managed(of) ? 3 : known->of_host ? 1 : 2;
    to->of_device = const_cast<void*>(of);
    to->of_host = known->of_host ? const_cast<void*>(of) : nullptr;
  });
}
STRATA_CUDA_CALL cudaMemPrefetchAsync() {
  return success;
}
STRATA_CUDA_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemAdvise, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemAdvise_v2, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemDiscardAndPrefetchBatchAsync, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemDiscardBatchAsync_ptsz, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemDiscardBatchAsync, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchAsync)
STRATA_CUDA_ALIAS(cudaMemPrefetchBatchAsync, cudaMemPrefetchAsync)

namespace {

/// Since version 13 `eighth` is the stream; before, it receives the number of an invalid copy, and `ninth` is
/// the stream.
int copy(const CopyBatch& batch, void* eighth, Handle ninth, bool legacy) {
  const bool short_form = runtime_major >= 13;
  const Handle stream = short_form ? eighth : ninth;
  return call([&](Device& device) {
    if (legacy) check_not_legacy(stream);
    copy_batch(device, stream, batch, short_form ? nullptr : static_cast<std::size_t*>(eighth));
  });
}

}  // namespace

STRATA_CUDA_CALL cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                      std::size_t count, const abi::CopyAttributes* attributes,
                                      const std::size_t* firsts, std::size_t kinds, void* eighth,
                                      Handle ninth) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, eighth, ninth, true);
}
STRATA_CUDA_CALL cudaMemcpyBatchAsync_ptsz(void* const* to, const void* const* from, const std::size_t* bytes,
                                           std::size_t count, const abi::CopyAttributes* attributes,
                                           const std::size_t* firsts, std::size_t kinds, void* eighth,
                                           Handle ninth) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, eighth, ninth, false);
}

// Stream-ordered allocation and its pools, as in the driver.

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

/// The driver's code, which equals the runtime's.
int record_error(int code) {
  if (code != success) last_error() = code;
  return code;
}
/// A size of 0 gives no memory; for the driver it is an error.
template <class Allocate>
int allocate(void** to, std::size_t bytes, Allocate&& allocate_from) {
  if (to == nullptr) return record_error(invalid_value);
  *to = nullptr;
  if (bytes == 0) return call([](Device&) {});
  Address at = 0;
  const int code = record_error(allocate_from(&at));
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
  return record_error(cuMemFreeAsync(reinterpret_cast<Address>(at), stream));
}
STRATA_CUDA_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync)
STRATA_CUDA_CALL cudaDeviceGetDefaultMemPool(Handle* pool, int number) {
  return record_error(cuDeviceGetDefaultMemPool(pool, number));
}
STRATA_CUDA_CALL cudaDeviceGetMemPool(Handle* pool, int number) {
  return record_error(cuDeviceGetMemPool(pool, number));
}
STRATA_CUDA_CALL cudaDeviceSetMemPool(int number, Handle pool) {
  return record_error(cuDeviceSetMemPool(number, pool));
}
STRATA_CUDA_CALL cudaMemGetDefaultMemPool(Handle* pool, const abi::MemoryLocation* location, int kind) {
  return record_error(cuMemGetDefaultMemPool(pool, location, kind));
}
STRATA_CUDA_CALL cudaMemGetMemPool(Handle* pool, const abi::MemoryLocation* location, int kind) {
  return record_error(cuMemGetMemPool(pool, location, kind));
}
STRATA_CUDA_CALL cudaMemSetMemPool(const abi::MemoryLocation* location, int kind, Handle pool) {
  return record_error(cuMemSetMemPool(location, kind, pool));
}
STRATA_CUDA_CALL cudaMemPoolCreate(Handle* pool, const abi::PoolProperties* what) {
  return record_error(cuMemPoolCreate(pool, what));
}
STRATA_CUDA_CALL cudaMemPoolDestroy(Handle pool) {
  return record_error(cuMemPoolDestroy(pool));
}
STRATA_CUDA_CALL cudaMemPoolSetAttribute(Handle pool, int attribute, const void* value) {
  return record_error(cuMemPoolSetAttribute(pool, attribute, value));
}
STRATA_CUDA_CALL cudaMemPoolGetAttribute(Handle pool, int attribute, void* value) {
  return record_error(cuMemPoolGetAttribute(pool, attribute, value));
}
STRATA_CUDA_CALL cudaMemPoolSetAccess(Handle pool, const abi::MemoryAccess* rights, std::size_t count) {
  return record_error(cuMemPoolSetAccess(pool, rights, count));
}
STRATA_CUDA_CALL cudaMemPoolGetAccess(int* access, Handle pool, const abi::MemoryLocation* location) {
  return record_error(cuMemPoolGetAccess(access, pool, location));
}
STRATA_CUDA_CALL cudaMemPoolTrimTo(Handle pool, std::size_t bytes) {
  return record_error(cuMemPoolTrimTo(pool, bytes));
}
