#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/cuda/app_options.h"
#include "traces/cuda/channel.h"
#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/device_memory.h"
#include "traces/cuda/device/errors.h"
#include "traces/cuda/device/launch_order.h"
#include "traces/cuda/device/launch_records.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/ptx_program.h"

/// Attributes of launches, streams and nodes of graphs (cudaLaunchAttribute).
namespace strata::cuda {

class Device;

/// cudaAccessPolicyWindow.
struct AccessWindow {
  void* base;
  std::size_t bytes;
  float hit_ratio;
  int on_hit, on_miss;  ///< 0 normal, 1 streaming, 2 persisting; of a miss 0 or 1
};
static_assert(sizeof(AccessWindow) == 32);

/// Attributes by number (cudaLaunchAttributeID), each of 64 bytes.
class Attributes {
 public:
  using Value = std::array<std::uint8_t, 64>;
  enum class Of : std::uint8_t { stream, node, launch };  ///< owner of an attribute
  static constexpr int access_window = 1, cooperative = 2, cluster = 4, priority = 8;

  /// Throws CallError if the owner has no such attribute, or not with this value.
  void set(const Device& device, Of whose, int number, const void* value);
  /// The attribute, or zeros if it was not set. Throws CallError.
  void get(Of whose, int number, void* value) const;
  /// Sets `count` pairs of number and value, 72 bytes each.
  void set_all(const Device& device, const void* pairs, unsigned count);

  bool has(int number) const { return values_.count(number) != 0; }
  int word(int number) const;
  /// The size of clusters; none if all its dimensions are 0.
  std::optional<Dim3> cluster_dims() const;
  /// True if the window changes how lines are cached.
  bool has_window() const;

 private:
  static bool belongs(Of whose, int number);
  std::map<int, Value> values_;
};

/// Values of conditional nodes of graphs, set by kernels through their handles.
class Conditions {
 public:
  /// `initial` is assigned at each launch of the graph if `assigned`. The handle is never 0.
  std::uint64_t make(std::uint32_t initial, bool assigned);
  /// False, below null, if there is no such handle.
  bool set(std::uint64_t handle, std::uint32_t value);
  const std::uint32_t* value(std::uint64_t handle) const;
  /// Called when a graph with these handles is launched.
  void begin(const std::vector<std::uint64_t>& handles);

 private:
  struct Condition {
    std::uint32_t value = 0, initial = 0;
    bool assigned = false;
  };
  std::vector<Condition> all_;
};

class Module;

/// A kernel of a module.
struct Function {
  Module* module = nullptr;
  std::string name;  ///< as in the PTX
  int most_dynamic_shared = 48 << 10;
  // Cluster settings; 0: not set.
  Dim3 cluster = {0, 0, 0};
  bool cluster_must_be_set = false, non_portable_cluster = false;
  int cluster_policy = 0;
  bool refused = false;  ///< cannot be interpreted; this has been reported
};

/// Code loaded by an application: one PTX text, parsed on first use.
class Module {
 public:
  Module(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  /// 80 for `.target sm_80`, which programs use to choose kernels; 0 if there is none.
  int ptx_version() const;
  /// Appends text of the same module (-rdc=true), before it is parsed.
  void link(const std::string& text) { text_ += "\n" + text; }
  /// Throws TraceError.
  traces::PtxProgram& program();
  std::shared_ptr<const traces::PtxProgram> share();
  /// The kernel of this name, created on request without parsing the text.
  Function& function(const std::string& name);
  /// What a launch needs to know about the kernel. Throws TraceError if it cannot be interpreted.
  const traces::PtxKernel& kernel(const Function& function);

 private:
  std::string text_, name_;
  std::shared_ptr<traces::PtxProgram> program_;
  std::map<std::string, std::unique_ptr<Function>> functions_;
};

/// One launch by an application.
struct Launch {
  Function* function = nullptr;
  Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;
  std::vector<traces::PtxArgument> arguments;
  bool cooperative = false;
  Attributes attributes;
  bool window = false;  ///< an access policy window applies to it
  int depth = 0;        ///< number of enclosing launches by kernels
};

class Pending;
/// The device below the runtime and driver library of a process: its memory and modules, and the interpreter
/// as its processor. Work on streams is done immediately, in the order of the calls, which satisfies all
/// streams and events. Only a kernel that waits for the host or another stream is suspended (pending.h). One
/// call at a time: the caller holds `mutex`.
class Device {
 public:
  static Device& get();
  std::recursive_mutex mutex;

  const AppOptions& options() const { return options_; }
  const DeviceDescription& description() const { return options_.device; }
  /// The first kernel fault: all later calls return it, as on a GPU.
  Error broken() const { return broken_; }
  /// Like broken(), and marks the fault as reported to the program. A launch does not return its kernel's
  /// fault.
  Error report_broken() {
    told_ = broken_ != success;
    return broken_;
  }
  bool has_told() const { return told_; }
  void fail(Error code) { broken_ = code; }
  void reset();
  Pending& pending() { return *pending_; }
  /// Waits for all work on streams. Throws CallError.
  void synchronize();
  /// Prints the output of kernels.
  void print();
  void end_of_program();
  void watch_program_end();  ///< makes the end of the program call end_of_program()
  /// Launches in progress will not end: records what they have done.
  void cut_records() { records_.cut(); }
  /// State of the running kernel, saved when another one gets its turn.
  struct Running;
  Running set_aside();
  void take_up(const Running& kept);
  /// Reports something to the user once.
  void note(const std::string& text);
  /// Reports a fault after which a program cannot continue.
  void report_fault(const std::string& text);
  /// A call that is not implemented: reported once.
  Error absent(const char* call, const char* code = "cudaErrorNotSupported");

  // --- memory ---
  traces::GlobalMemory& memory() { return memory_; }
  Address allocate(std::uint64_t bytes);
  Address allocate_of_host(std::uint64_t bytes, bool managed);
  /// Frees also allocations of graph nodes. Waits for kernels that may use them.
  void free(Address address);
  /// Like free(), if everything that may use the memory has been done.
  void free_behind(Address address);
  VirtualMemory& virtual_memory() { return virtual_memory_; }
  /// In allocations, and in memory that programs map themselves.
  std::uint64_t used_bytes() const { return memory_.allocated_bytes() + virtual_memory_.bytes(); }
  GraphPool& graph_pool() { return graph_pool_; }
  MemoryPools& memory_pools() { return memory_pools_; }
  Conditions& conditions() { return conditions_; }
  /// Copies between host and device, found from the pointers. Throws CallError.
  void copy(void* to, const void* from, std::uint64_t bytes);
  /// With an explicit kind: a pointer to the wrong side is an error.
  void fill(void* to, const void* pattern, std::uint64_t bytes_of_pattern, std::uint64_t count);
  bool is_device(const void* pointer) const;
  bool is_managed(const void* pointer) const;

  // --- modules ---
  /// Loads a fat binary, with or without nvcc's wrapper, PTX text, or machine code, which cannot run.
  /// `available` limits the bytes read. Throws CallError.
  Module& load(const void* image, std::size_t available = SIZE_MAX);
  /// Loads one wrapped fat binary, or several to link.
  Module& load_wrapped(const abi::FatBinaryWrapper& wrapper);
  Module& load_text(std::string text);
  void unload(Module& module);
  /// Parses the module on first use. Text that is no PTX is reported, and thrown as CallError.
  traces::PtxProgram& program(Module& module);
  Address variable(Module& module, const std::string& name, std::uint64_t* bytes = nullptr);
  /// Address of a variable that the host uses, too (`__managed__`).
  Address managed_variable(Module& module, const std::string& name);

  // --- launches ---
  /// Arguments from an array of pointers to values. Throws CallError.
  Launch prepare(Function& function, Dim3 grid, Dim3 block, std::uint64_t shared, void* const* values,
                 Attributes attributes = {});
  /// Runs a launch, and the launches that its kernel makes.
  void run(const Launch& launch);
  LaunchOrder& order() { return order_; }
  const traces::PtxKernel& kernel(Function& function);

  // --- persisting lines of the L2 ---
  /// cudaLimitPersistingL2CacheSize: at most the device's own limit.
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
  std::vector<Launch> children_, last_children_;  ///< launches by kernels; tail launches run after all others
  std::set<std::string> reported_;
  std::unique_ptr<Pending> pending_;
  std::string printed_;  ///< output of kernels, printed when the host waits for them
  bool ended_ = false, minds_end_ = false, told_ = false;
  std::uint64_t launches_ = 0, recorded_ = 0, modules_made_ = 0;
  std::uint64_t persisting_bytes_ = 0, windows_ = 0;  ///< bytes; launches with an access policy window
  void tell_windows();
  Error broken_ = success;
};

struct Device::Running {
  const Launch* launch;
  std::vector<Launch> children, last_children;
};

/// `saxpy(float*, float)` for `_Z5saxpyPff`; names that are not mangled are unchanged.
std::string plain_kernel_name(const std::string& name);

}  // namespace strata::cuda

#define STRATA_CUDA_CALL extern "C" __attribute__((visibility("default"))) int
#define STRATA_CUDA_ENTRY extern "C" __attribute__((visibility("default")))
/// The other name of a call, for the per-thread default stream, which is an ordinary stream here.
#define STRATA_CUDA_ALIAS(other, call) \
  extern "C" __attribute__((visibility("default"), alias(#call))) decltype(call) other;

namespace strata::cuda {

/// The body of a call: one call at a time; errors become codes. After a kernel fault every call returns it.
template <class Body>
int guarded(Body&& body) {
  Device& device = Device::get();
  const std::lock_guard<std::recursive_mutex> lock(device.mutex);
  int code = device.report_broken();
  try {
    if (code == success) body(device);
  } catch (const CallError& error) {
    code = error.code;
  } catch (const std::bad_alloc&) {
    code = out_of_memory;
  } catch (const std::exception&) {
    code = unknown_error;
  }
  return code;
}

// Clusters of thread blocks in launches and functions.

class Device;
struct Function;
struct Launch;

/// The clusters of a launch; none: no clusters. Throws CallError for clusters that CUDA refuses.
std::optional<Dim3> cluster_of(const Launch& launch, const traces::PtxKernel& kernel);
/// Results of cudaOccupancyMaxPotentialClusterSize and cudaOccupancyMaxActiveClusters.
int largest_cluster(Device& device, Function& function, const Launch& launch);
int active_clusters(Device& device, Function& function, const Launch& launch);

/// Attributes of functions from 10 to 15 (cudaFuncAttribute, CUfunction_attribute). Throws CallError.
int cluster_attribute(const Function& function, const traces::PtxKernel& kernel, int number);
void set_cluster_attribute(Function& function, const traces::PtxKernel& kernel, int number, int value);

}  // namespace strata::cuda
