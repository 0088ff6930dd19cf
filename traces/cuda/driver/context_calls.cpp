// Devices and contexts: there is one of each, whatever a program creates.
#include <algorithm>
#include <cstring>

#include "traces/cuda/driver/driver_call.h"

using namespace strata::cuda;

namespace {

constexpr int driver_version = 13000;
// Stored limits: CU_LIMIT_MALLOC_HEAP_SIZE, CU_LIMIT_PERSISTING_L2_CACHE_SIZE.
constexpr int malloc_heap = 2, persisting_l2 = 6;
thread_local bool has_context = false;

Handle context() {
  return &Device::get();
}
int nothing() {
  return guarded([](Device&) {});
}
int use_context(Handle* to) {
  return guarded([&](Device&) {
    if (to != nullptr) *to = context();
    has_context = true;
  });
}

}  // namespace

STRATA_CUDA_CALL cuInit(unsigned) {
  return nothing();
}
STRATA_CUDA_CALL cuDriverGetVersion(int* version) {
  *version = driver_version;
  return success;
}
STRATA_CUDA_CALL cuDeviceGet(int* device, int number) {
  return guarded([&](Device&) {
    if (number != 0) throw CallError(invalid_device);
    *device = 0;
  });
}
STRATA_CUDA_CALL cuDeviceGetCount(int* count) {
  return guarded([&](Device&) { *count = 1; });
}
STRATA_CUDA_CALL cuDeviceGetName(char* name, int bytes, int) {
  return guarded([&](Device& device) {
    const std::string& text = device.description().name;
    if (bytes <= 0) throw CallError(invalid_value);
    std::strncpy(name, text.c_str(), static_cast<std::size_t>(bytes) - 1);
    name[bytes - 1] = '\0';
  });
}
STRATA_CUDA_CALL cuDeviceGetUuid(void* uuid, int) {
  return guarded([&](Device&) { std::memcpy(uuid, "Strata's device.", 16); });
}
STRATA_CUDA_ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid)
STRATA_CUDA_CALL cuDeviceGetLuid(char* luid, unsigned* mask, int) {
  return guarded([&](Device&) {
    std::memset(luid, 0, 8);
    *mask = 0;
  });
}
STRATA_CUDA_CALL cuDeviceGetAttribute(int* value, int attribute, int) {
  return guarded([&](Device& device) {
    if (!device.description().attribute(attribute, *value)) throw CallError(invalid_value);
  });
}
STRATA_CUDA_CALL cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  return guarded([&](Device& device) { *bytes = device.description().memory; });
}
STRATA_CUDA_CALL cuDeviceComputeCapability(int* major, int* minor, int) {
  return guarded([&](Device& device) {
    *major = device.description().capability / 10;
    *minor = device.description().capability % 10;
  });
}
STRATA_CUDA_CALL cuDeviceCanAccessPeer(int* can, int, int) {
  return guarded([&](Device&) { *can = 0; });
}
STRATA_CUDA_CALL cuDeviceGetPCIBusId(char* text, int bytes, int) {
  return guarded([&](Device&) {
    constexpr char id[] = "0000:00:00.0";
    if (bytes < static_cast<int>(sizeof id)) throw CallError(invalid_value);
    std::memcpy(text, id, sizeof id);
  });
}
STRATA_CUDA_CALL cuDevicePrimaryCtxRetain(Handle* to, int) {
  return guarded([&](Device&) { *to = context(); });
}
STRATA_CUDA_CALL cuDevicePrimaryCtxRelease_v2(int) {
  return nothing();
}
STRATA_CUDA_CALL cuDevicePrimaryCtxReset_v2(int) {
  const int code = nothing();
  Device::get().reset();
  return code;
}
STRATA_CUDA_CALL cuDevicePrimaryCtxSetFlags_v2(int, unsigned) {
  return nothing();
}
STRATA_CUDA_CALL cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  return guarded([&](Device&) {
    *flags = 0;
    *active = 1;
  });
}
STRATA_CUDA_CALL cuCtxCreate_v2(Handle* to, unsigned, int) {
  return use_context(to);
}
STRATA_CUDA_CALL cuCtxCreate_v3(Handle* to, void*, int, unsigned, int) {
  return use_context(to);
}
STRATA_CUDA_CALL cuCtxCreate_v4(Handle* to, void*, unsigned, int) {
  return use_context(to);
}
STRATA_CUDA_CALL cuCtxDestroy_v2(Handle) {
  return nothing();
}
STRATA_CUDA_CALL cuCtxPushCurrent_v2(Handle) {
  return use_context(nullptr);
}
STRATA_CUDA_CALL cuCtxPopCurrent_v2(Handle* to) {
  return use_context(to);
}
STRATA_CUDA_CALL cuCtxSetCurrent(Handle to) {
  has_context = to != nullptr;
  return nothing();
}
STRATA_CUDA_CALL cuCtxGetCurrent(Handle* to) {
  return guarded([&](Device&) { *to = has_context ? context() : nullptr; });
}
STRATA_CUDA_CALL cuCtxGetDevice(int* device) {
  return guarded([&](Device&) { *device = 0; });
}
STRATA_CUDA_CALL cuCtxGetDevice_v2(int* device, Handle) {
  return cuCtxGetDevice(device);
}
STRATA_CUDA_CALL cuCtxGetFlags(unsigned* flags) {
  return guarded([&](Device&) { *flags = 0; });
}
STRATA_CUDA_CALL cuCtxGetApiVersion(Handle, unsigned* version) {
  return guarded([&](Device&) { *version = 3020; });
}
STRATA_CUDA_CALL cuCtxSynchronize() {
  return guarded([](Device& device) { device.synchronize(); });
}
STRATA_CUDA_CALL cuCtxSynchronize_v2(Handle) {
  return cuCtxSynchronize();
}
STRATA_CUDA_CALL cuCtxSetLimit(int limit, std::size_t bytes) {
  return guarded([&](Device& device) {
    if (limit == malloc_heap) device.memory().set_heap_bytes(bytes);
    if (limit == persisting_l2) device.set_persisting_bytes(bytes);
  });
}
STRATA_CUDA_CALL cuCtxGetLimit(std::size_t* bytes, int limit) {
  return guarded([&](Device& device) {
    if (limit != malloc_heap && limit != persisting_l2) throw CallError(unsupported_limit);
    *bytes = limit == malloc_heap ? device.memory().heap_bytes() : device.persisting_bytes();
  });
}
STRATA_CUDA_CALL cuCtxResetPersistingL2Cache() {
  return nothing();
}
STRATA_CUDA_CALL cuCtxSetCacheConfig(int) {
  return nothing();
}
STRATA_CUDA_CALL cuCtxGetCacheConfig(int* config) {
  return guarded([&](Device&) { *config = 0; });
}
STRATA_CUDA_CALL cuCtxSetSharedMemConfig(int) {
  return nothing();
}
STRATA_CUDA_CALL cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return guarded([&](Device&) {
    *least = 0;
    *greatest = -5;
  });
}
STRATA_CUDA_CALL cuProfilerStart() {
  return nothing();
}
STRATA_CUDA_CALL cuProfilerStop() {
  return nothing();
}
STRATA_CUDA_CALL cuGetErrorName(int code, const char** name) {
  *name = driver_error_name(code);
  return *name == nullptr ? invalid_value : success;
}
STRATA_CUDA_CALL cuGetErrorString(int code, const char** text) {
  *text = driver_error_name(code) == nullptr ? nullptr : error_text(code);
  return *text == nullptr ? invalid_value : success;
}
