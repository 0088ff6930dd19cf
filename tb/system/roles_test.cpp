// Figures follow the roles that modules declare: whose module it is, and what it is called, makes no
// difference.
#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>

#include "models/tlm/ports.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/application_figures.h"
#include "platforms/report/laws.h"
#include "platforms/report/page/page_parts.h"
#include "platforms/report/summary.h"
#include "platforms/studies/probe/probes.h"
#include "tb/support/catch.h"
#include "tb/support/faulty_slice.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;

namespace {

/// The module `name` as an external module would offer it.
ModuleKind renamed(std::string_view name, std::string_view to) {
  ModuleKind kind = *find_module(built_in_modules(), name);
  kind.name = to;
  return kind;
}

struct Ending : RunOutcome {
  Summary summary;
  Faults hops;
};

Ending run_tiny(const std::vector<std::string>& sets, const ModuleTable& modules) {
  Platform platform(Netlist::load(find_platform("tiny"), sets, modules), {1, false});
  const auto source = traces::open_trace("synthetic:random:loads=8,ctas=2,warps=2");
  Session session(platform, *source, {});
  platform.finish_elaboration();
  Ending ending;
  static_cast<RunOutcome&>(ending) = session.run();
  const std::vector<InstanceStats> tables = read_stats(platform);
  ending.summary = summarize(tables, read_ledger(platform), ending.cycles, {});
  ending.hops = check_hops(platform.netlist(), tables);
  return ending;
}

/// A block of a new role between SMs and L1s: it passes each access on after a fixed time, as a TLB would
/// that always hits.
struct TlbParams final : ParamSet {
  int ports = 1;
  int latency = 10;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"ports", "sockets", "SMs in front of it"}, ports, {1, 256});
    v.integer({"latency", "cycles", "of a translation"}, latency, {1, 1000});
  }
};

struct TlbStats final : StatSet {
  std::uint64_t lookups = 0, replies = 0;
  void for_each_stat(StatVisitor& v) const override {
    v.counter({"lookups", "accesses", "accesses that came"}, lookups);
    v.counter({"replies", "accesses", "replies that came"}, replies);
    v.law("lookups = replies");
  }
};

class Tlb final : public Block {
 public:
  Tlb(sc_core::sc_module_name name, const TlbParams& params, const BuildContext& context)
      : Block(name, context.clock, 2 * params.ports, context.place_as(role())),
        latency_(static_cast<Cycle>(params.latency)),
        ports_(params.ports),
        queue_(place_for(Cause::queue)),
        queues_(2 * static_cast<std::size_t>(params.ports)) {
    for (int i = 0; i < ports_; ++i) {
      sm_.emplace_back(*this, "sm", i);
      l1_.emplace_back(*this, "l1", i);
    }
  }
  static Role role() {
    return add_role({"tlb", "translates addresses", "tlb", {Cause::queue}, "#ccddee", true});
  }
  bool is_network() const override { return true; }  // an L1 must not answer with the request
  Accept request(Txn& txn, int port, Cycle at) override {
    ++stats_.lookups;
    return take(txn, port, at, latency_);
  }
  Accept response(Txn& txn, int port, Cycle at) override {
    ++stats_.replies;
    return take(txn, port + ports_, at, 1);
  }
  void request_unblocked(int port, Cycle at) override { book(at, port); }
  void response_unblocked(int port, Cycle at) override { book(at, port + ports_); }
  void advance(Cycle now, int unit) override {
    AccessFifo& queue = queues_[static_cast<std::size_t>(unit)];
    const auto port = static_cast<std::size_t>(unit % ports_);
    const bool down = unit < ports_;
    if (queue.empty() || (down ? l1_[port].blocked() : sm_[port].response_blocked())) return;
    if (queue.front().ready > now) return book(queue.front().ready, unit);
    Access& access = queue.pop();
    access.ledger.charge_until(queue_, clock().ledger_at(now));
    const Accept accept = down ? l1_[port].send(Txn::of(access)) : sm_[port].respond(Txn::of(access));
    if (accept.is_done()) take(Txn::of(access), unit + ports_, accept.at, 1), ++stats_.replies;
    if (!queue.empty() && !accept.is_held()) book(std::max(now + 1, accept.is_done() ? 0 : accept.at), unit);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override { stats_ = {}; }

 private:
  Accept take(Txn& txn, int unit, Cycle at, Cycle after) {
    txn.access().ready = at + after;
    queues_[static_cast<std::size_t>(unit)].push(txn.access());
    book(at + after, unit);
    return Accept::taken(at + 1);
  }

  const Cycle latency_;
  const int ports_;
  const Place queue_;
  std::vector<AccessFifo> queues_;  // requests of each port, then replies
  std::deque<TargetPort> sm_;
  std::deque<InitiatorPort> l1_;
  TlbStats stats_;
};

ModuleKind tlb_kind() {
  return module_kind<TlbParams, TlbStats, Tlb>(
      "tlb", "a TLB that always hits", Tlb::role(), "core", [](const ParamSet& set) -> std::vector<PortSpec> {
        const int ports = static_cast<const TlbParams&>(set).ports;
        return {
            tlm_sockets("sm", PortRole::target, ports, "accesses of an SM", {{"lookups"}, {"replies"}}),
            tlm_sockets("l1", PortRole::initiator, ports, "the same, to its L1", {{"lookups"}, {"replies"}})};
      });
}

}  // namespace

// 2 CTAs x 2 warps x 8 loads = 32 line accesses, in the L1s of an external module as in built-in ones.
TEST_CASE("A module of another name with the role l1 has L1 figures and hop laws") {
  const ModuleKind mine = renamed("l1_private", "mine");
  ModuleTable modules = built_in_modules();
  modules.push_back(&mine);
  const Ending ending = run_tiny({"l1.module=mine"}, modules);
  CHECK(ending.exit_code == exit_ok);
  CHECK(ending.hops.empty());
  CHECK(gaps(ending.summary).empty());
  CHECK(ending.summary.find("l1_accesses")->count == 32);
  CHECK(ending.summary.find("l1_hits")->count + ending.summary.find("l1_merges")->count +
            ending.summary.find("l1_misses")->count ==
        32);
}

TEST_CASE("A module that takes a role without counting what it asks for is named with the counter") {
  ModuleKind silent = tb::faulty_slice_kind();
  silent.role = Role::llc;
  ModuleTable modules = built_in_modules();
  modules.push_back(&silent);
  const Ending ending = run_tiny({"llc.module=faulty_slice", "llc.fault=none"}, modules);
  CHECK(ending.exit_code == exit_ok);
  std::string text;
  for (const std::string& gap : gaps(ending.summary)) text += gap + "\n";
  CHECK_THAT(text, has_text("the module faulty_slice does not count 'hits', hence no llc_hits"));
  CHECK_FALSE(ending.summary.find("llc_hits")->absent.empty());
  CHECK(ending.summary.find("l1_accesses")->count == 32);
}

// Nodes of DC-L1 have other parameters than L1s of an SM: what both are is their role and their port.
TEST_CASE("What has the role l1 and a port is probed as an L1") {
  const ResolvedNetlist netlist =
      Netlist::load(find_platform("hpca21/shared_nodes"), {"node.port_cycles=2"}).resolve();
  const std::vector<Probe> probes = probes_of(netlist);
  const auto named = [&](std::string_view name) {
    return std::find_if(probes.begin(), probes.end(), [&](const Probe& probe) { return probe.name == name; });
  };
  REQUIRE(named("latency.l1") != probes.end());
  REQUIRE(named("bandwidth.l1") != probes.end());
  CHECK(named("bandwidth.l1")->peak == 128.0 / 2);
}

// The narrower end of a link, 24 B against 64 B wide, counts; an end without a width does not.
TEST_CASE("A page shows the width of links that any module declares") {
  ModuleKind mine = *find_module(built_in_modules(), "l1_private");
  mine.name = "mine";
  mine.resources = [](const ParamSet&) {
    Resource links{"links", "towards the LLC", Resource::Kind::rate, 1, {{"requests_to_llc"}}};
    links.bytes = 24;
    links.sockets = "noc";
    return Resources{links};
  };
  ModuleTable modules = built_in_modules();
  modules.push_back(&mine);
  const auto peak = [&](const std::string& module) {
    const auto netlist =
        Netlist::load(find_platform("tiny"), {"l1.module=" + module, "rtr.channel_bytes=64"}, modules);
    const auto empty = nlohmann::ordered_json::object();
    const nlohmann::ordered_json stats = {
        {"instances", empty}, {"summary", empty}, {"ledger_places", empty}, {"ledger", empty}};
    const nlohmann::ordered_json machine = page_machine(netlist.resolve(), stats);
    for (const auto& link : machine["links"])
      if (link["out"] == "noc") return link["peak"].get<double>();
    return 0.0;
  };
  CHECK(peak("mine") == 24);
  CHECK(peak("l1_private") == 64);
}

TEST_CASE("A role of a plug-in between SM and L1 needs no line of the program") {
  const ModuleKind tlb = tlb_kind();
  ModuleTable modules = built_in_modules();
  modules.push_back(&tlb);
  CHECK(add_role({"tlb", "", "", {}}) == tlb.role);
  CHECK(to_text(tlb.role) == "tlb");
  CHECK_THROWS_WITH(add_role({"l1", "", "", {}}), "the role 'l1' is one of Strata; give yours another name");
  tb::TempFolder folder;
  const std::string file = folder.write("tlb.yaml",
                                        "instances:\n  tlb: {module: tlb}\nbind:\n"
                                        "  - cta.cluster[c] -> sm[c].dispatch\n  - sm[c].l1[s] -> tlb.sm[s]\n"
                                        "  - tlb.l1[s] -> l1[s].sm\n  - l1[i].noc -> rtr.in[i]\n"
                                        "  - rtr.out[k] -> llc[k].noc\n  - llc[i].mem -> mc[0].slice[i]\n"
                                        "  - mc[m].channel -> ch[m].controller\n");
  Platform platform(Netlist::load({find_platform("tiny"), file}, {"tlb.latency=30"}, modules), {1, false});
  const auto source = traces::open_trace("synthetic:chase:loads=8,ctas=1,warps=1");
  Session session(platform, *source, {});
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  CHECK(outcome.exit_code == exit_ok);
  const std::vector<InstanceStats> tables = read_stats(platform);
  CHECK(check_hops(platform.netlist(), tables).empty());
  const LedgerTotals ledger = read_ledger(platform);
  const Summary summary = summarize(tables, ledger, outcome.cycles, {});
  CHECK(gaps(summary).empty());
  CHECK(summary.find("l1_accesses")->count == 8);
  // Each load waits for 30 cycles on its way and for one on the way of its reply.
  const auto place = platform.ledger_places().find("tlb.queue");
  REQUIRE(place.has_value());
  CHECK(ledger.groups[LedgerTotals::loads].cycles[*place] == 8 * 31);
  CHECK(to_dot(platform.netlist()).find("#ccddee") != std::string::npos);
  // The L1 behind it is the application's own.
  ApplicationFigures figures;
  figures.sms = 1;
  measure(platform, 0, outcome.cycles, figures);
  CHECK(figures.count(Role::l1, "accesses") == 8);
}
