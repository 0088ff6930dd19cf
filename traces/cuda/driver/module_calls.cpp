// Modules, libraries, kernels and launches. A CUfunction and a CUkernel are a Function, a CUmodule and a
// CUlibrary a Module.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "traces/cuda/device/device.h"
#include "traces/cuda/driver/driver_call.h"

using namespace strata;
using namespace strata::cuda;

namespace strata::cuda {

Launch prepare_launch(Device& device, Handle handle, Dim3 grid, Dim3 block, unsigned shared, void** values,
                      void** extra, Attributes attributes) {
  auto& function = at<Function>(handle);
  if (values != nullptr || extra == nullptr)
    return device.prepare(function, grid, block, shared, values, std::move(attributes));
  char* buffer = nullptr;
  for (void** one = extra; *one != nullptr; one += 2)
    if (reinterpret_cast<std::uintptr_t>(*one) == 1) buffer = static_cast<char*>(one[1]);
  const auto& k = device.kernel(function);
  if (buffer == nullptr && !k.parameters.empty()) throw CallError(invalid_value);
  std::vector<void*> places;
  for (const auto& parameter : k.parameters) places.push_back(buffer + parameter.offset);
  return device.prepare(function, grid, block, shared, places.data(), std::move(attributes));
}

}  // namespace strata::cuda

namespace {

int load(Handle* to, const void* image) {
  return guarded([&](Device& device) { *to = &device.load(image); });
}
int load_file(Handle* to, const char* path) {
  return guarded([&](Device& device) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw CallError(file_not_found);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    *to = &device.load(content.data(), content.size());
  });
}

Function& find(Device& device, Handle module, const char* name) {
  Module& owner = at<Module>(module);
  Function& function = owner.function(name);
  if (owner.empty()) {
    device.kernel(function);  // reports why not
  } else {
    const auto entries = device.program(owner).entries();
    if (std::find(entries.begin(), entries.end(), name) == entries.end()) throw CallError(not_found);
  }
  return function;
}

int global(Address* to, std::size_t* bytes, Handle module, const char* name) {
  return guarded([&](Device& device) {
    std::uint64_t size = 0;
    try {
      const Address found = device.variable(at<Module>(module), name, &size);
      if (to != nullptr) *to = found;
    } catch (const CallError&) {
      throw CallError(not_found);
    }
    if (bytes != nullptr) *bytes = size;
  });
}

int launch(Handle function, Dim3 grid, Dim3 block, unsigned shared, Handle stream, void** values,
           void** extra, bool cooperative) {
  return guarded([&](Device& device) {
    Launch made = prepare_launch(device, function, grid, block, shared, values, extra);
    made.cooperative = cooperative;
    put_launch(device, stream, std::move(made));
  });
}

int attribute(int* value, int which, Handle handle) {
  return guarded([&](Device& device) {
    auto& function = at<Function>(handle);
    const auto& k = device.kernel(function);
    const int own[] = {static_cast<int>(k.max_threads),
                       static_cast<int>(k.static_shared_bytes),
                       0,
                       static_cast<int>(k.local_bytes),
                       static_cast<int>(k.registers),
                       function.module->ptx_version(),
                       device.description().capability,
                       0,
                       function.most_dynamic_shared - static_cast<int>(k.static_shared_bytes),
                       -1};
    if (which < 0 || which > 15) throw CallError(invalid_value);
    *value = which < 10 ? own[which] : cluster_attribute(function, k, which);
  });
}

int set_attribute(Handle handle, int which, int value) {
  constexpr int most_dynamic_shared = 8;
  return guarded([&](Device& device) {
    auto& function = at<Function>(handle);
    if (which >= 10 && which <= 15)
      return set_cluster_attribute(function, device.kernel(function), which, value);
    if (which != most_dynamic_shared) return;
    const auto static_bytes = static_cast<int>(device.kernel(function).static_shared_bytes);
    if (value < 0 || value + static_bytes > device.description().shared_per_block)
      throw CallError(invalid_value);
    function.most_dynamic_shared = value + static_bytes;
  });
}

int occupancy(int* blocks, Handle function, int threads, std::size_t shared) {
  return guarded([&](Device& device) {
    if (threads <= 0) throw CallError(invalid_value);
    const auto& k = device.kernel(at<Function>(function));
    *blocks = device.description().resident_blocks(static_cast<std::uint32_t>(threads), k.registers,
                                                   k.static_shared_bytes + shared);
  });
}

}  // namespace

STRATA_CUDA_CALL cuModuleLoad(Handle* to, const char* path) {
  return load_file(to, path);
}
STRATA_CUDA_CALL cuModuleLoadData(Handle* to, const void* image) {
  return load(to, image);
}
STRATA_CUDA_CALL cuModuleLoadDataEx(Handle* to, const void* image, unsigned, int*, void**) {
  return load(to, image);
}
STRATA_CUDA_CALL cuModuleLoadFatBinary(Handle* to, const void* image) {
  return load(to, image);
}
STRATA_CUDA_CALL cuModuleUnload(Handle module) {
  return guarded([&](Device& device) { device.unload(at<Module>(module)); });
}
STRATA_CUDA_CALL cuModuleGetLoadingMode(int* mode) {
  *mode = 2;  // lazy
  return success;
}
STRATA_CUDA_CALL cuModuleGetFunction(Handle* to, Handle module, const char* name) {
  return guarded([&](Device& device) { *to = &find(device, module, name); });
}
STRATA_CUDA_CALL cuModuleGetGlobal_v2(Address* to, std::size_t* bytes, Handle module, const char* name) {
  return global(to, bytes, module, name);
}
STRATA_CUDA_CALL cuLibraryLoadData(Handle* to, const void* image, int*, void**, unsigned, int*, void**,
                                   unsigned) {
  return load(to, image);
}
STRATA_CUDA_CALL cuLibraryLoadFromFile(Handle* to, const char* path, int*, void**, unsigned, int*, void**,
                                       unsigned) {
  return load_file(to, path);
}
STRATA_CUDA_CALL cuLibraryUnload(Handle library) {
  return cuModuleUnload(library);
}
STRATA_CUDA_CALL cuLibraryGetKernel(Handle* to, Handle library, const char* name) {
  return cuModuleGetFunction(to, library, name);
}
STRATA_CUDA_CALL cuLibraryGetModule(Handle* to, Handle library) {
  return guarded([&](Device&) { *to = &at<Module>(library); });
}
STRATA_CUDA_CALL cuLibraryGetGlobal(Address* to, std::size_t* bytes, Handle library, const char* name) {
  return global(to, bytes, library, name);
}
STRATA_CUDA_CALL cuLibraryGetManaged(Address* to, std::size_t* bytes, Handle library, const char* name) {
  const int code = global(to, bytes, library, name);
  if (code != success) return code;
  return guarded([&](Device& device) { device.managed_variable(at<Module>(library), name); });
}
STRATA_CUDA_CALL cuKernelGetFunction(Handle* to, Handle kernel) {
  return guarded([&](Device&) { *to = &at<Function>(kernel); });
}
STRATA_CUDA_CALL cuKernelGetAttribute(int* value, int which, Handle kernel, int) {
  return attribute(value, which, kernel);
}
STRATA_CUDA_CALL cuKernelSetAttribute(int which, int value, Handle kernel, int) {
  return set_attribute(kernel, which, value);
}
STRATA_CUDA_CALL cuKernelSetCacheConfig(Handle kernel, int, int) {
  return guarded([&](Device&) { at<Function>(kernel); });
}
STRATA_CUDA_CALL cuKernelGetName(const char** name, Handle kernel) {
  return guarded([&](Device&) { *name = at<Function>(kernel).name.c_str(); });
}
STRATA_CUDA_ALIAS(cuFuncGetName, cuKernelGetName)
STRATA_CUDA_CALL cuFuncGetModule(Handle* module, Handle function) {
  return guarded([&](Device&) { *module = at<Function>(function).module; });
}
STRATA_CUDA_ALIAS(cuKernelGetLibrary, cuFuncGetModule)
STRATA_CUDA_CALL cuFuncGetAttribute(int* value, int which, Handle function) {
  return attribute(value, which, function);
}
STRATA_CUDA_CALL cuFuncSetAttribute(Handle function, int which, int value) {
  return set_attribute(function, which, value);
}
STRATA_CUDA_CALL cuFuncSetCacheConfig(Handle function, int) {
  return guarded([&](Device&) { at<Function>(function); });
}
STRATA_CUDA_CALL cuFuncSetSharedMemConfig(Handle function, int) {
  return cuFuncSetCacheConfig(function, 0);
}
STRATA_CUDA_CALL cuFuncIsLoaded(int* state, Handle function) {
  return guarded([&](Device&) {
    at<Function>(function);
    *state = 1;
  });
}
STRATA_CUDA_CALL cuFuncLoad(Handle function) {
  return cuFuncSetCacheConfig(function, 0);
}
STRATA_CUDA_CALL cuKernelGetParamInfo(Handle kernel, std::size_t number, std::size_t* offset,
                                      std::size_t* bytes) {
  return guarded([&](Device& device) {
    const auto& k = device.kernel(at<Function>(kernel));
    if (number >= k.parameters.size()) throw CallError(invalid_value);
    *offset = k.parameters[number].offset;
    if (bytes != nullptr) *bytes = k.parameters[number].bytes;
  });
}
STRATA_CUDA_ALIAS(cuFuncGetParamInfo, cuKernelGetParamInfo)

STRATA_CUDA_CALL cuLaunchKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                unsigned by, unsigned bz, unsigned shared, Handle stream, void** values,
                                void** extra) {
  return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, values, extra, false);
}
STRATA_CUDA_CALL cuLaunchKernel_ptsz(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, Handle stream, void** values,
                                     void** extra) {
  return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, of_thread(stream), values, extra, false);
}
STRATA_CUDA_CALL cuLaunchCooperativeKernel(Handle function, unsigned gx, unsigned gy, unsigned gz,
                                           unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                           Handle stream, void** values) {
  return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, values, nullptr, true);
}
STRATA_CUDA_ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel)

namespace {

struct DriverLaunchConfig {
  Dim3 grid, block;
  unsigned shared;
  Handle stream;
  const void* attributes;  ///< of 72 bytes each
  unsigned count;
};

template <class Answer>
int of_clusters(int* to, Handle function, const DriverLaunchConfig* config, Answer answer) {
  return guarded([&](Device& device) {
    if (to == nullptr || config == nullptr) throw CallError(invalid_value);
    Launch one;
    one.grid = config->grid;
    one.block = config->block;
    one.dynamic_shared = config->shared;
    one.attributes.set_all(device, config->attributes, config->count);
    *to = answer(device, at<Function>(function), one);
  });
}

}  // namespace

STRATA_CUDA_CALL cuLaunchKernelEx(const DriverLaunchConfig* config, Handle function, void** values,
                                  void** extra) {
  return guarded([&](Device& device) {
    if (config == nullptr) throw CallError(invalid_value);
    Attributes attributes;
    attributes.set_all(device, config->attributes, config->count);
    put_launch(device, config->stream,
               prepare_launch(device, function, config->grid, config->block, config->shared, values, extra,
                              std::move(attributes)));
  });
}
STRATA_CUDA_ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx)

STRATA_CUDA_CALL cuOccupancyMaxPotentialClusterSize(int* size, Handle function,
                                                    const DriverLaunchConfig* config) {
  return of_clusters(size, function, config, largest_cluster);
}
STRATA_CUDA_CALL cuOccupancyMaxActiveClusters(int* clusters, Handle function,
                                              const DriverLaunchConfig* config) {
  return of_clusters(clusters, function, config, active_clusters);
}
STRATA_CUDA_CALL cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Handle function, int threads,
                                                             std::size_t shared) {
  return occupancy(blocks, function, threads, shared);
}
STRATA_CUDA_CALL cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Handle function,
                                                                      int threads, std::size_t shared,
                                                                      unsigned) {
  return occupancy(blocks, function, threads, shared);
}
STRATA_CUDA_CALL cuOccupancyMaxPotentialBlockSize(int* grid, int* block, Handle function,
                                                  std::size_t (*shared_of)(int), std::size_t shared,
                                                  int limit) {
  int best = 0;
  for (int threads = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; threads >= 32; threads -= 32) {
    int blocks = 0;
    const int code =
        occupancy(&blocks, function, threads, shared_of != nullptr ? shared_of(threads) : shared);
    if (code != success) return code;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * Device::get().description().sms;
  }
  return best == 0 ? invalid_value : success;
}

// The linker of the driver: PTX texts are concatenated, as modules of several texts are here.

namespace {

constexpr int input_fat_binary = 2;  // CUjitInputType
struct Linker {
  std::string text;
};

/// PTX, or the PTX of a fat binary; machine code adds nothing.
void add(Device& device, Handle linker, const void* data, std::size_t bytes) {
  Module& module = device.load(data, bytes);
  at<Linker>(linker).text += module.text() + "\n";
  device.unload(module);
}

}  // namespace

STRATA_CUDA_CALL cuLinkCreate_v2(unsigned, int*, void**, Handle* to) {
  return guarded([&](Device&) { *to = new Linker; });
}
STRATA_CUDA_CALL cuLinkAddData_v2(Handle linker, int type, void* data, std::size_t bytes, const char*,
                                  unsigned, int*, void**) {
  return guarded(
      [&](Device& device) { add(device, linker, data, type == input_fat_binary ? SIZE_MAX : bytes); });
}
STRATA_CUDA_CALL cuLinkAddFile_v2(Handle linker, int, const char* path, unsigned, int*, void**) {
  return guarded([&](Device& device) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw CallError(file_not_found);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    add(device, linker, content.data(), content.size());
  });
}
STRATA_CUDA_CALL cuLinkComplete(Handle linker, void** image, std::size_t* bytes) {
  return guarded([&](Device&) {
    std::string& text = at<Linker>(linker).text;
    *image = text.data();
    if (bytes != nullptr) *bytes = text.size() + 1;
  });
}
STRATA_CUDA_CALL cuLinkDestroy(Handle linker) {
  return guarded([&](Device&) { delete &at<Linker>(linker); });
}
