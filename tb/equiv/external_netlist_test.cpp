// Modules that know nothing of Strata, named in netlists. The protocol checker sits on every binding. 1 GHz.
#include <random>
#include <vector>

#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/tlm/external_module.h"
#include "platforms/engine/netlist/module_table.h"
#include "platforms/engine/session/session.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"

namespace strata::tb {

/// What the masters of the library have seen: a global, because ModuleKind::make is a plain function.
struct ExternalSeen {
  unsigned wrong_bytes = 0, checked_bytes = 0, errors = 0, dmi_granted = 0;
  std::vector<int> took;                           ///< ns, of each load of `load_master`
  std::vector<tlm::tlm_response_status> statuses;  ///< of what `burst_master` asked for
};
ExternalSeen seen;

}  // namespace strata::tb

namespace strata::tb {
namespace {

/// Takes a time for each access and holds bytes; never answers request number `drop`.
struct Memory final : sc_core::sc_module {
  Memory(sc_core::sc_module_name name, const sc_core::sc_time& latency, int drop)
      : sc_module(name), latency_(latency), drop_(drop), bytes_(1 << 20) {
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::transport_dbg);
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    if (++requests_ == drop_) sc_core::wait(never_);
    delay += latency_;
    transport_dbg(p);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& p) {
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      unsigned char& byte = bytes_[(p.get_address() + i) % bytes_.size()];
      (p.is_write() ? byte : p.get_data_ptr()[i]) = p.is_write() ? p.get_data_ptr()[i] : byte;
    }
    return p.get_data_length();
  }
  tlm_utils::simple_target_socket<Memory, 64> socket{"socket"};  // another bus width than Strata's sockets

 private:
  sc_core::sc_time latency_;
  int drop_, requests_ = 0;
  sc_core::sc_event never_;
  std::vector<unsigned char> bytes_;
};

/// Passes everything on from one socket to the other, 3 ns later.
struct Bridge final : sc_core::sc_module {
  explicit Bridge(sc_core::sc_module_name name) : sc_module(name) {
    in.register_b_transport(this, &Bridge::b_transport);
    in.register_transport_dbg(this, &Bridge::transport_dbg);
    in.register_get_direct_mem_ptr(this, &Bridge::get_direct_mem_ptr);
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(3, sc_core::SC_NS);
    out->b_transport(p, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& p) { return out->transport_dbg(p); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    return out->get_direct_mem_ptr(p, dmi);
  }
  tlm_utils::simple_target_socket<Bridge> in{"in"};
  tlm_utils::simple_initiator_socket<Bridge> out{"out"};
};

/// Threads that write and read a region of their own with bursts over lines, strobes and streaming, and check
/// every byte.
struct DataMaster final : sc_core::sc_module {
  SC_HAS_PROCESS(DataMaster);
  DataMaster(sc_core::sc_module_name name, int threads, int accesses) : sc_module(name), accesses_(accesses) {
    for (int t = 0; t < threads; ++t) sc_core::sc_spawn([this, t] { run(t); });
  }
  void run(int thread) {
    constexpr unsigned region = 4096;
    std::mt19937 random(static_cast<unsigned>(thread) + 7);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    std::vector<unsigned char> expected(region, 0), data(600), strobes(16);
    sc_core::sc_time delay;
    for (int n = 0; n < accesses_; ++n) {
      const unsigned length = 1 + below(600), at = below(region - length);
      const unsigned width = below(8) == 0 ? 1 + below(length) : length;
      const bool write = below(10) < 3, partial = below(2) == 0;
      for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
      for (unsigned char& byte : strobes) byte = below(2) == 0 ? TLM_BYTE_DISABLED : TLM_BYTE_ENABLED;
      const auto enabled = [&](unsigned i) { return !partial || strobes[i % strobes.size()] != 0; };
      const std::vector<unsigned char> before = data;
      tlm::tlm_generic_payload p;
      p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      p.set_address(static_cast<unsigned>(thread) * region + at);
      p.set_data_ptr(data.data());
      p.set_data_length(length);
      p.set_streaming_width(width);
      if (partial) {
        p.set_byte_enable_ptr(strobes.data());
        p.set_byte_enable_length(static_cast<unsigned>(strobes.size()));
      }
      socket[0]->b_transport(p, delay);
      seen.errors += p.is_response_ok() ? 0 : 1;
      tlm::tlm_dmi dmi;
      seen.dmi_granted += socket[0]->get_direct_mem_ptr(p, dmi) ? 1 : 0;
      for (unsigned i = 0; i < length; ++i) {
        unsigned char& byte = expected[at + i % width];
        if (write && enabled(i)) byte = data[i];
        if (write) continue;
        ++seen.checked_bytes;  // what is not enabled stays as it was
        seen.wrong_bytes += data[i] != (enabled(i) ? byte : before[i]) ? 1 : 0;
      }
    }
  }
  tlm_utils::multi_passthrough_initiator_socket<DataMaster> socket{"socket"};

 private:
  int accesses_;
};

/// Threads that make one load each, all at time 0, of lines 0, 1, 2, ...; says how long each took.
struct LoadMaster final : sc_core::sc_module {
  LoadMaster(sc_core::sc_module_name name, int threads)
      : sc_module(name), payloads_(static_cast<std::size_t>(threads)) {
    for (int t = 0; t < threads; ++t)
      sc_core::sc_spawn([this, t] {
        unsigned char data[4];
        tlm::tlm_generic_payload& p = payloads_[static_cast<std::size_t>(t)];
        p.set_command(tlm::TLM_READ_COMMAND);
        p.set_address(static_cast<unsigned>(t) * 128);
        p.set_data_ptr(data);
        p.set_data_length(4);
        p.set_streaming_width(4);
        sc_core::sc_time delay;
        socket->b_transport(p, delay);
        seen.took.push_back(static_cast<int>((sc_core::sc_time_stamp() + delay).to_seconds() * 1e9 + 0.5));
      });
  }
  tlm_utils::simple_initiator_socket<LoadMaster> socket{"socket"};

 private:
  std::vector<tlm::tlm_generic_payload> payloads_;  // not on the stacks: those of a hang are never unwound
};

/// Non-blocking: a write of 512 bytes from 64 on, over five lines, then a read of the same, then requests
/// that cannot be.
struct BurstMaster final : sc_core::sc_module, tlm::tlm_mm_interface {
  SC_HAS_PROCESS(BurstMaster);
  explicit BurstMaster(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_nb_transport_bw(this, &BurstMaster::backward);
    SC_THREAD(run);
  }
  void free(tlm::tlm_generic_payload*) override {}
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    phases.push_back(phase);
    if (phase == tlm::BEGIN_RESP) {
      answered.notify(delay);
      return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;
  }
  void access(tlm::tlm_command command, unsigned address, unsigned char* data, unsigned length,
              unsigned width) {
    tlm::tlm_generic_payload p(this);
    p.acquire();
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(length);
    p.set_streaming_width(width);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum result = socket->nb_transport_fw(p, phase, delay);
    if (result == tlm::TLM_COMPLETED)
      sc_core::wait(delay);
    else
      sc_core::wait(answered);
    seen.statuses.push_back(p.get_response_status());
    sc_core::wait(sc_core::sc_time(10, sc_core::SC_NS));
    p.release();
  }
  void run() {
    std::vector<unsigned char> out(512), in(512, 0);
    for (unsigned i = 0; i < 512; ++i) out[i] = static_cast<unsigned char>(i * 7 + 1);
    access(tlm::TLM_WRITE_COMMAND, 64, out.data(), 512, 512);
    access(tlm::TLM_READ_COMMAND, 64, in.data(), 512, 512);
    seen.wrong_bytes += in == out ? 0 : 1;
    std::vector<unsigned char> huge(5000 * 128);
    access(tlm::TLM_READ_COMMAND, 0, huge.data(), 5000 * 128,
           5000 * 128);  // more lines than a request may have
    done = true;
  }
  tlm_utils::simple_initiator_socket<BurstMaster> socket{"socket"};
  std::vector<tlm::tlm_phase> phases;
  sc_core::sc_event answered;
  bool done = false;
};

// ---- their rows ----

struct MemoryRow {
  struct Params final : ExternalParams {
    int latency = 70, ports = 1, drop = 0;
    void for_each_param(ParamVisitor& v) override {
      v.integer({"latency", "ns", "of an access"}, latency, {1, 100'000});
      v.integer({"ports", "sockets", "that the row promises"}, ports, {1, 4});
      v.integer({"drop", "", "number of the request that gets no answer"}, drop, {0, 1000});
    }
  };
  static std::vector<PortSpec> ports(const Params& p) {
    return {tlm_sockets("in", PortRole::target, p.ports, "accesses")};
  }
  static std::unique_ptr<Memory> make(const char* name, const Params& p) {
    return std::make_unique<Memory>(name, sc_core::sc_time(p.latency, sc_core::SC_NS), p.drop);
  }
  static void add_sockets(Memory& memory, ExternalSockets& sockets) { sockets.add("in", memory.socket); }
};

struct BridgeRow {
  using Params = ExternalParams;
  static std::vector<PortSpec> ports(const Params&) {
    return {tlm_sockets("in", PortRole::target, 1, "from"), tlm_sockets("out", PortRole::initiator, 1, "to")};
  }
  static std::unique_ptr<Bridge> make(const char* name, const Params&) {
    return std::make_unique<Bridge>(name);
  }
  static void add_sockets(Bridge& bridge, ExternalSockets& sockets) {
    sockets.add("in", bridge.in);
    sockets.add("out", bridge.out);
  }
};

struct MasterParams final : ExternalParams {
  int threads = 4, accesses = 100;
  void for_each_param(ParamVisitor& v) override {
    ExternalParams::for_each_param(v);
    v.integer({"threads", "threads", "that access memory"}, threads, {1, 64});
    v.integer({"accesses", "accesses", "of each"}, accesses, {1, 1'000'000});
  }
};

std::vector<PortSpec> master_ports() {
  return {tlm_sockets("out", PortRole::initiator, 1, "accesses")};
}

struct DataMasterRow {
  using Params = MasterParams;
  static std::vector<PortSpec> ports(const Params&) { return master_ports(); }
  static std::unique_ptr<DataMaster> make(const char* name, const Params& p) {
    return std::make_unique<DataMaster>(name, p.threads, p.accesses);
  }
  static void add_sockets(DataMaster& master, ExternalSockets& sockets) { sockets.add("out", master.socket); }
};

struct LoadMasterRow {
  using Params = MasterParams;
  static std::vector<PortSpec> ports(const Params&) { return master_ports(); }
  static std::unique_ptr<LoadMaster> make(const char* name, const Params& p) {
    return std::make_unique<LoadMaster>(name, p.threads);
  }
  static void add_sockets(LoadMaster& master, ExternalSockets& sockets) { sockets.add("out", master.socket); }
};

struct BurstMasterRow {
  using Params = ExternalParams;
  static std::vector<PortSpec> ports(const Params&) { return master_ports(); }
  static std::unique_ptr<BurstMaster> make(const char* name, const Params&) {
    return std::make_unique<BurstMaster>(name);
  }
  static void add_sockets(BurstMaster& master, ExternalSockets& sockets) {
    sockets.add("out", master.socket);
  }
  static bool done(const BurstMaster& master) { return master.done; }
};

}  // namespace

/// The built-in modules, and third-party modules with plain TLM-2.0 sockets of several kinds: `their_memory`,
/// `their_bridge`, `data_master`, `load_master`, `burst_master`.
const platforms::ModuleTable& external_modules() {
  static const ModuleKind kinds[] = {external_kind<MemoryRow>("their_memory", "a memory"),
                                     external_kind<BridgeRow>("their_bridge", "a bridge"),
                                     external_kind<DataMasterRow>("data_master", "checks data"),
                                     external_kind<LoadMasterRow>("load_master", "loads lines"),
                                     external_kind<BurstMasterRow>("burst_master", "bursts")};
  static const platforms::ModuleTable table = [] {
    platforms::ModuleTable rows = platforms::built_in_modules();
    for (const ModuleKind& kind : kinds) rows.push_back(&kind);
    return rows;
  }();
  return table;
}

}  // namespace strata::tb

using namespace strata;
using namespace strata::platforms;
using tb::seen;

namespace {

RunOutcome run(const std::string& text, const std::vector<std::string>& sets, const char* trace = nullptr,
               Cycle watchdog = 1'000'000) {
  const tb::TempFolder folder;
  const Netlist netlist = Netlist::load(folder.write("machine.yaml", text), sets, tb::external_modules());
  Platform platform(netlist, {1, true});
  SessionOptions options;
  options.watchdog_cycles = watchdog;
  const auto source = traces::open_trace(trace != nullptr ? trace : "synthetic:random:loads=1");
  Session session = trace != nullptr ? Session(platform, *source, options) : Session(platform, options);
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
  CHECK(platform.protocol_violations() == 0);
  CHECK(platform.checked_transactions() > 0);
  return outcome;
}

const char* const memory_behind_slice = R"(
clocks: {core: 1 GHz, noc: 1 GHz, dram: 924 MHz}
address_map: {kind: bits, channels: 1, slices_per_channel: 1}
instances:
  cta: {module: cta_dispatcher, clusters: 1}
  sm:  {module: sm_cluster, sms: 1}
  l1:  {module: l1_private}
  llc: {module: llc_slice}
  mem: {module: their_memory}
bind: [cta.cluster -> sm.dispatch, sm.l1 -> l1.sm, l1.noc -> llc.noc, llc.mem -> mem.in]
)";

void run_behind_slice(const std::string& latency) {
  const RunOutcome outcome = run(memory_behind_slice, {"mem.latency=" + latency},
                                 "synthetic:chase:loads=8,ctas=1,warps=1,footprint=1KiB");
  CHECK(outcome.reason.empty());
  CHECK_FALSE(outcome.partial);
  CHECK(outcome.warnings == 0);
  // Eight lines, each after the other: eight times the memory's latency at least; the slice takes 120 and the
  // L1 less than 28 + 10 of each.
  const auto waited = static_cast<Cycle>(8 * std::stoi(latency));
  CHECK(outcome.cycles > waited + 8 * 120);
  CHECK(outcome.cycles < waited + 8 * 170 + 300);
}

const char* const whole_machine = R"(
clocks: {core: 1 GHz, noc: 1 GHz, dram: 924 MHz}
address_map: {kind: bits, channels: 1, slices_per_channel: 2}
instances:
  gen: {module: data_master, calls: 4}
  l1:  {module: l1_private, size: 4 KiB, ways: 4}
  rtr: {module: router_stage, inputs: 1, outputs: 2}
  llc: {module: llc_slice, count: 2, size: 8 KiB, ways: 4}
  mc:  {module: memory_controller, slices: 2}
  ch:  {module: dram_channel}
bind: [gen.out -> l1.sm, l1.noc -> rtr.in, "rtr.out[i] -> llc[i].noc", "llc[i].mem -> mc.slice[i]", mc.channel -> ch.controller]
)";

const char* const loads_of_threads = R"(
clocks: {core: 1 GHz, noc: 1 GHz, dram: 924 MHz}
address_map: {kind: bits, channels: 1, slices_per_channel: 1}
instances:
  gen: {module: load_master}
  llc: {module: llc_slice}
  mem: {module: their_memory, latency: 100}
bind: [gen.out -> llc.noc, llc.mem -> mem.in]
)";

}  // namespace

TEST_CASE("an external memory of 5 ns behind a slice") {
  run_behind_slice("5");
}
TEST_CASE("an external memory of 700 ns behind a slice") {
  run_behind_slice("700");
}
TEST_CASE("an external memory of 5 us behind a slice is waited for") {
  run_behind_slice("5000");
}

TEST_CASE(
    "bursts, strobes and streaming of an external master move the right bytes through the whole machine") {
  const RunOutcome outcome = run(whole_machine, {"gen.accesses=2000"});
  CHECK(outcome.reason.empty());
  CHECK(seen.errors == 0);
  CHECK(seen.wrong_bytes == 0);
  CHECK(seen.checked_bytes > 1'000'000);  // 8000 accesses, 70 % reads, 300 bytes in the mean: 1.7 million
  CHECK(seen.dmi_granted == 0);
}

TEST_CASE("the same where caches hold the bytes") {
  const RunOutcome outcome = run(whole_machine, {"gen.accesses=1000", "run.data=carried"});
  CHECK(outcome.reason.empty());
  CHECK(seen.errors + seen.wrong_bytes + seen.dmi_granted == 0);
  CHECK(seen.checked_bytes > 500'000);
}

TEST_CASE("the same through a third-party bridge") {
  std::string text = whole_machine;
  text.replace(text.find("gen.out -> l1.sm"), 16, "gen.out -> br.in, br.out -> l1.sm");
  text.replace(text.find("  l1: "), 0, "  br: {module: their_bridge, calls: 4}\n");
  const RunOutcome outcome = run(text, {"gen.accesses=200"});
  CHECK(outcome.reason.empty());
  CHECK(seen.errors + seen.wrong_bytes + seen.dmi_granted == 0);
  CHECK(seen.checked_bytes > 100'000);
}

TEST_CASE("an external master in front of an external memory") {
  const RunOutcome outcome = run(R"(
clocks: {core: 1 GHz, noc: 1 GHz, dram: 924 MHz}
instances:
  gen: {module: load_master, threads: 3}
  mem: {module: their_memory, latency: 50}
bind: [gen.out -> mem.in]
)",
                                 {});
  CHECK(outcome.reason.empty());
  CHECK(seen.took == std::vector<int>{50, 50, 50});  // it says in the delay what each takes, all at once
}

TEST_CASE("one blocking call at a time") {
  const RunOutcome outcome = run(loads_of_threads, {});
  CHECK(outcome.reason.empty());
  // Alone a load takes 120 in the slice, 100 in the memory and a few cycles of links; the second begins when
  // the first ends.
  REQUIRE(seen.took.size() == 4);
  CHECK(seen.took[0] >= 220);
  CHECK(seen.took[0] <= 230);
  for (int i = 1; i < 4; ++i) CHECK(seen.took[static_cast<std::size_t>(i)] >= (i + 1) * 220);
}

TEST_CASE("as many blocking calls as the netlist says") {
  const RunOutcome outcome = run(loads_of_threads, {"gen.calls=4"});
  CHECK(outcome.reason.empty());
  // They pass the slice together, one a cycle; the memory's own socket serves one after the other, 100 each.
  REQUIRE(seen.took.size() == 4);
  for (int i = 1; i < 4; ++i) CHECK(seen.took[static_cast<std::size_t>(i)] == seen.took[0] + i * 100);
}

TEST_CASE("a non-blocking burst over five lines is one request, and what cannot be is refused") {
  const RunOutcome outcome = run(R"(
clocks: {core: 1 GHz, noc: 1 GHz, dram: 924 MHz}
address_map: {kind: bits, channels: 1, slices_per_channel: 1}
instances:
  gen: {module: burst_master}
  llc: {module: llc_slice}
  mc:  {module: memory_controller, slices: 1}
  ch:  {module: dram_channel}
bind: [gen.out -> llc.noc, llc.mem -> mc.slice, mc.channel -> ch.controller]
)",
                                 {});
  CHECK(outcome.reason.empty());
  CHECK(seen.wrong_bytes == 0);
  CHECK(seen.statuses == std::vector<tlm::tlm_response_status>{tlm::TLM_OK_RESPONSE, tlm::TLM_OK_RESPONSE,
                                                               tlm::TLM_BURST_ERROR_RESPONSE});
}

TEST_CASE("an external memory that never answers is a hang that is named") {
  const RunOutcome outcome =
      run(memory_behind_slice, {"mem.drop=3"}, "synthetic:chase:loads=8,ctas=1,warps=1");
  CHECK(outcome.exit_code == exit_deadlock);
  CHECK(outcome.wait_graph.find("llc[0]") != std::string::npos);
}

TEST_CASE("an external master whose request is never answered is a hang, not an end") {
  const RunOutcome outcome = run(loads_of_threads, {"mem.drop=2"});
  CHECK(outcome.exit_code == exit_deadlock);
  CHECK(outcome.wait_graph.find("requests of socket out_0") != std::string::npos);
}

TEST_CASE("a socket that the module does not have is named") {
  CHECK_THROWS_WITH(run(memory_behind_slice, {"mem.ports=2"}),
                    tb::has_text("mem.in has 2 sockets: say which with an index"));
}

TEST_CASE("a row that promises a socket which its module does not add") {
  const char* const text = R"(
clocks: {core: 1 GHz, noc: 1 GHz, dram: 924 MHz}
address_map: {kind: bits, channels: 1, slices_per_channel: 2}
instances:
  gen: {module: load_master, count: 2}
  llc: {module: llc_slice, count: 2}
  mem: {module: their_memory, ports: 2}
bind: ["gen[i].out -> llc[i].noc", "llc[i].mem -> mem.in[i]"]
)";
  CHECK_THROWS_WITH(run(text, {}),
                    "module their_memory did not make the socket mem[0].in[1] that its description promises");
}
