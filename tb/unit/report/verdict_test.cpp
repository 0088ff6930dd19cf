// Every sentence that a verdict can be, and what it says to try. A run is made up in which one thing is the
// limit: the module with that resource, an SM, and whatever counts and ledger rows the resource needs.
#include "platforms/report/verdict.h"

#include <map>
#include <regex>
#include <set>

#include "models/l1/l1_params.h"
#include "models/llc_slice/llc_slice_params.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/sm_cluster/sm_cluster_params.h"
#include "platforms/engine/netlist/catalog.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/report/explain.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

constexpr Cycle cycles = 1000;
constexpr double used = 0.9;  // of each resource in question

/// What the verdict says of a limit, and what it says to try.
struct Said {
  std::string limited_by, to_try;
};

/// By role and resource, or by limit. A new resource, reason or rule needs a row.
const std::map<std::string, Said>& rows() {
  static const std::map<std::string, Said> all = {
      {"sm.issue",
       {"warp scheduler issue slots, 90.0 % busy", "more warp scheduler issue slots (90.0 % busy)"}},
      {"sm.sfu", {"special function units, 90.0 % busy", "more special function units (90.0 % busy)"}},
      {"sm.shared",
       {"shared memory banks, 90.0 % busy", "fewer accesses and bank conflicts in shared memory"}},
      {"sm.lsu",
       {"load/store units, 90.0 % busy",
        "fewer lines for each instruction, or more lines per cycle (lines_per_cycle)"}},
      {"sm.loads", {"loads in flight in SMs, 90.0 % full", "more loads in flight in SMs (90.0 % full)"}},
      {"sm.int", {"integer units, 90.0 % busy", "more integer units (90.0 % busy)"}},
      {"sm.sp",
       {"single and half precision units, 90.0 % busy",
        "more single and half precision units (90.0 % busy)"}},
      {"sm.dp", {"double precision units, 90.0 % busy", "more double precision units (90.0 % busy)"}},
      {"sm.tensor", {"tensor units, 90.0 % busy", "more tensor units (90.0 % busy)"}},
      {"sm.branch", {"control flow units, 90.0 % busy", "more control flow units (90.0 % busy)"}},
      {"l1.port",
       {"L1 ports, 90.0 % busy", "fewer lines for each instruction, or more banks (banks) in L1s"}},
      {"l1.port, slow", {"L1 ports, 90.0 % busy", "more L1 ports (90.0 % busy)"}},
      {"l1.mshrs", {"L1 MSHRs, 90.0 % full", "more L1 MSHRs (90.0 % full)"}},
      {"l1.head",
       {"L1 queue heads (held by full MSHRs, merges or miss queue), 90.0 % full",
        "more MSHRs, merges and queue places in L1s (90.0 % full)"}},
      {"l1.lines",
       {"L1 capacity: twice as much spares 50.0 % of the misses of loads",
        "more L1 capacity (twice as much spares 50.0 % of the misses of loads)"}},
      {"router.requests_in",
       {"request links into routers, 90.0 % busy", "wider request links into routers (90.0 % busy)"}},
      {"router.requests_out",
       {"request links out of routers, 90.0 % busy", "wider request links out of routers (90.0 % busy)"}},
      {"router.replies_in",
       {"reply links into routers, 90.0 % busy", "wider reply links into routers (90.0 % busy)"}},
      {"router.replies_out",
       {"reply links out of routers, 90.0 % busy", "wider reply links out of routers (90.0 % busy)"}},
      {"router.queues",
       {"router queues (arbitration and head-of-line blocking), 90.0 % busy",
        "virtual output queues in place of router queues (90.0 % busy)"}},
      {"llc.pipeline",
       {"LLC slice pipelines, 90.0 % busy", "more LLC slices, or L1s that send fewer requests"}},
      {"llc.mshrs", {"LLC slice MSHRs, 90.0 % full", "more LLC slice MSHRs (90.0 % full)"}},
      {"llc.head",
       {"LLC slice heads (held by full MSHRs, merges, write or reply queue), 90.0 % full",
        "more MSHRs, merges and queue places in LLC slices (90.0 % full)"}},
      {"llc.atomics", {"LLC slice atomic units, 90.0 % busy", "more LLC slice atomic units (90.0 % busy)"}},
      {"memory.bus", {"DRAM data buses, 90.0 % busy", "faster DRAM (90.0 % busy)"}},
      {"memory.activations", {"DRAM row activations (nRRD, nFAW), 90.0 % busy", "faster DRAM (90.0 % busy)"}},
      {"memory.banks", {"DRAM banks (nRC), 90.0 % busy", "faster DRAM (90.0 % busy)"}},
      {"memory.queue", {"DRAM read queues, 90.0 % full", "faster DRAM (90.0 % full)"}},
      {"no_warp",
       {"SMs that have no warp 80.0 % of the time: 3 CTAs of 2 kernels for 1 SM",
        "a larger grid, or smaller thread blocks: SMs have room for more warps"}},
      {"kernel_boundaries",
       {"SMs that have no warp 80.0 % of the time: kernels begin and end",
        "longer kernels, or less time between them"}},
      {"instruction_latency",
       {"SMs that wait for results of instructions 80.0 % of the time",
        "more warps in an SM, or more independent instructions in a warp"}},
      {"barrier",
       {"SMs that wait at barriers 80.0 % of the time",
        "more CTAs in an SM, whose warps issue while others wait, or fewer barriers"}},
      {"stalled",
       {"SMs that stand still while the LLC changes 80.0 % of the time",
        "fewer changes of the LLC's organization"}},
      {"latency",
       {"latency alone: 300.0 cycles per access, 0.3000 in flight",
        "more loads in flight: more warps in an SM, or more loads of each"}},
      {"latency of generators",
       {"latency alone: 300.0 cycles per access, 0.3000 in flight",
        "more accesses in flight: more load from the generators"}},
      {"waiting",
       {"waiting, which is 80.0 % of the latency, while nothing is busy; most of it waiting in front of a "
        "block for its turn",
        "less load there, or a faster module"}},
  };
  return all;
}

/// A run of one module of each kind, with the counts that a test gives it.
struct Run {
  ResolvedNetlist netlist;
  std::vector<InstanceStats> tables;
  LedgerTotals ledger;
  LedgerPlaces places;
  double spared = 0;

  Run() {
    netlist.clocks = {{"core", Hertz{1'000'000'000}}};
    places.set_way({{"sm", "sm"}, {"l1", "l1"}, {"noc", "router"}, {"llc", "llc"}, {"memory", "memory"}});
    for (const char* place : {"sm", "l1", "noc", "llc", "memory"}) places.add(place, Cause::queue);
  }
  void add(const ModuleKind& kind, std::shared_ptr<ParamSet> params, const std::string& name) {
    ResolvedGroup group;
    group.name = name;
    group.kind = &kind;
    group.clock = "core";
    ResolvedMember member;
    member.ports = std::make_shared<const std::vector<PortSpec>>(kind.ports(*params));
    member.params = std::move(params);
    group.members.push_back(std::move(member));
    netlist.groups.push_back(std::move(group));
    tables.push_back(read_stats(name + "[0]", kind, *kind.new_stats()));
  }
  void add(std::string_view module, const std::string& name) {
    for (const ModuleKind* kind : known_modules())
      if (kind->name == module) return add(*kind, kind->new_params(), name);
    FAIL("no module " << module);
  }
  /// Sets a counter of the last module, or a ratio that it has only if a unit can be busy.
  void set(std::string_view counter, double value) {
    const auto whole = static_cast<std::uint64_t>(value + 0.5);
    InstanceStats& table = tables.back();
    const auto row = std::find_if(table.counters.begin(), table.counters.end(),
                                  [&](const CounterRow& one) { return one.name == counter; });
    if (row != table.counters.end()) {
      row->value = whole;
      return;
    }
    CHECK_THAT(std::string(counter), tb::has_text("_utilization"));
    table.ratios.push_back({std::string(counter), "", "", whole, 1});
  }
  /// One load that spent so many cycles at a place.
  void spend(std::string_view place, Cause cause, double time) {
    LedgerTotals::Sums& loads = ledger.groups[LedgerTotals::loads];
    loads.cycles.add(places.add(place, cause), static_cast<std::uint64_t>(time + 0.5));
    loads.latency += static_cast<std::uint64_t>(time + 0.5);
    loads.count = 1;
  }
  Verdict judge() const { return platforms::judge({netlist, tables, ledger, places, cycles, spared}); }
};

/// Makes use of a resource of the last module, one of `all`.
void use(Run& run, const Resource& resource, const Resources& all) {
  const double count = used * resource.peak * cycles;
  if (resource.kind == Resource::Kind::size) {
    run.set("misses", 1000);
    run.spared = 500;
    return;
  }
  if (resource.held != Resource::Held::counted) return run.spend("memory", Cause::access, count);
  if (resource.name == "queues") {
    // Their links are busy with packets of one flit each, which wider links do not make shorter.
    const Resource& links = all.front();
    double weight = 0;
    for (const Resource::Use& one : links.uses) weight += one.weight;
    for (const Resource::Use& one : links.uses) run.set(one.counter, used * links.peak * cycles / weight);
    return;
  }
  run.set(resource.uses.front().counter, count / resource.uses.front().weight);
  if (!resource.busiest.empty())
    run.set(resource.busiest, count / resource.parts / resource.uses.front().weight);
}

/// Whole and plain: an end in every pair of brackets, nothing left of a pattern, one blank between words.
void check_plain(const std::string& text) {
  INFO(text);
  CHECK(std::count(text.begin(), text.end(), '(') == std::count(text.begin(), text.end(), ')'));
  CHECK(std::count(text.begin(), text.end(), '[') == std::count(text.begin(), text.end(), ']'));
  CHECK_FALSE(std::regex_search(
      text, std::regex("%[^ ),;]|  +[(\\[]|nan|inf|-0|\\bwho\\b|\\bones?\\b|\\bours\\b|stranger")));
}

/// The lines of a verdict against a row, and the name in brackets behind what to try against the program.
void check(const Run& run, const std::string& row) {
  INFO(row);
  const auto wanted = rows().find(row);
  REQUIRE(wanted != rows().end());  // else add a row: what the verdict says of it, and what it says to try
  const Verdict verdict = run.judge();
  const std::string text = verdict_text(verdict);
  INFO(text);
  const std::string head = "verdict   Limited by " + wanted->second.limited_by;
  CHECK(text.substr(0, head.size()) == head);
  const std::size_t at = text.find("try       ");
  REQUIRE(at != std::string::npos);
  const std::string advice = text.substr(at + 10, text.find('\n', at) - at - 10);
  CHECK(advice.substr(0, wanted->second.to_try.size()) == wanted->second.to_try);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) check_plain(line.substr(10));
  std::smatch name;
  REQUIRE(std::regex_search(advice, name, std::regex("\\[([a-z0-9_]+)\\.([a-z0-9_]+)\\]$")));
  if (row == "waiting") return;  // a row of the ledger
  std::string module;
  for (const ResolvedGroup& group : run.netlist.groups)
    if (group.name == name[1].str()) module = std::string(group.kind->name);
  CHECK_THAT(
      explain(name[1].str() + "." + name[2].str(), known_modules(), {{name[1].str(), module, {"this"}}}),
      tb::has_text("." + name[2].str() + ": "));
}

/// Parameters with which a module declares all of its resources, or null.
std::shared_ptr<ParamSet> with_more(const ModuleKind& kind) {
  std::shared_ptr<ParamSet> params = kind.new_params();
  if (auto* const sm = dynamic_cast<SmClusterParams*>(params.get())) {
    for (UnitParams* unit : {&sm->integer, &sm->sp, &sm->dp, &sm->tensor, &sm->branch}) unit->interval = 4;
    return params;
  }
  if (auto* const llc = dynamic_cast<LlcSliceParams*>(params.get())) {
    llc->atomic_lanes_per_cycle = 1;
    return params;
  }
  if (auto* const l1 = dynamic_cast<L1Params*>(params.get())) {
    l1->port_cycles = 4;
    return params;
  }
  if (auto* const memory = dynamic_cast<MemoryControllerParams*>(params.get())) {
    memory->timing.nRRDS = 1;
    memory->timing.nFAW = 4;
    return params;
  }
  return nullptr;
}

/// Scheduler cycles of an SM: issue 10 %, the rest for one reason 80 %, and memory.
void schedule(Run& run, std::string_view reason) {
  run.add("sm_cluster", "sm");
  run.set("scheduler_cycles", 1000);
  run.set("issue_cycles", 100);
  run.set(reason, 800);
  run.set("idle_memory", 100);
}

}  // namespace

TEST_CASE("every resource of every module can be the limit, and the verdict says so in a whole sentence") {
  std::set<std::string> found;
  std::set<Verdict::Rule> rules;
  for (const ModuleKind* kind : known_modules()) {
    if (kind->resources == nullptr) continue;
    for (const bool more : {false, true}) {
      const std::shared_ptr<ParamSet> params = more ? with_more(*kind) : kind->new_params();
      if (params == nullptr) continue;
      const Resources all = kind->resources(*params);
      for (const Resource& resource : all) {
        if (resource.kind == Resource::Kind::size && resource.peak == 0)
          continue;  // its misses are not counted
        // Which of them an activation occupies for longer depends on the timings.
        if (resource.name == (more ? "activations" : "banks")) continue;
        std::string row = std::string(to_text(kind->role)) + "." + std::string(resource.name);
        if (row == "l1.port" && !resource.reliefs.empty()) row += ", slow";
        INFO(kind->name);
        Run run;
        if (kind->role != Role::sm) {
          run.add("sm_cluster", "sm");
          if (resource.kind == Resource::Kind::size) {
            run.set("scheduler_cycles", 1000);
            run.set("idle_memory", 1000);
          }
        }
        run.add(*kind, params, "it");
        use(run, resource, all);
        check(run, row);
        const Verdict verdict = run.judge();
        CHECK(verdict.limit == "it." + std::string(resource.name));
        rules.insert(verdict.rule);
        found.insert(row);
        // What gives more of it exists.
        for (const Resource::Relief& relief : resource.reliefs) {
          bool known = relief.param == "clock";
          for (const ParamRow& param : list_params(*params)) known = known || param.name == relief.param;
          INFO(relief.param);
          CHECK(known);
        }
      }
    }
  }
  for (const auto& [row, said] : rows())
    if (row.find('.') != std::string::npos) {
      INFO(row << " is the resource of no module");
      CHECK(found.count(row) == 1);
    }
  CHECK(rules == std::set<Verdict::Rule>{Verdict::Rule::full, Verdict::Rule::room, Verdict::Rule::size});
}

TEST_CASE("every reason for which schedulers do not issue has its sentence, and says what helps") {
  std::set<std::string> reasons;
  for (const auto& [name, sentence] : scheduler_states()) reasons.insert(std::string(name));
  CHECK(reasons == std::set<std::string>{"issue", "memory", "lsu_full", "instruction_latency", "no_warp",
                                         "barrier", "stalled"});
  for (const auto& [limit, counter] : {std::pair("no_warp", "idle_no_warp"),
                                       {"instruction_latency", "idle_latency"},
                                       {"barrier", "idle_barrier"},
                                       {"stalled", "idle_stalled"}}) {
    Run run;
    schedule(run, counter);
    run.add("llc_control", "ctl");
    run.add("cta_dispatcher", "cta");
    run.set("ctas_launched", 3);
    run.set("kernels_launched", 2);
    CHECK(run.judge().limit == limit);
    CHECK(run.judge().rule == Verdict::Rule::idle);
    check(run, limit);
  }
  Run run;
  schedule(run, "idle_no_warp");
  run.add("cta_dispatcher", "cta");
  run.set("launch_cycles", 600);
  CHECK(run.judge().limit == "kernel_boundaries");
  check(run, "kernel_boundaries");
}

// Cycles of an access of which schedulers wait for loads: at memory for its data, or for its turn.
TEST_CASE("where nothing is busy the verdict says what an access takes, or what it waits for") {
  for (const bool generators : {false, true}) {
    Run run;
    if (generators) {
      run.add("traffic_generator", "gen");
    } else {
      run.add("sm_cluster", "sm");
      run.set("scheduler_cycles", 1000);
      run.set("idle_memory", 1000);
    }
    run.spend("llc", Cause::pipeline, 300);
    run.ledger.groups[LedgerTotals::loads].count = 1;
    CHECK(run.judge().rule == Verdict::Rule::latency);
    check(run, generators ? "latency of generators" : "latency");
  }
  Run run;
  run.add("sm_cluster", "sm");
  run.set("scheduler_cycles", 1000);
  run.set("idle_memory", 1000);
  run.spend("llc", Cause::pipeline, 60);
  run.spend("llc", Cause::queue, 240);
  CHECK(run.judge().rule == Verdict::Rule::wait);
  check(run, "waiting");
}

TEST_CASE("a run without cycles has no limit and nothing to try") {
  const Run run;
  const Verdict verdict = judge({run.netlist, run.tables, run.ledger, run.places, 0});
  CHECK(verdict_text(verdict) == "verdict   nothing ran\n");
}

TEST_CASE("what was measured replaces the advice of the rule") {
  Run run;
  run.add("sm_cluster", "sm");
  run.set("shared_load_instructions", used * cycles);
  Verdict verdict = run.judge();
  verdict.measured = {{"sm.sfu", "more special function units", 0.18, 0.02}};
  CHECK_THAT(verdict_text(verdict),
             tb::has_text("try       more special function units (+18.0 % ± 2.0 measured) [sm.sfu]\n"));
  verdict.measured.front().faster = 0.001;
  verdict.measured.front().half.reset();
  CHECK_THAT(
      verdict_text(verdict),
      tb::has_text(
          "try       no resource: twice as much of any gives +0.1 % at most (measured); fewer accesses and "
          "bank conflicts in shared memory [sm.shared]\n"));
}
