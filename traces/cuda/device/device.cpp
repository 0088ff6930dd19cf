#include "traces/cuda/device/device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include "models/common/faults.h"
#include "traces/cuda/fat_binary.h"

namespace strata::cuda {
namespace {

AppOptions options_of_environment() {
  const char* const text = std::getenv(AppOptions::variable);
  if (text == nullptr) {
    std::fputs(
        "strata: this program runs with a CUDA library of Strata; start it with `strata app -- PROGRAM`\n",
        stderr);
    std::_Exit(1);
  }
  AppOptions options = AppOptions::from_text(text);
  ::unsetenv(AppOptions::variable);  // programs that this one starts are not ours
  if (options.channel >= 0) ::fcntl(options.channel, F_SETFD, FD_CLOEXEC);
  return options;
}

}  // namespace

std::string plain_kernel_name(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string plain = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return plain;
}

Device& Device::get() {
  static Device* const device = new Device;  // programs call it until their very end
  return *device;
}

Device::Device() : options_(options_of_environment()), channel_(options_.channel), wanted_(options_.kernels) {
  options_.ptx.print = [](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  options_.ptx.report = [this](const std::string& found) { note("memcheck: " + found); };
  memory_.reserve_addresses();
  channel_.say(Say::hello);
}

void Device::reset() {
  broken_ = success;
}

void Device::note(const std::string& text) {
  if (said_.insert(text).second) channel_.say(Say::note, text);
}

Error Device::absent(const char* call) {
  note(std::string(call) + " is not there; the program gets cudaErrorNotSupported");
  return not_supported;
}

void Device::tell_fault(const std::string& text) {
  std::fflush(stdout);
  channel_.say(Say::fault, text);
}

// --- modules ---

Module& Device::load_text(std::string text) {
  modules_.push_back(
      std::make_unique<Module>(std::move(text), "module-" + std::to_string(++modules_made_) + ".ptx"));
  write_out(*modules_.back());
  return *modules_.back();
}

Module& Device::load(const void* image, bool trusted_size) {
  (void)trusted_size;
  if (image == nullptr) throw CallError(invalid_value);
  if (!is_fat_binary(image)) {
    const char* text = static_cast<const char*>(image);
    if (std::memcmp(text,
                    "\x7f"
                    "ELF",
                    4) == 0)
      return load_text("");  // machine code alone
    return load_text(text);
  }
  try {
    return load_text(choose_ptx(read_fat_binary(image), description().capability));
  } catch (const TraceError& fault) {
    tell_fault(fault.what());
    throw CallError(invalid_ptx);
  }
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
  try {
    for (const traces::PtxVariable& one : module.program().variables()) {
      if (one.name != name) continue;
      if (bytes != nullptr) *bytes = one.bytes;
      memory_.add_variables(module.program());
      return memory_.symbol(std::to_string(module.program().identity()) + ":" + name);
    }
  } catch (const TraceError& fault) {
    tell_fault(fault.what());
    throw CallError(invalid_ptx);
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
    tell_fault("kernel " + plain_kernel_name(function.name) +
               ": the program holds no PTX of it; compile it with -gencode arch=compute_80,code=compute_80");
    throw CallError(no_code_for_device);
  }
  try {
    return function.module->kernel(function);
  } catch (const TraceError& fault) {
    if (!function.refused) tell_fault(fault.what());
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
  if (memory_.allocated_bytes() + bytes > description().memory) throw CallError(out_of_memory);
  try {
    return memory_.allocate(bytes);
  } catch (const ConfigError&) {
    throw CallError(out_of_memory);
  }
}

Address Device::allocate_of_host(std::uint64_t bytes, bool managed) {
  if (managed && memory_.allocated_bytes() + bytes > description().memory) throw CallError(out_of_memory);
  try {
    const Address at = memory_.allocate_of_host(bytes);
    if (managed) managed_.insert(at);
    return at;
  } catch (const ConfigError&) {
    throw CallError(out_of_memory);
  }
}

void Device::free(Address address) {
  if (address == 0) return;
  if (!memory_.free(address)) throw CallError(invalid_value);
  managed_.erase(address);
}

void Device::copy(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (to == nullptr || from == nullptr) throw CallError(invalid_value);
  const auto* const source = memory_.find(reinterpret_cast<Address>(from));
  const auto* const target = memory_.find(reinterpret_cast<Address>(to));
  const bool from_device = source != nullptr && !source->of_host,
             to_device = target != nullptr && !target->of_host;
  try {
    if (to_device && from_device) {
      std::vector<std::uint8_t> all(bytes);
      memory_.read(reinterpret_cast<Address>(from), all.data(), bytes);
      memory_.write(reinterpret_cast<Address>(to), all.data(), bytes);
    } else if (to_device) {
      memory_.write(reinterpret_cast<Address>(to), from, bytes);
      if (options_.record) channel_.say_copy({reinterpret_cast<Address>(to), bytes});
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
