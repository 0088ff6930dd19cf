#include <algorithm>
#include <cstring>

#include "traces/cuda/runtime/call.h"

using namespace strata::cuda;

namespace {

constexpr int driver_version = 13000;
// Stored limits: cudaLimitMallocHeapSize, cudaLimitPersistingL2CacheSize.
constexpr int malloc_heap = 2, persisting_l2 = 6;

int check_device(int number) {
  return call([&](Device&) {
    if (number != 0) throw CallError(invalid_device);
  });
}

/// A call without effect.
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

// Every call returns a kernel fault once one call has returned it; the error of a single call is returned
// once.
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

namespace strata::cuda {
namespace {

enum class Kind : std::uint8_t { word, size };  // int, size_t

struct Field {
  Kind kind;
  int first, count;           ///< attributes (cudaDeviceAttr) of its elements, in order
  int until = 99, since = 0;  ///< major versions of the runtime that have it
};
constexpr Kind word = Kind::word, size = Kind::size;
constexpr int all_memory = -1, zero = -2;

// cudaDeviceProp behind name, UUID and LUID.
constexpr Field fields[] = {
    {size, all_memory, 1},  {size, 8, 1},           {word, 12, 1},          {word, 10, 1},
    {size, 11, 1},          {word, 1, 1},           {word, 2, 3},           {word, 5, 3},
    {word, 13, 1, 12},      {size, 9, 1},           {word, 75, 2},          {size, 14, 1},
    {size, 51, 1},          {word, 15, 1, 12},      {word, 16, 1},          {word, 17, 1, 12},
    {word, 18, 1},          {word, 19, 1},          {word, 20, 1, 12},      {word, 21, 1},
    {word, 77, 1},          {word, 69, 1, 12},      {word, 22, 2},          {word, 73, 2},
    {word, 70, 3},          {word, 45, 2},          {word, 24, 3},          {word, 47, 3},
    {word, 52, 1},          {word, 42, 2},          {word, 27, 3},          {word, 53, 2},
    {word, 55, 1},          {word, 56, 2},          {word, 58, 3},          {word, 61, 2},
    {word, 63, 3},          {word, 66, 1},          {word, 67, 2},          {size, 30, 1},
    {word, 31, 1},          {word, 32, 1},          {word, 33, 1},          {word, 34, 1},
    {word, 50, 1},          {word, 35, 1},          {word, 40, 1},          {word, 41, 1},
    {word, 36, 1, 12},      {word, 37, 1},          {word, 38, 1},          {word, 108, 1},
    {word, 39, 1},          {word, 78, 1},          {word, 79, 1},          {word, 80, 1},
    {size, 81, 1},          {word, 82, 1},          {word, 83, 1},          {word, 84, 1},
    {word, 85, 1},          {word, 86, 1},          {word, 87, 1, 12},      {word, 88, 1},
    {word, 89, 1},          {word, 90, 1},          {word, 91, 1},          {word, 95, 1},
    {word, zero, 1, 12},    {size, 97, 1},          {word, 100, 1},         {word, 101, 1},
    {word, 106, 1},         {word, 109, 1},         {size, 111, 1, 99, 12}, {word, 99, 1, 99, 12},
    {word, 112, 1, 99, 12}, {word, 113, 1, 99, 12}, {word, 114, 1, 99, 12}, {word, 115, 1, 99, 12},
    {word, 116, 1, 99, 12}, {word, 117, 1, 99, 12}, {word, 118, 1, 99, 12}, {word, 119, 1, 99, 12},
    {word, 121, 1, 99, 12}, {word, 125, 1, 99, 12}, {word, 120, 1, 99, 12}, {word, zero, 1, 99, 12},
};
constexpr std::size_t behind_names = 256 + 16 + 8 + 4;
constexpr std::size_t bytes_12 = 1032, bytes_13 = 1008;

}  // namespace

void write_properties(const DeviceDescription& device, int runtime, void* to) {
  auto* const out = static_cast<char*>(to);
  std::size_t at = behind_names;
  std::memset(out, 0, runtime >= 13 ? bytes_13 : runtime == 12 ? bytes_12 : at);
  std::memcpy(out, device.name.data(), std::min<std::size_t>(device.name.size(), 255));
  for (const Field& field : fields) {
    if (runtime > field.until || runtime < field.since) continue;
    for (int i = 0; i < field.count; ++i) {
      int value = 0;
      if (field.first > 0) device.attribute(field.first + i, value);
      const std::uint64_t wide =
          field.first == all_memory ? device.memory : static_cast<std::uint64_t>(value);
      const std::size_t bytes = field.kind == size ? 8 : 4;
      at = (at + bytes - 1) / bytes * bytes;
      std::memcpy(out + at, &wide, bytes);
      at += bytes;
    }
  }
}

}  // namespace strata::cuda

// Driver calls that a program looks up through the runtime library.

extern "C" int cuGetProcAddress_v2(const char* symbol, void** to, int version, std::uint64_t flags,
                                   int* status);

/// A missing call is reported; `result` (0 found, 1 not found) tells the program, except in version 11.
STRATA_CUDA_CALL cudaGetDriverEntryPointByVersion(const char* symbol, void** to, unsigned version,
                                                  unsigned long long flags, int* result) {
  return call([&](Device&) {
    if (symbol == nullptr || to == nullptr) throw CallError(invalid_value);
    const int code = cuGetProcAddress_v2(symbol, to, static_cast<int>(version), flags, nullptr);
    if (code != success && code != not_found) throw CallError(static_cast<Error>(code));
    if (result != nullptr) *result = code == success ? 0 : 1;
  });
}
STRATA_CUDA_ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion)
STRATA_CUDA_CALL cudaGetDriverEntryPoint(const char* symbol, void** to, unsigned long long flags,
                                         int* result) {
  return cudaGetDriverEntryPointByVersion(symbol, to, static_cast<unsigned>(runtime_major * 1000), flags,
                                          runtime_major < 12 ? nullptr : result);
}
STRATA_CUDA_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint)
