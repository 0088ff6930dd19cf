// Calls of CUDA's device runtime, by which kernels launch kernels. libcudadevrt comes as PTX and makes them
// of cudaLaunchDevice and its kin; their names and parameters are those that it declares, in both of its
// versions.
#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/execute/operations.h"

namespace strata::traces::ptx {
namespace {

struct Declared {
  const char* name;
  DeviceCall::Kind kind;
  std::uint32_t result_bytes;
  std::vector<std::uint32_t> argument_bytes;
};

const std::vector<Declared>& declared() {
  using Kind = DeviceCall::Kind;
  static const std::vector<Declared> all = {
      {"GetParameterBufferV2", Kind::parameter_buffer, 8, {8, 12, 12, 4}},
      {"LaunchDeviceV2", Kind::launch, 4, {8, 8}},
      {"StreamCreate", Kind::create, 4, {8, 4}},
      {"StreamDestroy", Kind::accept, 4, {8}},
      {"StreamWaitEvent", Kind::accept, 4, {8, 8, 4}},
      {"EventCreate", Kind::create, 4, {8, 4}},
      {"EventRecord", Kind::accept, 4, {8, 8}},
      {"EventDestroy", Kind::accept, 4, {8}},
      {"GetLastError", Kind::last_error, 4, {}},
      {"SetLastError", Kind::set_last_error, 4, {4}},
      {"GetDevice", Kind::device, 4, {8}},
      {"GetDeviceCount", Kind::device_count, 4, {8}},
      {"cudaGraphSetConditional", Kind::set_condition, 0, {8, 4}},
  };
  return all;
}

}  // namespace

/// False: there is no call of this name.
bool Decoder::device_call(const std::string& name) {
  const Declared* found = nullptr;
  for (const Declared& one : declared())
    if (one.kind == DeviceCall::Kind::set_condition
            ? name == one.name
            : name == std::string("__cuda_syscall_cnpv2") + one.name || name == std::string("cnp") + one.name)
      found = &one;
  if (found == nullptr) return false;
  const auto place = [&](const Operand& o, std::uint32_t bytes) {
    if (o.kind != Operand::Kind::variable || o.of_module) fail("expected .param variables as arguments");
    if (variable(o).bytes != bytes)
      fail("'" + name + "': expected a parameter of " + std::to_string(bytes) + " B, found one of " +
           std::to_string(variable(o).bytes) + " B");
    return parameter_place(o);
  };
  const auto &arguments = instruction_->arguments, &results = instruction_->results;
  const std::size_t wanted = found->result_bytes != 0 ? 1 : 0;
  if (arguments.size() != found->argument_bytes.size() || results.size() != wanted)
    fail("'" + name + "': expected " + std::to_string(found->argument_bytes.size()) + " parameters and " +
         std::to_string(wanted) + " results, found " + std::to_string(arguments.size()) + " and " +
         std::to_string(results.size()));
  DeviceCall call;
  call.kind = found->kind;
  for (std::size_t n = 0; n < arguments.size(); ++n)
    call.arguments[n] = place(arguments[n], found->argument_bytes[n]);
  if (wanted != 0) call.result = place(results[0], found->result_bytes);
  if (call.kind == DeviceCall::Kind::parameter_buffer) out_->uses_heap = true;  // the buffer lies there
  Flow f = simple(do_device_call);
  f.barrier = true;
  f.op.weight = 64;  // of a routine of the system
  f.op.offset = static_cast<std::int64_t>(out_->device_calls.size());
  out_->device_calls.push_back(call);
  if (frame_->on_stack != nullptr) {
    f.op.a = rows_.row(frame_register_);
    f.reads.push_back(frame_register_);
  }
  push(f);
  return true;
}

}  // namespace strata::traces::ptx
