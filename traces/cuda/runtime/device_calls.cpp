#include <cstring>

#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/device_properties.h"
#include "traces/cuda/runtime/runtime_version.h"

using namespace strata::cuda;

namespace {

constexpr int driver_version = 13000;
// The limits that are kept: cudaLimitMallocHeapSize, cudaLimitPersistingL2CacheSize.
constexpr int malloc_heap = 2, persisting_l2 = 6;

int check_device(int number) {
  return call([&](Device&) {
    if (number != 0) throw CallError(invalid_device);
  });
}

/// A call that has nothing to do here.
int nothing() {
  return call([](Device&) {});
}

}  // namespace

STRATA_CUDA_CALL cudaGetDeviceCount(int* count) {
  return call([&](Device&) { *count = 1; });
}
STRATA_CUDA_CALL cudaGetDevice(int* number) {
  return call([&](Device&) { *number = 0; });
}
STRATA_CUDA_CALL cudaSetDevice(int number) {
  return check_device(number);
}
STRATA_CUDA_CALL cudaInitDevice(int number, unsigned, unsigned) {
  return check_device(number);
}
STRATA_CUDA_CALL cudaChooseDevice(int* number, const void*) {
  return cudaGetDevice(number);
}
STRATA_CUDA_CALL cudaSetValidDevices(int*, int) {
  return nothing();
}
STRATA_CUDA_CALL cudaSetDeviceFlags(unsigned) {
  return nothing();
}
STRATA_CUDA_CALL cudaGetDeviceFlags(unsigned* flags) {
  return call([&](Device&) { *flags = 0; });
}
STRATA_CUDA_CALL cudaDeviceSynchronize() {
  return call([](Device& device) { device.synchronize(); });
}
STRATA_CUDA_CALL cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
STRATA_CUDA_CALL cudaDeviceReset() {
  const int code = nothing();
  Device::get().reset();
  return code;
}
STRATA_CUDA_CALL cudaThreadExit() {
  return cudaDeviceReset();
}
STRATA_CUDA_CALL cudaDeviceSetLimit(int limit, std::size_t bytes) {
  return call([&](Device& device) {
    if (limit == malloc_heap) device.memory().set_heap_bytes(bytes);
    if (limit == persisting_l2) device.set_persisting_bytes(bytes);
  });
}
STRATA_CUDA_CALL cudaDeviceGetLimit(std::size_t* value, int limit) {
  return call([&](Device& device) {
    if (limit != malloc_heap && limit != persisting_l2) throw CallError(unsupported_limit);
    *value = limit == malloc_heap ? device.memory().heap_bytes() : device.persisting_bytes();
  });
}
STRATA_CUDA_CALL cudaDeviceSetCacheConfig(int) {
  return nothing();
}
STRATA_CUDA_CALL cudaDeviceGetCacheConfig(int* config) {
  return call([&](Device&) { *config = 0; });
}
STRATA_CUDA_CALL cudaDeviceSetSharedMemConfig(int) {
  return nothing();
}
STRATA_CUDA_CALL cudaDeviceGetSharedMemConfig(int* config) {
  return call([&](Device&) { *config = 1; });
}
STRATA_CUDA_CALL cudaCtxResetPersistingL2Cache() {
  return nothing();
}
STRATA_CUDA_CALL cudaProfilerStart() {
  return nothing();
}
STRATA_CUDA_CALL cudaProfilerStop() {
  return nothing();
}
STRATA_CUDA_CALL cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](Device&) {
    *least = 0;
    *greatest = -5;
  });
}
STRATA_CUDA_CALL cudaDeviceCanAccessPeer(int* can, int, int) {
  return call([&](Device&) { *can = 0; });
}
STRATA_CUDA_CALL cudaDeviceGetPCIBusId(char* text, int bytes, int number) {
  return call([&](Device&) {
    constexpr char id[] = "0000:00:00.0";
    if (number != 0) throw CallError(invalid_device);
    if (bytes < static_cast<int>(sizeof id)) throw CallError(invalid_value);
    std::memcpy(text, id, sizeof id);
  });
}

STRATA_CUDA_CALL cudaDeviceGetAttribute(int* value, int attribute, int number) {
  return call([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    if (value == nullptr || !device.description().attribute(attribute, *value))
      throw CallError(invalid_value);
  });
}
STRATA_CUDA_CALL cudaGetDeviceProperties(void* to, int number) {
  return call([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    write_properties(device.description(), runtime_major, to);
  });
}
STRATA_CUDA_CALL cudaGetDeviceProperties_v2(void* to, int number) {
  return cudaGetDeviceProperties(to, number);
}

STRATA_CUDA_CALL cudaRuntimeGetVersion(int* version) {
  *version = runtime_major * 1000;
  return success;
}
STRATA_CUDA_CALL cudaDriverGetVersion(int* version) {
  *version = driver_version;
  return success;
}

// A kernel fault stays the answer of every call, once a call has told of it; what one call alone failed with
// is told once.
STRATA_CUDA_CALL cudaPeekAtLastError() {
  const Device& device = Device::get();
  return device.has_told() ? device.broken() : last_error();
}
STRATA_CUDA_CALL cudaGetLastError() {
  const int code = cudaPeekAtLastError();
  last_error() = success;
  return code;
}
STRATA_CUDA_ENTRY const char* cudaGetErrorName(int code) {
  return runtime_error_name(code);
}
STRATA_CUDA_ENTRY const char* cudaGetErrorString(int code) {
  return error_text(code);
}
