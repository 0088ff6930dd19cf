// Bytes that payloads carry, behind them a third-party memory that keeps written bytes: right, or
// with one fault that the generator must find.
#include <unordered_map>

#include <tlm_utils/simple_target_socket.h>

#include "models/tlm/external_module.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/stat_table.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;

namespace {

enum class Fault : int { none, dropped_write, swapped_bytes, ignored_enables };

/// Knows nothing of Strata. Every write whose number `at` divides meets the fault.
struct Memory final : sc_core::sc_module {
  Memory(sc_core::sc_module_name name, Fault fault, int at) : sc_module(name), fault_(fault), at_(at) {
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::transport_dbg);
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(40, sc_core::SC_NS);
    const bool faulty = p.is_write() && ++writes_ % at_ == 0;
    if (!faulty || fault_ != Fault::dropped_write) access(p, faulty && fault_ == Fault::ignored_enables);
    if (faulty && fault_ == Fault::swapped_bytes)
      for (unsigned i = 0; i + 4 < p.get_data_length(); i += 32)
        std::swap(bytes_[p.get_address() + i], bytes_[p.get_address() + i + 4]);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& p) {
    access(p, false);
    return p.get_data_length();
  }
  void access(tlm::tlm_generic_payload& p, bool all) {
    const unsigned char* const enables = all ? nullptr : p.get_byte_enable_ptr();
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      if (enables != nullptr && enables[i % p.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
      unsigned char& byte = bytes_[p.get_address() + i];
      (p.is_write() ? byte : p.get_data_ptr()[i]) = p.is_write() ? p.get_data_ptr()[i] : byte;
    }
  }
  tlm_utils::simple_target_socket<Memory> socket{"socket"};

 private:
  Fault fault_;
  int at_, writes_ = 0;
  std::unordered_map<std::uint64_t, unsigned char> bytes_;
};

struct MemoryRow {
  struct Params final : ExternalParams {
    Fault fault = Fault::none;
    int at = 100;
    void for_each_param(ParamVisitor& v) override {
      v.choice({"fault", "", "what happens to a write"}, fault,
               {{Fault::none, "none"},
                {Fault::dropped_write, "dropped_write"},
                {Fault::swapped_bytes, "swapped_bytes"},
                {Fault::ignored_enables, "ignored_enables"}});
      v.integer({"at", "", "divides the numbers of such writes"}, at, {1, 1'000'000});
    }
  };
  static std::vector<PortSpec> ports(const Params&) {
    return {tlm_sockets("in", PortRole::target, 1, "accesses")};
  }
  static std::unique_ptr<Memory> make(const char* name, const Params& p) {
    return std::make_unique<Memory>(name, p.fault, p.at);
  }
  static void add_sockets(Memory& memory, ExternalSockets& sockets) { sockets.add("in", memory.socket); }
};

const char* const machine = R"(
clocks: {core: 1 GHz, noc: 1 GHz}
address_map: {kind: bits, channels: 2, slices_per_channel: 1}
instances:
  gen: {module: traffic_generator, ports: 4, check: true, load: 0.2, loads: 0.6, atomics: 0.05, accesses: 3000,
        footprint: 64KiB, outstanding: 16}
  l1:  {module: l1_private, count: 4, size: 2KiB, ways: 2}
  rtr: {module: router_stage, inputs: 4, outputs: 2}
  llc: {module: llc_slice, count: 2, size: 8KiB, ways: 4, sector: 32, write_queue: 256}
  mem: {module: kept_memory, count: 2}
bind: ["gen.l1[i] -> l1[i].sm", "l1[i].noc -> rtr.in[i]", "rtr.out[k] -> llc[k].noc", "llc[k].mem -> mem[k].in"]
run: {data: carried}
)";

struct Ending : RunOutcome {
  std::uint64_t checked = 0, wrong = 0;
  std::string text;
};

Ending run(const std::vector<std::string>& sets) {
  static const ModuleKind kept = external_kind<MemoryRow>("kept_memory", "a memory");
  ModuleTable modules = built_in_modules();
  modules.push_back(&kept);
  const tb::TempFolder folder;
  Platform platform(Netlist::load(folder.write("machine.yaml", machine), sets, modules), {1, true});
  Session session(platform, {});
  platform.finish_elaboration();
  Ending ending;
  static_cast<RunOutcome&>(ending) = session.run();
  ending.text = ending.reason + "\n";
  for (const std::string& message : ending.messages) ending.text += message + "\n";
  CHECK(platform.protocol_violations() == 0);
  for (const InstanceStats& table : read_stats(platform))
    if (table.kind == "traffic_generator") {
      ending.checked = table.counter("checked_bytes")->value;
      ending.wrong = table.counter("wrong_bytes")->value;
    }
  return ending;
}

/// One write of a hundred goes wrong in one of two memories.
void find_fault(const std::string& fault) {
  const Ending ending = run({"mem[1].fault=" + fault});
  INFO(ending.text);
  CHECK(ending.exit_code != 0);
  CHECK(ending.wrong > 0);
  CHECK_THAT(ending.text, tb::has_text("gen[0]: port "));
}

}  // namespace

TEST_CASE("a memory of others holds the right bytes at every moment") {
  const Ending ending = run({});
  INFO(ending.text);
  CHECK(ending.exit_code == 0);
  CHECK(ending.wrong == 0);
  CHECK(ending.checked > 500'000);  // 12 000 accesses, 60 % of them loads of 80 bytes in the mean
}
TEST_CASE("writes to memory that get lost are found") {
  find_fault("dropped_write");
}
TEST_CASE("bytes that change places on their way to memory are found") {
  find_fault("swapped_bytes");
}
TEST_CASE("a memory that writes what byte enables leave out is found") {
  find_fault("ignored_enables");
}
