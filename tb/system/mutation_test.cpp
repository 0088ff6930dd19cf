// The checks of a run can fail: with one faulty module, or one false counter, a run ends as
// docs/guide/running.md says, with a message that names what is wrong. faulty_slice stands in the place of
// the LLC slice of `tiny` and makes its mistake with the third answer; everything else is as in any run.
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/compare.h"
#include "platforms/report/console_summary.h"
#include "platforms/report/laws.h"
#include "platforms/report/results_files.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/faulty_slice.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;

namespace {

// 2 CTAs of 2 warps with 8 memory instructions of one line each: 32 line accesses, so that a third answer
// exists and others are on their way.
const char* const few_loads = "synthetic:random:loads=8,ctas=2,warps=2";
const char* const few_stores = "synthetic:random:loads=8,ctas=2,warps=2,stores=1";

ModuleTable modules() {
  ModuleTable table = built_in_modules();
  table.push_back(&tb::faulty_slice_kind());
  return table;
}

struct Ending : RunOutcome {
  LedgerTotals ledger;
  LedgerPlaces places;
  std::vector<InstanceStats> tables;
  std::uint64_t violations = 0;
};

Ending run(const Netlist& netlist, const std::string& trace, bool check_protocol, Cycle watchdog_cycles) {
  Platform platform(netlist, {1, check_protocol});
  const auto source = traces::open_trace(trace);
  SessionOptions options;
  options.watchdog_cycles = watchdog_cycles;
  Session session(platform, *source, options);
  platform.finish_elaboration();
  Ending ending;
  static_cast<RunOutcome&>(ending) = session.run();
  ending.ledger = read_ledger(platform);
  ending.places = platform.ledger_places();
  ending.tables = read_stats(platform);
  ending.violations = platform.protocol_violations();
  return ending;
}

Ending run_tiny(const std::string& fault, const std::string& trace, bool check_protocol = false,
                Cycle watchdog_cycles = 1'000'000) {
  return run(
      Netlist::load(find_platform("tiny"), {"llc.module=faulty_slice", "llc.fault=" + fault}, modules()),
      trace, check_protocol, watchdog_cycles);
}

/// An SM bound to the slice, with nothing between that would charge cycles.
Ending run_bare(const std::string& fault) {
  const tb::TempFolder folder;
  const std::string file = folder.write("bare.yaml",
                                        "platform: an SM and a slice\n"
                                        "clocks: {core: 1 GHz, noc: 1 GHz, dram: 1 GHz}\n"
                                        "address_map: {kind: bits, channels: 1, slices_per_channel: 1}\n"
                                        "instances:\n"
                                        "  cta: {module: cta_dispatcher}\n"
                                        "  sm:  {module: sm_cluster, sms: 1}\n"
                                        "  llc: {module: faulty_slice}\n"
                                        "bind:\n"
                                        "  - cta.cluster[0] -> sm[0].dispatch\n"
                                        "  - sm[0].l1[0]  -> llc[0].noc\n");
  return run(Netlist::load(file, {"llc.fault=" + fault}, modules()), few_loads, true, 1'000'000);
}

std::uint64_t cycles_of(const Ending& ending, Cause cause) {
  return tb::cycles_of(ending.places, ending.ledger.groups[LedgerTotals::loads].cycles, cause);
}

/// Ended as an internal error with one message.
void check_internal(const Ending& ending, const std::string& reason, const std::string& message) {
  CHECK(ending.exit_code == exit_internal);
  CHECK(ending.reason == reason);
  CHECK(ending.partial == !reason.empty());
  REQUIRE(ending.messages.size() == 1);
  CHECK_THAT(ending.messages[0], has_text(message));
}

}  // namespace

TEST_CASE("The module without its mistake is sound: what fails below is the mistake") {
  const Ending ending = run_tiny("none", few_loads, true);
  CHECK(ending.exit_code == exit_ok);
  CHECK(ending.messages.empty());
  CHECK_FALSE(ending.partial);
  CHECK(ending.violations == 0);
  CHECK(cycles_of(ending, Cause::external) == 0);
}

TEST_CASE("Figures of a block in whose place another module stands are null and named, not 0") {
  const Ending ending = run_tiny("none", few_loads);
  RunRecord record;
  record.summary = summarize(ending.tables, ending.ledger, ending.cycles, {});
  const std::string json = stats_json(record), console = console_summary(record);
  CHECK_THAT(json, has_text("\"l1_accesses\": 32"));
  for (const char* name : {"llc_accesses", "llc_hits", "llc_hit_rate", "llc_response_rate"}) {
    INFO(name);
    CHECK_THAT(json, has_text('"' + std::string(name) + "\": null"));
  }
  const tb::TempFolder folder;
  folder.write("r/stats.json", json);
  const std::string compared = compare_text({folder.path() + "/r"});
  for (const std::string& text : {json, console, compared}) {
    CHECK_THAT(
        text,
        has_text("the platform has no module of the role llc, hence no llc_accesses, llc_hits, llc_merges"));
    CHECK_THAT(text, has_text("no figure takes in the counters of llc[0], of the module faulty_slice"));
  }
}

TEST_CASE("A lost reply is a deadlock, and the report shows behind which socket it was lost") {
  const Ending ending = run_tiny("drop_reply", few_loads);
  CHECK(ending.exit_code == exit_deadlock);
  CHECK(ending.partial);
  CHECK(ending.reason == "deadlock");
  REQUIRE(ending.messages.size() == 2);
  CHECK_THAT(ending.messages[0], has_text("deadlock in cycle"));
  CHECK_THAT(ending.wait_graph, has_text("l1[0]: MSHRs (1 of 64) -> rtr[0].in_0"));
  CHECK_THAT(ending.wait_graph, has_text("  rtr[0].out: "));
  // The lost one is a load: one more request than replies at the last socket that counts them.
  CHECK(ending.wait_graph.find("llc[0]") == std::string::npos);
  CHECK_THAT(ending.wait_graph, has_text("oldest transaction, in l1[0]: load of line 0x"));
  CHECK_THAT(ending.wait_graph, has_text("its ledger until cycle"));
  CHECK(ending.wait_graph == ending.messages[1]);
}

TEST_CASE("A lost acknowledgement of a store, for which no warp waits, is a deadlock too") {
  const Ending ending = run_tiny("drop_reply", few_stores);
  CHECK(ending.exit_code == exit_deadlock);
  // 32 stores, 31 answers.
  CHECK_THAT(ending.wait_graph, has_text("rtr[0].out: 32 requests, 31 replies"));
}

// Without the checker the copy would meet modules that have forgotten the original: anything might happen.
TEST_CASE("A reply that comes twice ends a checked run before any block sees it") {
  const Ending ending = run_tiny("repeat_reply", few_loads, true);
  CHECK(ending.violations == 1);
  check_internal(ending, "protocol violation", "strata/protocol: rtr[0].out_0 -> llc[0].noc_0 at");
}

TEST_CASE("A transaction that never returns to its pool is found at the end: of an L1") {
  // Loads of a part of a line: the L1 made the transaction.
  check_internal(run_tiny("keep_reference", "synthetic:chase:loads=8,ctas=2,warps=2"), "",
                 "not idle at the end: l1[0]: 1 transactions were never released");
}

TEST_CASE("A transaction that never returns to its pool is found at the end: of an SM") {
  // Stores travel through the L1: the SM made it.
  check_internal(run_tiny("keep_reference", few_stores), "", "not idle at the end: sm[0]: 1 accesses");
}

TEST_CASE(
    "A transaction that never returns to its pool is found at the end: a fill request of a whole line") {
  check_internal(run_tiny("keep_reference", few_loads), "",
                 "not idle at the end: l1[0]: 1 transactions were never released");
}

TEST_CASE("Cycles charged twice break the ledger's law") {
  check_internal(run_tiny("charge_twice", few_loads), "model error", "cycles, which is not its latency");
}

TEST_CASE("Cycles that vanish from a ledger break its law") {
  check_internal(run_tiny("reopen_ledger", few_loads), "model error", "cycles, which is not its latency");
}

TEST_CASE("A module that charges nothing is seen as external cycles") {
  const Ending ending = run_bare("charge_nothing");
  CHECK(ending.exit_code == exit_ok);
  CHECK(ending.ledger.groups[LedgerTotals::loads].count == 32);
  CHECK(cycles_of(ending, Cause::external) >= 32 * 20);  // each waits for at least the slice's 20 cycles
}

TEST_CASE("The same module, when it charges, leaves no external cycles") {
  const Ending ending = run_bare("none");
  CHECK(ending.exit_code == exit_ok);
  CHECK(cycles_of(ending, Cause::external) == 0);
  CHECK(cycles_of(ending, Cause::pipeline) >= 32 * 20);
}

TEST_CASE("An error response to a load reaches the SM and ends the run") {
  check_internal(run_tiny("error_status", few_loads), "model error",
                 "sm[0]: error response: TLM_ADDRESS_ERROR_RESPONSE");
}

TEST_CASE("An error response to a store ends the run too") {
  check_internal(run_tiny("error_status", few_stores), "model error",
                 "sm[0]: error response: TLM_ADDRESS_ERROR_RESPONSE");
}

TEST_CASE("A module that is busy for ever without an answer is a livelock") {
  const Ending ending = run_tiny("spin", few_loads, false, 5000);
  CHECK(ending.exit_code == exit_deadlock);
  CHECK(ending.partial);
  CHECK(ending.reason == "livelock");
  REQUIRE(ending.messages.size() == 2);
  CHECK_THAT(ending.messages[0], has_text("no instruction and no reply for 5000 cycles"));
  // Looked at every 1000 cycles; all that can be done is done in the first 1000.
  CHECK(ending.cycles == 6000);
  CHECK_THAT(ending.wait_graph, has_text("l1[0]: MSHRs"));
}

TEST_CASE("A warning of a model is counted and changes nothing else") {
  const Ending ending = run_tiny("warn", few_loads);
  CHECK(ending.exit_code == exit_ok);
  CHECK(ending.warnings == 1);
  CHECK_FALSE(ending.partial);
}

TEST_CASE("An error that a model reports ends the run") {
  check_internal(run_tiny("report_error", few_loads), "model error",
                 "a model reports an error: llc[0]: the tags are corrupt (at ");
}

TEST_CASE("A fatal error that a model reports ends the run, not the program") {
  check_internal(run_tiny("report_fatal", few_loads), "model error",
                 "a model reports an error: llc[0]: the tags are corrupt (at ");
}

TEST_CASE("An exception that a model throws ends the run") {
  check_internal(run_tiny("throw", few_loads), "model error", "the tags are corrupt (at ");
}

TEST_CASE("Each law and each hop of a sound run fails when one of its counters is wrong by one") {
  const Netlist netlist = Netlist::load(find_platform("tiny"), {});
  Platform platform(netlist, {});
  const auto source = traces::open_trace("synthetic:random:loads=8,ctas=2,warps=2,stores=0.5");
  Session session(platform, *source, {});
  platform.finish_elaboration();
  REQUIRE(session.run().exit_code == exit_ok);
  std::vector<InstanceStats> tables = read_stats(platform);
  REQUIRE(check_end(platform, tables).empty());

  int laws = 0;
  for (InstanceStats& table : tables) {
    for (const std::string& law : table.laws) {
      if (law.find(">=") != std::string::npos) continue;  // may hold all the same
      const std::string first = law.substr(0, law.find_first_of(" ="));
      for (CounterRow& row : table.counters) {
        if (row.name != first) continue;
        ++row.value;
        INFO(table.instance << ": " << law);
        const Faults faults = check_laws(tables);
        CHECK(std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
          return to_text(fault).find(table.instance + ": law '" + law) != std::string::npos;
        }));
        --row.value;
        ++laws;
      }
    }
  }
  CHECK(laws > 20);  // cta, sm, l1, rtr, llc, mc and ch have at least two each, most of them more

  // One counter on each side of each hop: SM to L1, L1 to router, router to slice, slice to controller.
  const std::pair<const char*, const char*> ends[] = {
      {"sm[0]", "line_accesses"}, {"sm[0]", "round_trips"},     {"l1[0]", "requests"},
      {"l1[0]", "replies"},       {"l1[0]", "requests_to_llc"}, {"l1[0]", "replies_from_llc"},
      {"rtr[0]", "requests_in"},  {"rtr[0]", "replies_out"},    {"rtr[0]", "requests_out"},
      {"rtr[0]", "replies_in"},   {"llc[0]", "accesses"},       {"llc[0]", "replies"},
      {"llc[0]", "fetches"},      {"mc[0]", "accepted"}};
  for (const auto& [instance, counter] : ends) {
    INFO(instance << "." << counter);
    bool found = false;
    for (InstanceStats& table : tables) {
      if (table.instance != instance) continue;
      for (CounterRow& row : table.counters) {
        if (row.name != counter) continue;
        found = true;
        ++row.value;
        const Faults faults = check_hops(platform.netlist(), tables);
        REQUIRE(faults.size() == 1);
        CHECK_THAT(to_text(faults[0]), has_text("of a hop differ"));
        --row.value;
      }
    }
    CHECK(found);
  }
}
