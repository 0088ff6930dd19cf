#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "traces/cuda/channel.h"
#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/attributes.h"
#include "traces/cuda/device/conditions.h"
#include "traces/cuda/device/errors.h"
#include "traces/cuda/device/graph_memory.h"
#include "traces/cuda/device/launch_order.h"
#include "traces/cuda/device/launch_records.h"
#include "traces/cuda/device/memory_pools.h"
#include "traces/cuda/device/module.h"
#include "traces/cuda/device/options.h"
#include "traces/cuda/device/record_stream.h"
#include "traces/cuda/device/virtual_memory.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/ptx_launch.h"

namespace strata::cuda {

/// One launch as an application gives it.
struct Launch {
  Function* function = nullptr;
  Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;
  std::vector<traces::PtxArgument> arguments;
  bool cooperative = false;
  Attributes attributes;
  bool window = false;  ///< an access policy window holds for it
  int depth = 0;        ///< launches by kernels above it
};

class Pending;
/// The device beneath the runtime and the driver library of a process: its memory and modules, and the
/// interpreter as its processor. What is put on streams is done at once, in the order of the calls, so that
/// every stream and event is in order; only a kernel that waits for the host or another stream is left behind
/// (pending.h). One call at a time: the caller holds `mutex`.
class Device {
 public:
  static Device& get();
  std::recursive_mutex mutex;

  const AppOptions& options() const { return options_; }
  const DeviceDescription& description() const { return options_.device; }
  /// The first kernel fault: from then on every call fails with it, as on a GPU.
  Error broken() const { return broken_; }
  /// The same; from now on the program knows of it. A launch alone does not tell what becomes of its kernel.
  Error tell_broken() {
    told_ = broken_ != success;
    return broken_;
  }
  bool has_told() const { return told_; }
  void fail(Error code) { broken_ = code; }
  void reset();
  Pending& pending() { return *pending_; }
  /// The host waits for all that was put on streams. Throws CallError.
  void synchronize();
  /// What kernels have printed comes out.
  void print();
  void end_of_program();
  void mind_end();  ///< end_of_program() is called
  /// Launches that have not ended never will: the record has what they did.
  void cut_records() { records_.cut(); }
  /// What belongs to the kernel that runs, when another gets its turn.
  struct Running;
  Running set_aside();
  void take_up(const Running& kept);
  /// Something that is told to the user once.
  void note(const std::string& text);
  /// Something that a program cannot go on after.
  void tell_fault(const std::string& text);
  /// A call that is not there: named once.
  Error absent(const char* call, const char* code = "cudaErrorNotSupported");

  // --- memory ---
  traces::GlobalMemory& memory() { return memory_; }
  Address allocate(std::uint64_t bytes);
  Address allocate_of_host(std::uint64_t bytes, bool managed);
  /// Also what a node of a graph has allocated. The host waits for kernels that may use it.
  void free(Address address);
  /// The same where all that may use it has been done.
  void free_behind(Address address);
  VirtualMemory& virtual_memory() { return virtual_memory_; }
  /// Of allocations, and of memory that programs map themselves.
  std::uint64_t used_bytes() const { return memory_.allocated_bytes() + virtual_memory_.bytes(); }
  GraphPool& graph_pool() { return graph_pool_; }
  MemoryPools& memory_pools() { return memory_pools_; }
  Conditions& conditions() { return conditions_; }
  /// Between host and device, whichever each pointer belongs to. Throws CallError.
  void copy(void* to, const void* from, std::uint64_t bytes);
  /// The same with a kind that says which: a pointer that cannot be of that side is an error.
  void fill(void* to, const void* pattern, std::uint64_t bytes_of_pattern, std::uint64_t count);
  bool is_device(const void* pointer) const;
  bool is_managed(const void* pointer) const;

  // --- modules ---
  /// From a fat binary, with or without what nvcc puts around it, PTX text, or machine code, none of which
  /// can run. `available` bounds what may be read. Throws CallError.
  Module& load(const void* image, std::size_t available = SIZE_MAX);
  /// What nvcc puts around one, or around several to link.
  Module& load_wrapped(const abi::FatBinaryWrapper& wrapper);
  Module& load_text(std::string text);
  void unload(Module& module);
  /// Read for the first time, it may be found to be no PTX: told, and thrown as CallError.
  traces::PtxProgram& program(Module& module);
  Address variable(Module& module, const std::string& name, std::uint64_t* bytes = nullptr);
  /// One that the host uses as well (`__managed__`).
  Address managed_variable(Module& module, const std::string& name);

  // --- launches ---
  /// Arguments from an array of pointers to values. Throws CallError.
  Launch prepare(Function& function, Dim3 grid, Dim3 block, std::uint64_t shared, void* const* values,
                 Attributes attributes = {});
  /// With all that its kernel launches.
  void run(const Launch& launch);
  LaunchOrder& order() { return order_; }
  const traces::PtxKernel& kernel(Function& function);

  // --- lines that shall stay in the L2 ---
  /// cudaLimitPersistingL2CacheSize: at most what the device says that it can set aside.
  void set_persisting_bytes(std::uint64_t bytes);
  std::uint64_t persisting_bytes() const { return persisting_bytes_; }

 private:
  Device();
  ~Device() = delete;
  void check(const Launch& launch, const traces::PtxKernel& kernel) const;
  void run_alone(const Launch& launch);
  traces::DeviceError take(const traces::PtxLaunch& child, bool tail);
  bool is_recorded(const std::string& kernel) const;
  void interpret(const traces::PtxLaunch& launch, bool recorded, std::uint64_t number);
  void write_out(const Module& module) const;

  AppOptions options_;
  ChannelWriter channel_;
  RecordStream stream_{channel_, options_.dictionary};
  LaunchRecords records_{channel_, stream_};
  std::regex wanted_;
  traces::GlobalMemory memory_;
  VirtualMemory virtual_memory_{memory_};
  std::set<Address> managed_;
  std::vector<std::unique_ptr<Module>> modules_;
  GraphPool graph_pool_;
  MemoryPools memory_pools_;
  Conditions conditions_;
  LaunchOrder order_;
  const Launch* running_ = nullptr;
  std::vector<Launch> children_, last_children_;  ///< what it has launched; these behind all others
  std::set<std::string> said_;
  std::unique_ptr<Pending> pending_;
  std::string printed_;  ///< by kernels, which a host sees when it waits for them
  bool ended_ = false, minds_end_ = false, told_ = false;
  std::uint64_t launches_ = 0, recorded_ = 0, modules_made_ = 0;
  std::uint64_t persisting_bytes_ = 0, windows_ = 0;  ///< launches with an access policy window
  void tell_windows();
  Error broken_ = success;
};

struct Device::Running {
  const Launch* launch;
  std::vector<Launch> children, last_children;
};

/// `saxpy(float*, float)` for `_Z5saxpyPff`; what is not mangled stays.
std::string plain_kernel_name(const std::string& name);

}  // namespace strata::cuda
