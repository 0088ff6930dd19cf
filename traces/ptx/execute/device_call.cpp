// Kernels that launch kernels: what CUDA's device runtime asks of the system, lane after lane.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint64_t tail_launch = 3;                        // cudaStreamTailLaunch
constexpr std::uint64_t first_handle = std::uint64_t{1} << 32;  ///< of streams and events: none of CUDA's own

/// One lane that calls.
class Caller {
 public:
  Caller(Warp& w, const Op* op, int lane)
      : w_(w),
        op_(op),
        lane_(lane),
        call_(w.cta->kernel->device_calls[static_cast<std::size_t>(op->offset)]) {
    const std::uint64_t size = w.cta->kernel->local_bytes;
    local_ = w.cta->local.data() + (w.index * std::uint64_t{32} + static_cast<unsigned>(lane)) * size;
    frame_ = op->a == no_row ? 0 : row_of<std::uint64_t>(w, op->a)[lane];
  }

  void run() {
    using Kind = DeviceCall::Kind;
    switch (call_.kind) {
      case Kind::parameter_buffer:
        return answer(parameter_buffer());
      case Kind::launch:
        return fail(launch());
      case Kind::create:
        put(argument<std::uint64_t>(0), first_handle + ++calls().made);
        break;
      case Kind::accept:
        break;
      case Kind::set_condition:
        return set_condition();
      case Kind::last_error: {
        const std::uint32_t was = calls().errors[thread()];
        calls().errors.erase(thread());
        return answer(was);
      }
      case Kind::set_last_error:
        calls().errors[thread()] = argument<std::uint32_t>(0);
        break;
      case Kind::device:
      case Kind::device_count:
        put(argument<std::uint64_t>(0), std::uint32_t{call_.kind == Kind::device_count});
        break;
    }
    answer(std::uint32_t{0});
  }

 private:
  DeviceCalls& calls() { return w_.cta->device_calls; }
  std::pair<std::uint64_t, std::uint32_t> thread() const {
    return {w_.cta->cta, w_.index * 32 + static_cast<unsigned>(lane_)};
  }
  template <class T>
  T argument(std::size_t n) const {
    T value;
    std::memcpy(&value, local_ + frame_ + call_.arguments[n], sizeof value);
    return value;
  }
  template <class T>
  void answer(T value) {
    std::memcpy(local_ + frame_ + call_.result, &value, sizeof value);
  }
  void fail(DeviceError error) {
    if (error != DeviceError::none) calls().errors[thread()] = static_cast<std::uint32_t>(error);
    answer(static_cast<std::uint32_t>(error));
  }
  Dim3 dim(std::size_t n) const {
    struct Axes {
      std::uint32_t x, y, z;
    };
    const Axes axes = argument<Axes>(n);
    return {axes.x, axes.y, axes.z};
  }
  /// To where a pointer of this thread points: its own memory, or the device's.
  template <class T>
  void put(std::uint64_t to, T value) {
    if (to - local_window < window_bytes) {
      const std::uint64_t at = to - local_window, size = w_.cta->kernel->local_bytes;
      if (at > size || size - at < sizeof value)
        fault(w_, op_, lane_, "past the end of local memory at", at, true);
      std::memcpy(local_ + at, &value, sizeof value);
      return;
    }
    GlobalMemory::Allocation* a = w_.cta->memory->find(to);
    if (a == nullptr || a->end() - to < sizeof value) fault(w_, op_, lane_, "no device memory at", to, true);
    std::memcpy(a->data + (to - a->address), &value, sizeof value);
    if (a->unset_bytes != 0) a->unset_bytes -= mark_set(a->set, to - a->address, sizeof value);
  }
  /// nullptr: no kernel of the program.
  const Function* kernel_at(std::uint64_t address) const {
    const auto& all = w_.cta->kernel->module->functions;
    for (std::size_t n = 0; n < all.size(); ++n)
      if (function_address(n) == address) return all[n].entry && all[n].has_body ? &all[n] : nullptr;
    return nullptr;
  }
  static std::vector<std::uint64_t> offsets(const Function& kernel) {  // the last one is where all end
    std::vector<std::uint64_t> all;
    std::uint64_t at = 0;
    for (const std::uint32_t p : kernel.parameters) {
      const Variable& v = kernel.variables[p];
      at = (at + v.align - 1) / v.align * v.align;
      all.push_back(at);
      at += v.bytes;
    }
    all.push_back(at);
    return all;
  }
  std::uint64_t parameter_buffer() {
    const auto address = argument<std::uint64_t>(0);
    const Function* const kernel = kernel_at(address);
    if (kernel == nullptr) {
      calls().errors[thread()] = static_cast<std::uint32_t>(DeviceError::invalid_value);
      return 0;
    }
    const std::uint64_t bytes = std::max<std::uint64_t>(offsets(*kernel).back(), 1);
    const Address at = w_.cta->memory->heap_allocate(bytes);
    if (at == 0)
      calls().errors[thread()] = static_cast<std::uint32_t>(DeviceError::out_of_memory);
    else
      calls().buffers[at] = {address, dim(1), dim(2), argument<std::uint32_t>(3)};
    return at;
  }
  void set_condition() {
    const auto& set = w_.cta->machine->options().set_condition;
    const auto handle = argument<std::uint64_t>(0);
    if (!set) fault(w_, op_, lane_, "a condition of a graph: graphs are run by `strata app` only");
    if (!set(handle, argument<std::uint32_t>(1)))
      fault(w_, op_, lane_, "no condition of a graph has the handle", handle, true);
  }
  DeviceError launch() {
    const auto buffer = argument<std::uint64_t>(0);
    const auto found = calls().buffers.find(buffer);
    if (found == calls().buffers.end()) return DeviceError::invalid_value;
    const DeviceCalls::Configuration how = found->second;
    const Machine& machine = *w_.cta->machine;
    if (!machine.options().launch)
      fault(w_, op_, lane_, "a kernel that launches kernels: they are run by `strata app` only");
    const Function& kernel = *kernel_at(how.function);
    PtxLaunch child;
    child.program = machine.launch().program;
    child.kernel = kernel.name;
    child.grid = how.grid;
    child.block = how.block;
    child.dynamic_shared_bytes = how.shared;
    const std::vector<std::uint64_t> at = offsets(kernel);
    for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
      PtxArgument one;
      one.bytes.resize(kernel.variables[kernel.parameters[n]].bytes);
      w_.cta->memory->read(buffer + at[n], one.bytes.data(), one.bytes.size());
      child.arguments.push_back(std::move(one));
    }
    calls().buffers.erase(found);
    w_.cta->memory->heap_free(buffer);
    return machine.options().launch(child, argument<std::uint64_t>(1) == tail_launch);
  }

  Warp& w_;
  const Op* op_;
  int lane_;
  const DeviceCall& call_;
  std::uint8_t* local_;
  std::uint64_t frame_;
};

}  // namespace

const Op* do_device_call(Warp& w, const Op* op) {
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) Caller(w, op, __builtin_ctz(left)).run();
  return op + 1;
}

}  // namespace strata::traces::ptx
