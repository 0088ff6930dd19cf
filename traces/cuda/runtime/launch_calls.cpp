// Registration of a program's fat binaries, kernels and variables before main(), and launches.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/device.h"
#include "traces/cuda/device/streams.h"
#include "traces/cuda/runtime/call.h"

namespace strata::cuda {
namespace {

/// The module of a kernel or variable, and its name there.
struct Symbol {
  Module* module;
  std::string name;
};

struct Managed {
  Module* module;
  std::string name;
  void** host;  ///< address at which the host finds the variable
};

struct Registry {
  std::map<const void*, Function*> functions;
  std::map<const void*, Symbol> variables;
  std::vector<Managed> managed;
};

Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

Module& module_of(void** handle) {
  return *reinterpret_cast<Module*>(handle);
}

}  // namespace

Function& function_of(const void* host) {
  const auto found = registry().functions.find(host);
  if (found == registry().functions.end()) throw CallError(invalid_function);
  return *found->second;
}

const void* host_of(const Function& function) {
  for (const auto& one : registry().functions)
    if (one.second == &function) return one.first;
  return nullptr;
}

Address symbol_address(Device& device, const void* host, std::uint64_t* bytes) {
  const auto found = registry().variables.find(host);
  if (found == registry().variables.end()) throw CallError(invalid_symbol);
  return device.variable(*found->second.module, found->second.name, bytes);
}

}  // namespace strata::cuda

using namespace strata::cuda;

STRATA_CUDA_ENTRY void** __cudaRegisterFatBinary(void* wrapper) {
  Device& device = Device::get();
  const std::lock_guard<std::recursive_mutex> lock(device.mutex);
  return reinterpret_cast<void**>(&device.load_wrapped(*static_cast<const abi::FatBinaryWrapper*>(wrapper)));
}

STRATA_CUDA_ENTRY void __cudaRegisterFatBinaryEnd(void**) {}
STRATA_CUDA_ENTRY void __cudaUnregisterFatBinary(void**) {}

STRATA_CUDA_ENTRY void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int,
                                              void*, void*, void*, void*, int*) {
  registry().functions[host] = &module_of(handle).function(name);
}

STRATA_CUDA_ENTRY void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t,
                                         int, int) {
  registry().variables[host] = {&module_of(handle), name};
}

STRATA_CUDA_ENTRY void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int,
                                                std::size_t, int, int) {
  registry().managed.push_back({&module_of(handle), name, host});
  registry().variables[host] = {&module_of(handle), name};
}

// Managed variables exist once their module is loaded.
STRATA_CUDA_ENTRY char __cudaInitModule(void** handle) {
  Device& device = Device::get();
  const std::lock_guard<std::recursive_mutex> lock(device.mutex);
  for (const Managed& one : registry().managed) {
    if (one.module != &module_of(handle) || *one.host != nullptr) continue;
    try {
      *one.host = reinterpret_cast<void*>(device.managed_variable(*one.module, one.name));
    } catch (const CallError&) {
      return 0;
    }
  }
  return 1;
}

STRATA_CUDA_CALL __cudaGetKernel(void** kernel, const void* host) {
  *kernel = const_cast<void*>(host);
  return success;
}

using namespace strata;
using abi::Handle;

namespace {

struct Configuration {
  Dim3 grid, block;
  std::size_t shared;
  Handle stream;
};
thread_local std::vector<Configuration> configurations;  // between <<<...>>> and its call

int launch(const void* host, Dim3 grid, Dim3 block, void** values, std::size_t shared, Handle stream,
           bool cooperative) {
  return call([&](Device& device) {
    Launch made = device.prepare(function_of(host), grid, block, shared, values);
    made.cooperative = cooperative;
    put_launch(device, stream, std::move(made));
  });
}

int occupancy(int* blocks, const void* host, int threads, std::size_t shared) {
  return call([&](Device& device) {
    if (blocks == nullptr || threads <= 0) throw CallError(invalid_value);
    const auto& k = device.kernel(function_of(host));
    *blocks = device.description().resident_blocks(static_cast<std::uint32_t>(threads), k.registers,
                                                   k.static_shared_bytes + shared);
  });
}

}  // namespace

STRATA_CUDA_ENTRY unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared,
                                                       Handle stream) {
  configurations.push_back({grid, block, shared, stream});
  return success;
}

STRATA_CUDA_CALL __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return 52;  // cudaErrorMissingConfiguration
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<Handle*>(stream) = last.stream;
  return success;
}

STRATA_CUDA_CALL cudaLaunchKernel(const void* host, Dim3 grid, Dim3 block, void** values, std::size_t shared,
                                  Handle stream) {
  return launch(host, grid, block, values, shared, stream, false);
}
STRATA_CUDA_CALL cudaLaunchKernel_ptsz(const void* host, Dim3 grid, Dim3 block, void** values,
                                       std::size_t shared, Handle stream) {
  return launch(host, grid, block, values, shared, of_thread(stream), false);
}
STRATA_CUDA_ALIAS(__cudaLaunchKernel, cudaLaunchKernel)
STRATA_CUDA_ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel_ptsz)

STRATA_CUDA_CALL cudaLaunchCooperativeKernel(const void* host, Dim3 grid, Dim3 block, void** values,
                                             std::size_t shared, Handle stream) {
  return launch(host, grid, block, values, shared, stream, true);
}
STRATA_CUDA_CALL cudaLaunchCooperativeKernel_ptsz(const void* host, Dim3 grid, Dim3 block, void** values,
                                                  std::size_t shared, Handle stream) {
  return launch(host, grid, block, values, shared, of_thread(stream), true);
}

STRATA_CUDA_CALL cudaLaunchKernelExC(const abi::LaunchConfig* config, const void* host, void** values) {
  return call([&](Device& device) {
    if (config == nullptr) throw CallError(invalid_value);
    Attributes attributes;
    attributes.set_all(device, config->attributes, config->attribute_count);
    put_launch(device, config->stream,
               device.prepare(function_of(host), config->grid, config->block, config->shared, values,
                              std::move(attributes)));
  });
}
STRATA_CUDA_CALL cudaLaunchKernelExC_ptsz(const abi::LaunchConfig* config, const void* host, void** values) {
  if (config == nullptr) return last_error() = invalid_value;
  abi::LaunchConfig own = *config;
  own.stream = of_thread(own.stream);
  return cudaLaunchKernelExC(&own, host, values);
}

STRATA_CUDA_CALL cudaFuncGetAttributes(abi::FunctionAttributes* to, const void* host) {
  return call([&](Device& device) {
    Function& function = function_of(host);
    const auto& k = device.kernel(function);
    *to = abi::FunctionAttributes();
    to->shared_bytes = k.static_shared_bytes;
    to->local_bytes = k.local_bytes;
    to->most_threads = static_cast<int>(k.max_threads);
    to->registers = static_cast<int>(k.registers);
    to->ptx_version = function.module->ptx_version();
    to->binary_version = device.description().capability;
    to->most_dynamic_shared = function.most_dynamic_shared - static_cast<int>(k.static_shared_bytes);
    to->preferred_carveout = -1;
    if (runtime_major < 12) return;
    constexpr int numbers[] = {10, 11, 12, 13, 15, 14};  // attributes of the structure since version 12
    constexpr std::size_t behind = offsetof(abi::FunctionAttributes, preferred_carveout) + sizeof(int);
    int values[std::size(numbers)];
    std::transform(std::begin(numbers), std::end(numbers), values,
                   [&](int number) { return cluster_attribute(function, k, number); });
    std::memcpy(reinterpret_cast<char*>(to) + behind, values, sizeof values);
  });
}

STRATA_CUDA_CALL cudaFuncSetAttribute(const void* host, int attribute, int value) {
  constexpr int most_dynamic_shared = 8;
  return call([&](Device& device) {
    Function& function = function_of(host);
    const auto& k = device.kernel(function);
    if (attribute >= 10 && attribute <= 15) return set_cluster_attribute(function, k, attribute, value);
    if (attribute != most_dynamic_shared) return;
    if (value < 0 || value + static_cast<int>(k.static_shared_bytes) > device.description().shared_per_block)
      throw CallError(invalid_value);
    function.most_dynamic_shared = value + static_cast<int>(k.static_shared_bytes);
  });
}
STRATA_CUDA_CALL cudaFuncSetCacheConfig(const void* host, int) {
  return call([&](Device&) { function_of(host); });
}
STRATA_CUDA_CALL cudaFuncSetSharedMemConfig(const void* host, int) {
  return call([&](Device&) { function_of(host); });
}
STRATA_CUDA_CALL cudaFuncGetName(const char** name, const void* host) {
  return call([&](Device&) { *name = function_of(host).name.c_str(); });
}
STRATA_CUDA_CALL cudaGetFuncBySymbol(Handle* function, const void* host) {
  return call([&](Device&) { *function = &function_of(host); });
}

STRATA_CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads,
                                                               std::size_t shared) {
  return occupancy(blocks, host, threads, shared);
}
STRATA_CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                        int threads, std::size_t shared,
                                                                        unsigned) {
  return occupancy(blocks, host, threads, shared);
}
STRATA_CUDA_CALL cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int blocks,
                                                           int threads) {
  return call([&](Device& device) {
    const auto& k = device.kernel(function_of(host));
    if (blocks <= 0 || threads <= 0) throw CallError(invalid_value);
    const int of_each = device.description().shared_per_sm / blocks - device.description().reserved_shared;
    const int most = std::min(of_each, device.description().shared_per_block);
    *bytes = static_cast<std::size_t>(std::max(0, most - static_cast<int>(k.static_shared_bytes)));
  });
}

namespace {

template <class Answer>
int of_clusters(int* to, const void* host, const abi::LaunchConfig* config, Answer answer) {
  return call([&](Device& device) {
    if (to == nullptr || config == nullptr) throw CallError(invalid_value);
    Launch launch;
    launch.grid = config->grid;
    launch.block = config->block;
    launch.dynamic_shared = config->shared;
    launch.attributes.set_all(device, config->attributes, config->attribute_count);
    *to = answer(device, function_of(host), launch);
  });
}

}  // namespace

STRATA_CUDA_CALL cudaOccupancyMaxPotentialClusterSize(int* size, const void* host,
                                                      const abi::LaunchConfig* config) {
  return of_clusters(size, host, config, largest_cluster);
}
STRATA_CUDA_CALL cudaOccupancyMaxActiveClusters(int* clusters, const void* host,
                                                const abi::LaunchConfig* config) {
  return of_clusters(clusters, host, config, active_clusters);
}
