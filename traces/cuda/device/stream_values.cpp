#include "traces/cuda/device/stream_values.h"

#include <map>
#include <string>

#include "traces/cuda/device/pending.h"

namespace strata::cuda {
namespace {

/// Who wrote a value last, by its address: kernels behind a wait come after those before the write.
std::map<Address, LaunchOrder::Handle>& writers() {
  static auto* const all = new std::map<Address, LaunchOrder::Handle>;
  return *all;
}

void check(const StreamValue& what) {
  if (what.at == 0 || what.at % what.bytes != 0 || what.condition > 3) throw CallError(invalid_value);
}

bool is_there(Device& device, const StreamValue& what) {
  std::uint64_t found = 0;
  device.copy(&found, reinterpret_cast<const void*>(what.at), what.bytes);
  const std::uint64_t mask = what.bytes == 8 ? ~std::uint64_t{0} : 0xffffffffu;
  const std::uint64_t value = what.value & mask;
  switch (what.condition) {
    case 0:
      return ((found - value) & (what.bytes == 8 ? std::uint64_t{1} << 63 : 0x80000000u)) == 0;
    case 1:
      return found == value;
    case 2:
      return (found & value) != 0;
    default:
      return (~(found | value) & mask) != 0;
  }
}

void wait(Device& device, const StreamValue& what) {
  traces::PtxWaiting waiting;
  waiting.where = "a stream waits for the value " + std::to_string(what.value) +
                  " in memory, which nobody writes: no end";
  while (!is_there(device, what))
    if (device.pending().wait(waiting) == traces::PtxWaiting::Next::fault) {
      device.tell_fault(waiting.where);
      device.fail(launch_timeout);
      throw CallError(launch_timeout);
    }
  const auto writer = writers().find(what.at);
  if (writer != writers().end()) device.order().follow(writer->second);
}

void put_node(Device& device, abi::Handle stream, std::function<void(Device&)> does) {
  put(device, stream, GraphNode::Kind::memory_operation, std::move(does));
}

}  // namespace

void wait_for_value(Device& device, abi::Handle stream, const StreamValue& what) {
  check(what);
  put_node(device, stream, [what](Device& on) { wait(on, what); });
}

void write_value(Device& device, abi::Handle stream, const StreamValue& what) {
  check(what);
  put_node(device, stream, [what](Device& on) {
    on.copy(reinterpret_cast<void*>(what.at), &what.value, what.bytes);
    writers()[what.at] = on.order().running();
  });
}

}  // namespace strata::cuda
