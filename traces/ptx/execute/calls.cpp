// Calls of functions, calls of the CUDA device runtime (lane after lane), and printf and assert of kernels.
// printf takes a format and a buffer of values that the compiler has packed by their alignment.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/operations.h"

namespace strata::traces::ptx {
namespace {

constexpr std::size_t deepest = 4096;

std::uint64_t* frame_of(const Warp& w) {
  return row_of<std::uint64_t>(w, w.cta->kernel->frame_row);
}
std::uint64_t* top_of(const Warp& w) {
  return row_of<std::uint64_t>(w, w.cta->kernel->top_row);
}

void check_top(const Warp& w, const Op* op, int lane, std::uint64_t top) {
  const DecodedKernel& kernel = *w.cta->kernel;
  if (top < kernel.stack_begin || top > kernel.local_bytes)
    fault(w, op, lane, "the stack of a thread overflows: bytes", top - kernel.stack_begin, true);
}

/// The running lanes call a function and return to `back`.
const Op* enter(Warp& w, const Op* op, std::uint32_t number, std::uint32_t back) {
  const Body& body = w.cta->kernel->bodies[number];
  auto& calls = w.stack->calls;
  if (calls.size() >= deepest)
    fault(w, op, __builtin_ctz(w.mask), "calls nested too deep:", calls.size(), true);
  push_lanes(w, w.mask, back, w.join);
  calls.emplace_back();
  CallFrame& call = calls.back();
  call.depth = w.stack->entries.size();
  call.body = number;
  std::uint64_t *frame = frame_of(w), *top = top_of(w);
  std::memcpy(call.frame, frame, sizeof(call.frame));
  std::memcpy(call.top, top, sizeof(call.top));
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    frame[i] = top[i];
    top[i] += body.frame_bytes;
    check_top(w, op, i, top[i]);
  }
  bool again = false;
  for (std::size_t n = 0; n + 1 < calls.size(); ++n) again = again || calls[n].body == number;
  if (again) {
    const std::uint8_t* first = row(w, body.first_row);
    call.registers.assign(first, first + (body.rows_end - body.first_row));
  }
  w.join = no_op;
  return w.code + body.entry;
}

}  // namespace

const Op* do_call(Warp& w, const Op* op) {
  end_of_block(w, op);
  return enter(w, op, static_cast<std::uint32_t>(op->offset), static_cast<std::uint32_t>(op + 1 - w.code));
}

/// Lanes that call the same function go together, one set after another; all reconverge behind the call.
const Op* do_call_pointer(Warp& w, const Op* op) {
  end_of_block(w, op);
  const auto& kernel = *w.cta->kernel;
  const auto* pointer = row_of<std::uint64_t>(w, op->a);
  const auto here = static_cast<std::uint32_t>(op - w.code), back = here + 1;
  const std::uint64_t target = pointer[__builtin_ctz(w.mask)];
  std::uint32_t same = 0;
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1)
    if (pointer[__builtin_ctz(left)] == target) same |= left & (~left + 1);
  std::uint32_t number = 0;
  while (number < kernel.bodies.size() &&
         function_address(static_cast<std::uint64_t>(kernel.bodies[number].function -
                                                     kernel.module->functions.data())) != target)
    ++number;
  if (number == kernel.bodies.size()) fault(w, op, __builtin_ctz(w.mask), "no function at", target, true);
  const std::uint32_t rest = w.mask & ~same;
  if (rest != 0) {
    if (w.join != back) {
      push_lanes(w, w.mask, back, w.join);
      w.join = back;
    }
    push_lanes(w, rest, here, back);
    change_lanes(w, same);
  }
  return enter(w, op, number, back);
}

const Op* do_return(Warp& w, const Op* op) {
  end_of_block(w, op);
  return pop_lanes(w);
}

void end_call(Warp& w) {
  const CallFrame& call = w.stack->calls.back();
  if (w.split) {  // other lanes have diverged, and may be in calls of their own
    for (std::uint32_t left = w.alive; left != 0; left &= left - 1) {
      const int i = __builtin_ctz(left);
      frame_of(w)[i] = call.frame[i];
      top_of(w)[i] = call.top[i];
    }
  } else {
    std::memcpy(frame_of(w), call.frame, sizeof(call.frame));
    std::memcpy(top_of(w), call.top, sizeof(call.top));
  }
  if (!call.registers.empty())
    std::memcpy(row(w, w.cta->kernel->bodies[call.body].first_row), call.registers.data(),
                call.registers.size());
  w.stack->calls.pop_back();
}

const Op* do_alloca(Warp& w, const Op* op) {
  const auto* bytes = row_of<std::uint64_t>(w, op->a);
  auto *d = row_of<std::uint64_t>(w, op->d), *top = top_of(w);
  const auto align = static_cast<std::uint64_t>(op->offset);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const std::uint64_t at = (top[i] + align - 1) / align * align;
    if (bytes[i] > w.cta->kernel->local_bytes) check_top(w, op, i, at + bytes[i]);
    top[i] = (at + bytes[i] + 15) / 16 * 16;
    d[i] = at;
    check_top(w, op, i, top[i]);
  }
  return op + 1;
}
const Op* do_stack_save(Warp& w, const Op* op) {
  auto *d = row_of<std::uint64_t>(w, op->d), *top = top_of(w);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1)
    d[__builtin_ctz(left)] = top[__builtin_ctz(left)];
  return op + 1;
}
const Op* do_stack_restore(Warp& w, const Op* op) {
  auto *a = row_of<std::uint64_t>(w, op->a), *top = top_of(w);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    check_top(w, op, i, a[i]);
    top[i] = a[i];
  }
  return op + 1;
}

namespace {

constexpr std::uint64_t tail_launch = 3;  // cudaStreamTailLaunch
constexpr std::uint64_t first_handle = std::uint64_t{1}
                                       << 32;  ///< handles of streams and events: CUDA's own are smaller

/// One lane that makes a call.
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
  /// Memory behind a pointer of this thread: local or device memory.
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
  /// Null if the program has no such kernel.
  const Function* kernel_at(std::uint64_t address) const {
    const auto& all = w_.cta->kernel->module->functions;
    for (std::size_t n = 0; n < all.size(); ++n)
      if (function_address(n) == address) return all[n].entry && all[n].has_body ? &all[n] : nullptr;
    return nullptr;
  }
  static std::vector<std::uint64_t> offsets(
      const Function& kernel) {  // the last offset is the end of the parameters
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

namespace {

constexpr std::size_t longest_text = 1 << 16;

/// printf of one lane.
class Printer {
 public:
  Printer(const Warp& w, const Op* op, int lane)
      : w_(w), op_(op), lane_(lane), size_(w.cta->kernel->local_bytes) {
    local_ = w.cta->local.data() + w.index * size_ * 32 + static_cast<unsigned>(lane) * size_;
  }

  std::uint8_t* local(std::uint64_t at, std::uint64_t bytes) const {
    if (at > size_ || bytes > size_ - at) fault(w_, op_, lane_, "past the end of local memory at", at, true);
    return local_ + at;
  }
  void run(std::uint64_t format, std::uint64_t values) {
    values_ = values;
    const std::string text = string_at(format);
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t begin = i++;
      if (text[begin] != '%')
        out_ += text[begin];
      else if (i < text.size() && text[i] == '%')
        out_ += text[i++];
      else
        directive(text, begin, i);
    }
  }
  const std::string& text() const { return out_; }
  std::int32_t count() const { return count_; }

  std::string string_at(std::uint64_t address) const {
    if (address - local_window < window_bytes)
      address -= local_window;  // relative to this lane's local memory
    std::string text;
    for (; text.size() < longest_text; ++address) {
      char c = 0;
      if (address < size_) {
        c = static_cast<char>(local_[address]);
      } else {
        const GlobalMemory::Allocation* a = w_.cta->memory->find(address);
        if (a == nullptr) fault(w_, op_, lane_, "no text for printf at", address, true);
        c = static_cast<char>(a->data[address - a->address]);
      }
      if (c == 0) break;
      text += c;
    }
    return text;
  }

 private:
  template <class T>
  T value() {
    used_ = (used_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T got;
    const std::uint64_t at = values_ - local_window + used_;
    std::memcpy(&got, local(at, sizeof(T)), sizeof(T));
    used_ += sizeof(T);
    return got;
  }
  template <class T>
  void put(std::string form, T got) {
    const int n = std::snprintf(nullptr, 0, form.c_str(), got);
    if (n > 0) {
      const std::size_t before = out_.size(),
                        more = std::min<std::size_t>(static_cast<std::size_t>(n), longest_text);
      out_.resize(before + more + 1);
      std::snprintf(&out_[before], more + 1, form.c_str(), got);
      out_.resize(before + more);
    }
    ++count_;
  }
  /// Prints the directive whose `%` is at `begin`; `i` becomes the position behind it.
  void directive(const std::string& text, std::size_t begin, std::size_t& i) {
    std::string form = "%";
    for (; i < text.size() && std::strchr("-+ #0123456789.*", text[i]) != nullptr; ++i) {
      if (text[i] != '*')
        form += text[i];
      else
        form += std::to_string(value<std::int32_t>());
    }
    if (form.size() > 64) form = "%";
    bool wide = false;
    std::string narrow;
    for (; i < text.size() && std::strchr("hljztL", text[i]) != nullptr; ++i)
      if (text[i] != 'h')
        wide = true;
      else if (narrow.size() < 2)
        narrow += 'h';
    const char kind = i < text.size() ? text[i++] : '\0';
    if (kind == 'd' || kind == 'i') {
      if (wide)
        put(form + "lld", value<long long>());
      else
        put(form + narrow + "d", value<int>());
    } else if (kind != '\0' && std::strchr("uxXoc", kind) != nullptr) {
      if (wide && kind != 'c')
        put(form + "ll" + kind, value<unsigned long long>());
      else
        put(form + (kind == 'c' ? "" : narrow) + kind, value<unsigned>());
    } else if (kind != '\0' && std::strchr("fFeEgGaA", kind) != nullptr) {
      put(form + kind, value<double>());
    } else if (kind == 'p') {
      put(form + kind, reinterpret_cast<void*>(value<std::uint64_t>()));
    } else if (kind == 's') {
      const std::uint64_t at = value<std::uint64_t>();
      put(form + kind, (at == 0 ? std::string("(null)") : string_at(at)).c_str());
    } else {
      out_.append(text, begin, i - begin);
    }
  }

  const Warp& w_;
  const Op* op_;
  int lane_;
  std::uint64_t size_;
  std::uint8_t* local_;
  std::uint64_t values_ = 0, used_ = 0;
  std::string out_;
  std::int32_t count_ = 0;
};

}  // namespace

const Op* do_print(Warp& w, const Op* op) {
  const auto places = static_cast<std::uint64_t>(op->offset);
  const std::uint64_t format = places & no_place, values = places >> 20 & no_place, result = places >> 40;
  std::string text;
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const std::uint64_t frame = op->a == no_row ? 0 : row_of<std::uint64_t>(w, op->a)[lane];
    Printer printer(w, op, lane);
    std::uint64_t addresses[2];
    std::memcpy(&addresses[0], printer.local(frame + format, 8), 8);
    std::memcpy(&addresses[1], printer.local(frame + values, 8), 8);
    if (w.cta->print != nullptr) printer.run(addresses[0], addresses[1]);
    const std::int32_t count = printer.count();
    if (result != no_place) std::memcpy(printer.local(frame + result, 4), &count, 4);
    text += printer.text();
  }
  if (!text.empty()) (*w.cta->print)(text);
  return op + 1;
}

/// Offsets in local memory of the condition's text, file, line and function, 16 bits each. All ones: not
/// known.
const Op* do_assert(Warp& w, const Op* op) {
  const auto places = static_cast<std::uint64_t>(op->offset);
  if (w.cta->assertion != nullptr && places != ~std::uint64_t{0})
    for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const Dim3 &block = w.cta->block, &index = w.cta->index;
      const std::uint64_t frame = op->a == no_row ? 0 : row_of<std::uint64_t>(w, op->a)[lane];
      const Printer printer(w, op, lane);
      const auto text = [&](unsigned n) {
        std::uint64_t address;
        std::memcpy(&address, printer.local(frame + (places >> 16 * n & 0xffff), 8), 8);
        return address == 0 ? std::string() : printer.string_at(address);
      };
      std::uint32_t line;
      std::memcpy(&line, printer.local(frame + (places >> 32 & 0xffff), 4), 4);
      const auto triple = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
      };
      const std::uint32_t thread = w.index * 32 + static_cast<std::uint32_t>(lane);
      // Format of the CUDA C++ Programming Guide ("Assertion").
      (*w.cta->assertion)(text(1) + ":" + std::to_string(line) + ": " + text(3) +
                          ": block: " + triple(index.x, index.y, index.z) + ", thread: " +
                          triple(thread % block.x, thread / block.x % block.y, thread / block.x / block.y) +
                          " Assertion `" + text(0) + "` failed.");
    }
  fault(w, op, __builtin_ctz(w.mask), "an assertion of the kernel failed");
}

}  // namespace strata::traces::ptx
