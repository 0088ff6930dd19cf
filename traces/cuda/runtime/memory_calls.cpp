#include <cstring>

#include "traces/cuda/device/arrays.h"
#include "traces/cuda/device/streams.h"
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/registry.h"

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

/// cudaMemcpyKind: 1 to the device, 2 to the host, 3 within the device, 4 as the pointers say.
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
      device.memory().lend(at, bytes, "registered host memory");
    } catch (const std::exception&) {
      throw CallError(host_memory_registered);
    }
  });
}
STRATA_CUDA_CALL cudaHostUnregister(void* at) {
  return call([&](Device& device) {
    const auto* const known = device.memory().find(address(at));
    if (known == nullptr || !known->lent) throw CallError(host_memory_not_registered);
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
