#include "traces/cuda/device/device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include "models/common/faults.h"
#include "traces/cuda/device/pending.h"
#include "traces/cuda/fat_binary.h"

namespace strata::cuda {
namespace {

constexpr std::size_t pair_bytes = 72, value_at = 8;  ///< of cudaLaunchAttribute
constexpr int largest_window = 109;                   ///< cudaDeviceAttr

/// Owners of each attribute (CUDA Runtime API, cudaLaunchAttributeID).
struct Owner {
  int number;
  bool stream, node;
};
constexpr Owner owners[] = {{1, true, true},   {2, false, true},  {3, true, false},  {4, false, true},
                            {5, false, true},  {6, false, false}, {7, false, false}, {8, true, true},
                            {9, true, true},   {10, true, true},  {11, false, true}, {12, false, false},
                            {13, false, true}, {14, false, true}, {16, true, true}};

void check_window(const Device& device, const AccessWindow& window) {
  int largest = 0;
  device.description().attribute(largest_window, largest);
  const bool ratio = window.hit_ratio >= 0 && window.hit_ratio <= 1;  // false for NaN, too
  const bool kinds = window.on_hit >= 0 && window.on_hit <= 2 && (window.on_miss == 0 || window.on_miss == 1);
  if (!ratio || !kinds || (largest != 0 && window.bytes > static_cast<std::size_t>(largest)))
    throw CallError(invalid_value);
}

}  // namespace

bool Attributes::belongs(Of whose, int number) {
  for (const Owner& one : owners)
    if (one.number == number)
      return whose == Of::launch ? number != 3 : whose == Of::stream ? one.stream : one.node;
  return false;
}

void Attributes::set(const Device& device, Of whose, int number, const void* value) {
  if (value == nullptr || !belongs(whose, number)) throw CallError(invalid_value);
  if (number == access_window) {
    AccessWindow window;
    std::memcpy(&window, value, sizeof window);
    check_window(device, window);
  }
  std::memcpy(values_[number].data(), value, sizeof(Value));
}

void Attributes::get(Of whose, int number, void* value) const {
  if (value == nullptr || !belongs(whose, number)) throw CallError(invalid_value);
  const auto found = values_.find(number);
  std::memset(value, 0, sizeof(Value));
  constexpr int sync_policy = 3, domain_map = 9;
  auto* const bytes = static_cast<std::uint8_t*>(value);
  if (number == sync_policy) bytes[0] = 1;  // cudaSyncPolicyAuto
  if (number == domain_map) bytes[1] = 1;   // the remote domain
  if (found != values_.end()) std::memcpy(value, found->second.data(), sizeof(Value));
}

void Attributes::set_all(const Device& device, const void* pairs, unsigned count) {
  const auto* at = static_cast<const std::uint8_t*>(pairs);
  if (at == nullptr && count != 0) throw CallError(invalid_value);
  for (unsigned n = 0; n < count; ++n, at += pair_bytes) {
    int number = 0;
    std::memcpy(&number, at, sizeof number);
    if (number != 0) set(device, Of::launch, number, at + value_at);  // 0: an ignored entry
  }
}

int Attributes::word(int number) const {
  const auto found = values_.find(number);
  int value = 0;
  if (found != values_.end()) std::memcpy(&value, found->second.data(), sizeof value);
  return value;
}

std::optional<Dim3> Attributes::cluster_dims() const {
  const auto found = values_.find(cluster);
  if (found == values_.end()) return {};
  std::uint32_t dims[3];
  std::memcpy(dims, found->second.data(), sizeof dims);
  if (dims[0] == 0 && dims[1] == 0 && dims[2] == 0) return {};
  return Dim3{dims[0], dims[1], dims[2]};
}

bool Attributes::has_window() const {
  const auto found = values_.find(access_window);
  if (found == values_.end()) return false;
  AccessWindow window;
  std::memcpy(&window, found->second.data(), sizeof window);
  return window.bytes != 0 && (window.on_hit != 0 || window.on_miss != 0);
}

std::uint64_t Conditions::make(std::uint32_t initial, bool assigned) {
  all_.push_back({0, initial, assigned});
  return all_.size();
}

bool Conditions::set(std::uint64_t handle, std::uint32_t value) {
  if (handle == 0 || handle > all_.size()) return false;
  all_[handle - 1].value = value;
  return true;
}

const std::uint32_t* Conditions::value(std::uint64_t handle) const {
  return handle == 0 || handle > all_.size() ? nullptr : &all_[handle - 1].value;
}

void Conditions::begin(const std::vector<std::uint64_t>& handles) {
  for (const std::uint64_t handle : handles) {
    Condition& one = all_[handle - 1];
    if (one.assigned) one.value = one.initial;
  }
}

traces::PtxProgram& Module::program() {
  if (program_ == nullptr) program_ = traces::PtxProgram::open(text_, name_);
  return *program_;
}

std::shared_ptr<const traces::PtxProgram> Module::share() {
  program();
  return program_;
}

int Module::ptx_version() const {
  const std::size_t at = text_.find(".target sm_");
  return at == std::string::npos ? 0 : std::atoi(text_.c_str() + at + 11);
}

Function& Module::function(const std::string& name) {
  std::unique_ptr<Function>& found = functions_[name];
  if (found == nullptr) {
    found = std::make_unique<Function>();
    found->module = this;
    found->name = name;
  }
  return *found;
}

const traces::PtxKernel& Module::kernel(const Function& function) {
  return program().prepare(function.name);
}

namespace {

/// Block-wide reductions that reuse their shared memory without a barrier pass this many branches first.
constexpr std::uint32_t turns_after_barrier = 3;

constexpr std::uint32_t wrapper_magic = 0x466243b1;  // of abi::FatBinaryWrapper

AppOptions options_of_environment() {
  const char* const text = std::getenv(AppOptions::variable);
  if (text == nullptr) {
    std::fputs(
        "strata: this program runs with a CUDA library of Strata; start it with `strata app -- PROGRAM`\n",
        stderr);
    std::_Exit(1);
  }
  AppOptions options = AppOptions::from_text(text);
  ::unsetenv(AppOptions::variable);  // child processes are not recorded
  for (const int descriptor : {options.channel, options.dictionary})
    if (descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return options;
}

}  // namespace

std::string plain_kernel_name(const std::string& name) {
  int status = 0;
  char* const text = ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string plain = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return plain;
}

Device& Device::get() {
  static Device* const device = new Device;  // never destroyed: programs use it until their very end
  return *device;
}

Device::Device()
    : options_(options_of_environment()),
      channel_(options_.channel),
      wanted_(options_.kernels),
      pending_(std::make_unique<Pending>(*this)) {
  options_.ptx.print = [this](const std::string& text) {
    watch_program_end();
    printed_ += text;
  };
  options_.ptx.assertion = [this](const std::string& text) {
    print();
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", text.c_str());
  };
  options_.ptx.wait = [this](const traces::PtxWaiting& waiting) { return pending_->wait(waiting); };
  options_.ptx.turns_after_barrier = turns_after_barrier;
  options_.ptx.report = [this](const std::string& found) { note("memcheck: " + found); };
  options_.ptx.launch = [this](const traces::PtxLaunch& child, bool tail) { return take(child, tail); };
  options_.ptx.set_condition = [this](std::uint64_t handle, std::uint32_t value) {
    return conditions_.set(handle, value);
  };
  memory_.reserve_addresses();
  channel_.send(MessageKind::hello);
}

void Device::reset() {
  print();
  pending_->drop();
  broken_ = success;
  told_ = false;
}

void Device::synchronize() {
  pending_->finish();
  order_.synchronize();
  print();
}

void Device::print() {
  if (printed_.empty()) return;
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
}

void Device::watch_program_end() {
  if (!minds_end_) std::atexit([] { Device::get().end_of_program(); });
  minds_end_ = true;
}

void Device::end_of_program() {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (ended_) return;
  ended_ = true;
  if (!printed_.empty())
    note(std::to_string(printed_.size()) +
         " bytes that kernels have printed are lost, as on a GPU: the program has ended without waiting for "
         "them");
  if (!pending_->empty()) note("the program has ended while a kernel waits: its record is cut");
  pending_->drop();
}

Device::Running Device::set_aside() {
  return {running_, std::move(children_), std::move(last_children_)};
}

void Device::take_up(const Running& kept) {
  running_ = kept.launch;
  children_ = kept.children;
  last_children_ = kept.last_children;
}

void Device::note(const std::string& text) {
  if (reported_.insert(text).second) channel_.send(MessageKind::note, text);
}

Error Device::absent(const char* call, const char* code) {
  note(std::string(call) + " is not there; the program gets " + code);
  return not_supported;
}

void Device::set_persisting_bytes(std::uint64_t bytes) {
  constexpr int most_persisting = 108;  // cudaDevAttrMaxPersistingL2CacheSize
  int most = 0;
  description().attribute(most_persisting, most);
  persisting_bytes_ = std::min(bytes, static_cast<std::uint64_t>(most));
}

/// Called at the end of the program, when the numbers are known.
void Device::tell_windows() {
  if (windows_ == 0) return;
  note(std::to_string(windows_) +
       " launches have an access policy window: it is kept, and changes nothing; the L2 treats all lines "
       "alike");
  windows_ = 0;
}

void Device::report_fault(const std::string& text) {
  print();
  std::fflush(stdout);
  channel_.send(MessageKind::fault, text);
}

// --- modules ---

Module& Device::load_text(std::string text) {
  modules_.push_back(
      std::make_unique<Module>(std::move(text), "module-" + std::to_string(++modules_made_) + ".ptx"));
  write_out(*modules_.back());
  return *modules_.back();
}

Module& Device::load(const void* image, std::size_t available) {
  if (image == nullptr) throw CallError(invalid_value);
  if (is_fat_binary(image, available)) {
    try {
      return load_text(choose_ptx(read_fat_binary(image, available), description().capability));
    } catch (const TraceError& fault) {
      report_fault(fault.what());
      throw CallError(invalid_ptx);
    }
  }
  const auto* const text = static_cast<const char*>(image);
  const auto begins_with = [&](const void* bytes) {
    return available >= 4 && std::strncmp(text, static_cast<const char*>(bytes), 4) == 0;
  };
  if (begins_with("\x7f"
                  "ELF"))
    return load_text("");
  if (begins_with(&wrapper_magic)) return load_wrapped(*static_cast<const abi::FatBinaryWrapper*>(image));
  Module& module = load_text(std::string(text, ::strnlen(text, available)));
  try {
    program(module);
  } catch (const CallError&) {
    unload(module);
    throw;
  }
  return module;
}

traces::PtxProgram& Device::program(Module& module) {
  try {
    return module.program();
  } catch (const TraceError& fault) {
    report_fault(fault.what());
    throw CallError(invalid_ptx);
  }
}

Module& Device::load_wrapped(const abi::FatBinaryWrapper& wrapper) {
  const auto text_of = [&](const void* data) -> std::string {
    try {
      return is_fat_binary(data) ? choose_ptx(read_fat_binary(data), description().capability)
                                 : std::string();
    } catch (const TraceError& fault) {
      note(fault.what());
      return {};
    }
  };
  std::string text = text_of(wrapper.data);
  if (wrapper.version >= 2 && wrapper.prelinked != nullptr)
    for (const void* const* one = wrapper.prelinked; *one != nullptr; ++one) text += text_of(*one) + "\n";
  if (text.find_first_not_of('\n') == std::string::npos) text.clear();
  return load_text(std::move(text));
}

void Device::unload(Module& module) {
  for (auto at = modules_.begin(); at != modules_.end(); ++at)
    if (at->get() == &module) {
      modules_.erase(at);
      return;
    }
}

void Device::write_out(const Module& module) const {
  if (options_.ptx_folder.empty() || module.empty()) return;
  std::ofstream(options_.ptx_folder + "/" + module.name()) << module.text();
}

Address Device::variable(Module& module, const std::string& name, std::uint64_t* bytes) {
  const traces::PtxProgram& of = program(module);
  for (const traces::PtxVariable& one : of.variables()) {
    if (one.name != name) continue;
    if (bytes != nullptr) *bytes = one.bytes;
    memory_.add_variables(of);
    return memory_.symbol(std::to_string(of.identity()) + ":" + name);
  }
  throw CallError(invalid_symbol);
}

Address Device::managed_variable(Module& module, const std::string& name) {
  const Address at = variable(module, name);
  managed_.insert(at);
  return at;
}

const traces::PtxKernel& Device::kernel(Function& function) {
  if (function.module->empty()) {
    report_fault(
        "kernel " + plain_kernel_name(function.name) +
        ": the program holds no PTX of it; compile it with -gencode arch=compute_80,code=compute_80");
    throw CallError(no_code_for_device);
  }
  try {
    return function.module->kernel(function);
  } catch (const TraceError& fault) {
    if (!function.refused) report_fault(fault.what());
    function.refused = true;
    throw CallError(invalid_ptx);
  }
}

// --- memory ---

bool Device::is_device(const void* pointer) const {
  return memory_.find(reinterpret_cast<Address>(pointer)) != nullptr;
}

bool Device::is_managed(const void* pointer) const {
  const auto* const found = memory_.find(reinterpret_cast<Address>(pointer));
  return found != nullptr && managed_.count(found->address) != 0;
}

Address Device::allocate(std::uint64_t bytes) {
  if (used_bytes() + bytes > description().memory) throw CallError(out_of_memory);
  try {
    return memory_.allocate(bytes);
  } catch (const ConfigError&) {
    throw CallError(out_of_memory);
  }
}

Address Device::allocate_of_host(std::uint64_t bytes, bool managed) {
  if (managed && used_bytes() + bytes > description().memory) throw CallError(out_of_memory);
  try {
    const Address at = memory_.allocate_of_host(bytes);
    if (managed) managed_.insert(at);
    return at;
  } catch (const ConfigError&) {
    throw CallError(out_of_memory);
  }
}

void Device::free(Address address) {
  if (address != 0 && !pending_->empty()) pending_->finish();
  free_behind(address);
}

void Device::free_behind(Address address) {
  if (address == 0 || graph_pool_.give(address)) return;
  if (graph_pool_.reserves(address) || !memory_.free(address)) throw CallError(invalid_value);
  managed_.erase(address);
  memory_pools_.give(address);
}

void Device::copy(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (to == nullptr || from == nullptr) throw CallError(invalid_value);
  const auto* const source = memory_.find(reinterpret_cast<Address>(from));
  const auto* const target = memory_.find(reinterpret_cast<Address>(to));
  const bool from_device = source != nullptr && !source->of_host,
             to_device = target != nullptr && !target->of_host;
  for (const void* one : {static_cast<const void*>(to), from})  // unmapped on the host
    if (!is_device(one) && virtual_memory_.reserves(reinterpret_cast<Address>(one)))
      throw CallError(invalid_value);
  try {
    if (to_device && from_device) {
      std::vector<std::uint8_t> all(bytes);
      memory_.read(reinterpret_cast<Address>(from), all.data(), bytes);
      memory_.write(reinterpret_cast<Address>(to), all.data(), bytes);
    } else if (to_device) {
      memory_.write(reinterpret_cast<Address>(to), from, bytes);
      if (options_.record) channel_.send_copy({reinterpret_cast<Address>(to), bytes});
    } else if (from_device) {
      memory_.read(reinterpret_cast<Address>(from), to, bytes);
    } else {
      std::memmove(to, from, bytes);
    }
  } catch (const ConfigError&) {
    throw CallError(invalid_value);
  }
}

void Device::fill(void* to, const void* pattern, std::uint64_t bytes_of_pattern, std::uint64_t count) {
  const std::uint64_t bytes = bytes_of_pattern * count;
  if (bytes == 0) return;
  const auto address = reinterpret_cast<Address>(to);
  auto* const target = memory_.find(address);
  if (target == nullptr || bytes > target->end() - address) throw CallError(invalid_value);
  memory_.fill(address, *static_cast<const std::uint8_t*>(pattern), bytes);
  if (bytes_of_pattern == 1) return;
  std::uint8_t* const data = target->data + (address - target->address);
  for (std::uint64_t i = 0; i < count; ++i)
    std::memcpy(data + i * bytes_of_pattern, pattern, bytes_of_pattern);
}

}  // namespace strata::cuda
