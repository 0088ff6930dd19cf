// Modules that know nothing of Strata, named in netlists. The protocol checker sits on every binding. 1 GHz.
#include <vector>

#include "platforms/engine/session/session.h"
#include "tb/equiv/external_library.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"

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

TEST_CASE("the same through a bridge of somebody else") {
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
