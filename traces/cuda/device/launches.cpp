// Kernels run once each, when they are launched; recorded instructions are sent.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "models/common/faults.h"
#include "traces/cuda/device/device.h"
#include "traces/ptx/execute/machine.h"

namespace strata::cuda {
namespace {

// CUDA C++ Programming Guide, "Thread Block Clusters": 8 are portable; an H100 takes 16.
constexpr std::uint32_t portable_cluster = 8, largest_cluster_size = 16;
constexpr int must_be_set = 10, width = 11, height = 12, depth = 13, non_portable = 14, policy = 15;

bool same(const Dim3& a, const Dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// The cluster size of the function: compiled in, or set later.
std::optional<Dim3> required(const Function& function, const traces::PtxKernel& kernel) {
  if (kernel.cluster) return kernel.cluster;
  const Dim3& set = function.cluster;
  if (set.x == 0 && set.y == 0 && set.z == 0) return {};
  return Dim3{std::max(set.x, 1u), std::max(set.y, 1u), std::max(set.z, 1u)};
}

std::uint32_t limit(const Function& function, const traces::PtxKernel& kernel) {
  const std::uint32_t all = function.non_portable_cluster ? largest_cluster_size : portable_cluster;
  return kernel.max_cluster != 0 ? std::min(kernel.max_cluster, all) : all;
}

int resident(Device& device, const traces::PtxKernel& kernel, const Launch& launch) {
  return device.description().resident_blocks(static_cast<std::uint32_t>(launch.block.count()),
                                              kernel.registers,
                                              kernel.static_shared_bytes + launch.dynamic_shared) *
         device.description().sms;
}

}  // namespace

std::optional<Dim3> cluster_of(const Launch& launch, const traces::PtxKernel& kernel) {
  const Function& function = *launch.function;
  const std::optional<Dim3> wanted = required(function, kernel), given = launch.attributes.cluster_dims();
  if (wanted && given && !same(*wanted, *given)) throw CallError(invalid_cluster);
  const std::optional<Dim3> cluster = given ? given : wanted;
  if (!cluster) {
    if (function.cluster_must_be_set) throw CallError(invalid_cluster);
    return {};
  }
  const Dim3 &c = *cluster, &g = launch.grid;
  if (c.count() == 0 || c.count() > limit(function, kernel) || g.x % c.x != 0 || g.y % c.y != 0 ||
      g.z % c.z != 0)
    throw CallError(invalid_cluster);
  return cluster;
}

int largest_cluster(Device& device, Function& function, const Launch& launch) {
  const auto& kernel = device.kernel(function);
  if (const auto wanted = required(function, kernel)) return static_cast<int>(wanted->count());
  std::uint32_t size = 1;
  while (size * 2 <= limit(function, kernel)) size *= 2;
  const int fits = resident(device, kernel, launch);
  while (size > 1 && static_cast<int>(size) > fits) size /= 2;
  return fits == 0 ? 0 : static_cast<int>(size);
}

int active_clusters(Device& device, Function& function, const Launch& launch) {
  const auto& kernel = device.kernel(function);
  Launch one = launch;
  one.function = &function;
  // Here only the size must be valid; the grid need not be a multiple.
  const auto cluster = one.attributes.cluster_dims();
  const auto wanted = required(function, kernel);
  if (!cluster && !wanted) throw CallError(invalid_cluster);
  one.grid = cluster ? *cluster : *wanted;
  return resident(device, kernel, one) / static_cast<int>(cluster_of(one, kernel)->count());
}

int cluster_attribute(const Function& function, const traces::PtxKernel& kernel, int number) {
  const std::optional<Dim3> wanted = required(function, kernel);
  const Dim3 dims = wanted ? *wanted : Dim3{0, 0, 0};
  switch (number) {
    case must_be_set:
      return kernel.cluster || function.cluster_must_be_set ? 1 : 0;
    case width:
      return static_cast<int>(dims.x);
    case height:
      return static_cast<int>(dims.y);
    case depth:
      return static_cast<int>(dims.z);
    case non_portable:
      return function.non_portable_cluster ? 1 : 0;
    case policy:
      return function.cluster_policy;
    default:
      throw CallError(invalid_value);
  }
}

/// Dimensions that are compiled in cannot be changed (CUfunction_attribute).
void set_cluster_attribute(Function& function, const traces::PtxKernel& kernel, int number, int value) {
  if (value < 0) throw CallError(invalid_value);
  const bool dimension = number >= must_be_set && number <= depth;
  if (dimension && kernel.cluster) throw CallError(number == must_be_set ? invalid_value : not_permitted);
  switch (number) {
    case must_be_set:
      function.cluster_must_be_set = value != 0;
      break;
    case width:
      function.cluster.x = static_cast<std::uint32_t>(value);
      break;
    case height:
      function.cluster.y = static_cast<std::uint32_t>(value);
      break;
    case depth:
      function.cluster.z = static_cast<std::uint32_t>(value);
      break;
    case non_portable:
      function.non_portable_cluster = value != 0;
      break;
    case policy:
      if (value > 2) throw CallError(invalid_value);
      function.cluster_policy = value;
      break;
    default:
      throw CallError(invalid_value);
  }
}

namespace {
constexpr int deepest = 24;  // CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", limits on nesting
}

using traces::PtxKernel;
using traces::PtxLaunch;

namespace {

/// What is not modelled of suspended kernels: reported once, at the end of the program.
void note_waits(const std::string& kernel, const traces::PtxStats& stats) {
  struct Left {
    std::string first;
    std::set<std::string> kernels;
    std::uint64_t waits = 0, rounds = 0;
  };
  static auto* const left = new Left;
  if (stats.waits == 0) return;
  if (left->kernels.empty()) {
    left->first = kernel;
    std::atexit([] {
      Device& device = Device::get();
      const std::lock_guard<std::recursive_mutex> lock(device.mutex);
      const std::size_t others = left->kernels.size() - 1;
      device.note("kernel " + left->first + " has loops that wait for what others do" +
                  (others == 0 ? std::string() : ", as have " + std::to_string(others) + " more") + ": " +
                  std::to_string(left->waits) + " waits, of which " + std::to_string(left->rounds) +
                  " rounds that found nothing new are left out of the record (docs/guide/ptx.md)");
    });
  }
  left->kernels.insert(kernel);
  left->waits += stats.waits;
  left->rounds += stats.waiting_rounds;
}

/// CUDA error code of an interpreter fault.
Error error_of(const std::string& found) {
  static const std::pair<const char*, Error> known[] = {{"an assertion of the kernel failed", assertion},
                                                        {"misaligned address", misaligned_address},
                                                        {"no device memory at", illegal_address},
                                                        {"past the end of", illegal_address},
                                                        {"cannot be written", illegal_address},
                                                        {"the stack of a thread overflows", stack_error},
                                                        {"no end", launch_timeout}};
  for (const auto& [text, code] : known)
    if (found.find(text) != std::string::npos) return code;
  return launch_failure;
}

}  // namespace

Launch Device::prepare(Function& function, Dim3 grid, Dim3 block, std::uint64_t shared, void* const* values,
                       Attributes attributes) {
  Launch launch;
  launch.attributes = std::move(attributes);
  launch.function = &function;
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared = shared;
  const PtxKernel& k = kernel(function);
  if (values == nullptr && !k.parameters.empty()) throw CallError(invalid_value);
  for (std::size_t n = 0; n < k.parameters.size(); ++n) {
    traces::PtxArgument argument;
    argument.bytes.resize(k.parameters[n].bytes);
    std::memcpy(argument.bytes.data(), values[n], argument.bytes.size());
    launch.arguments.push_back(std::move(argument));
  }
  check(launch, k);
  return launch;
}

/// Launches that a GPU refuses (CUDA C++ Programming Guide, "Technical Specifications").
void Device::check(const Launch& launch, const PtxKernel& k) const {
  const Dim3 &g = launch.grid, &b = launch.block;
  if (g.count() == 0 || g.x > 2147483647u || g.y > 65535 || g.z > 65535)
    throw CallError(invalid_configuration);
  if (b.count() == 0 || b.x > 1024 || b.y > 1024 || b.z > 64 || b.count() > 1024)
    throw CallError(invalid_configuration);
  if (b.count() > k.max_threads) throw CallError(too_many_resources);
  const auto most = static_cast<std::uint64_t>(launch.function->most_dynamic_shared);
  if (launch.dynamic_shared + k.static_shared_bytes > std::max<std::uint64_t>(most, 48 << 10))
    throw CallError(invalid_value);
  if (!launch.cooperative) return;
  const int resident = description().resident_blocks(static_cast<std::uint32_t>(b.count()), k.registers,
                                                     launch.dynamic_shared + k.static_shared_bytes);
  if (g.count() > static_cast<std::uint64_t>(resident) * static_cast<std::uint64_t>(description().sms))
    throw CallError(cooperative_too_large);
}

bool Device::is_recorded(const std::string& name) const {
  if (!options_.record || launches_ < options_.first_launch || launches_ > options_.last_launch) return false;
  return options_.kernels.empty() || std::regex_search(plain_kernel_name(name), wanted_) ||
         std::regex_search(name, wanted_);
}

/// A kernel launched by a kernel runs when its parent has ended, followed by its own children and then by its
/// next sibling. CUDA allows this order for any streams.
void Device::run(const Launch& launch) {
  std::vector<Launch> left = {launch};
  while (!left.empty()) {
    const Launch next = std::move(left.back());
    left.pop_back();
    children_.clear();
    last_children_.clear();
    run_alone(next);
    left.insert(left.end(), last_children_.rbegin(), last_children_.rend());
    left.insert(left.end(), children_.rbegin(), children_.rend());
  }
}

traces::DeviceError Device::take(const PtxLaunch& child, bool tail) {
  Launch made;
  made.function = &running_->function->module->function(child.kernel);
  made.grid = child.grid;
  made.block = child.block;
  made.dynamic_shared = child.dynamic_shared_bytes;
  made.arguments = child.arguments;
  made.depth = running_->depth + (tail ? 0 : 1);
  if (made.depth > deepest) return traces::DeviceError::too_deep;
  try {
    check(made, kernel(*made.function));
  } catch (const CallError& fault) {
    return fault.code == too_many_resources      ? traces::DeviceError::out_of_resources
           : fault.code == invalid_configuration ? traces::DeviceError::invalid_configuration
                                                 : traces::DeviceError::invalid_value;
  }
  (tail ? last_children_ : children_).push_back(std::move(made));
  return traces::DeviceError::none;
}

void Device::run_alone(const Launch& launch) {
  running_ = &launch;
  const PtxKernel& k = kernel(*launch.function);
  check(launch, k);
  PtxLaunch to;
  to.program = launch.function->module->share();
  to.kernel = k.name;
  to.grid = launch.grid;
  to.block = launch.block;
  to.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.dynamic_shared);
  to.arguments = launch.arguments;
  to.cooperative = launch.cooperative;
  to.cluster = cluster_of(launch, k);  // only now: nodes of graphs get their attributes after they are made
  if (launch.window && windows_++ == 0) std::atexit([] { get().tell_windows(); });
  const bool recorded = is_recorded(k.name);
  const std::uint64_t number = launches_++;
  try {
    interpret(to, recorded, number);
  } catch (const TraceError& fault) {
    report_fault("launch " + std::to_string(number) + ": " + fault.what());
    broken_ = error_of(fault.what());
    throw CallError(broken_);
  }
}

void Device::interpret(const PtxLaunch& launch, bool recorded, std::uint64_t number) {
  const auto start = std::chrono::steady_clock::now();
  traces::ptx::Machine machine(launch, memory_, options_.ptx);
  const KernelInfo& info = machine.info();
  LaunchMessage message;
  message.grid = info.grid;
  message.block = info.block;
  message.shared_bytes = info.shared_bytes;
  message.registers = info.registers;
  message.recorded = recorded ? 1 : 0;
  message.cluster = info.cluster;
  message.number = number;
  std::vector<std::uint32_t> after;
  if (recorded) {
    LaunchOrder::Placed placed = order_.place_kernel();
    message.stream = placed.stream;
    message.priority = placed.priority;
    after = std::move(placed.after);
  }
  const std::shared_ptr<LaunchRecords::Launch> recorded_launch =
      records_.begin(message, std::move(after), launch);
  struct Drop {  // also if a fault ends it
    LaunchRecords& records;
    LaunchRecords::Launch& launch;
    ~Drop() {
      if (!launch.over) records.drop(launch);
    }
  } const drop{records_, *recorded_launch};
  const std::uint64_t most = options_.max_instructions;
  traces::CtaPath path;
  for (std::uint64_t cta = 0; cta < info.ctas(); ++cta) {
    if (recorded) {
      machine.run(cta, path);
      records_.add(*recorded_launch, path);
    } else {
      machine.run(cta, nullptr);
    }
    if (recorded && most != 0 && recorded_ + machine.stats.thread_instructions >= most) {
      records_.cut();
      tell_windows();
      channel_.send(MessageKind::bye, "max-instructions");
      std::fflush(nullptr);
      std::_Exit(0);
    }
  }
  if (recorded) recorded_ += machine.stats.thread_instructions;
  note_waits(plain_kernel_name(info.name), machine.stats);
  LaunchEnded ended;
  ended.warp_instructions = machine.stats.executed_instructions;
  ended.thread_instructions = machine.stats.executed_thread_instructions;
  ended.recorded_warp = machine.stats.warp_instructions;
  ended.recorded_thread = machine.stats.thread_instructions;
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string gaps;
  for (const auto& [reason, count] : machine.stats.gaps)
    gaps.append(std::to_string(count)).append(" ").append(reason).append("\n");
  records_.end(*recorded_launch, ended, std::move(gaps));
}

}  // namespace strata::cuda
