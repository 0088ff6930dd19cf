#include "tb/contract/externals.h"

#include <algorithm>

#include "models/cta_dispatcher/cta_dispatcher.h"
#include "models/tlm/protocol_checker.h"
#include "platforms/engine/session/model_reports.h"
#include "platforms/report/laws.h"
#include "platforms/report/stat_table.h"
#include "tb/contract/plain_modules.h"
#include "tb/contract/stub_peers.h"
#include "tb/support/child.h"
#include "traces/open.h"

namespace strata::contract {
namespace {

using namespace platforms;

constexpr int requests_of_a_master = 400;
/// What modules do that send requests by themselves.
const Settings drive = {{"accesses", "400"}, {"loads", "0.7"}, {"footprint", "32 KiB"}};
const char* const kernels =
    "synthetic:random:kernels=2,ctas=4,warps=4,loads=16,stores=0.2,atomics=0.1,footprint=32KiB";

/// For all of them, ten times over.
sc_core::sc_time long_enough() {
  return {1, sc_core::SC_MS};
}

/// `count` and `port` of one binding to an external module.
struct Binding {
  const PlainCount* count;
  std::string group;
  PortRole role;
};

class Bench {
 public:
  Bench(const ModuleKind& kind, const ExternalCase& what, const tb::Say& say)
      : kind_(kind),
        what_(what),
        say_(say),
        params_(params_with(kind, with_start(kind, kind.role == Role::generator ? drive : Settings{}))),
        ports_(kind.ports(*params_)) {
    AddressMapParams map;
    map.channels = 1;
    map.slices_per_channel =
        std::max(1, sockets(kind.role == Role::memory ? PortRole::target : PortRole::initiator));
    map_ = make_address_map(map);
    block_ = kind.make("module", *params_, context());
    for (PortBase* port : block_->ports()) surround(*port);
    if (kind.role == Role::sm) dispatch();
  }

  void run() {
    const ModelReports reports;  // an error of a model ends the run
    try {
      sc_core::sc_start(long_enough(), sc_core::SC_EXIT_ON_STARVATION);
    } catch (const sc_core::sc_report&) {
      return blame("runs", reports.error());
    }
    if (sc_core::sc_pending_activity())
      blame("idle", "something is still booked after " + long_enough().to_string());
    for (const auto& checker : checkers_) checker->check_finished();
    for (const auto& checker : checkers_)
      for (const std::string& message : checker->messages()) blame("protocol", message);
    judge();
  }

 private:
  BuildContext context() { return {clock_, *map_}; }
  int sockets(PortRole role) const {
    int count = 0;
    for (const PortSpec& port : ports_)
      if (port.role == role && port.protocol == "tlm") count += port.count;
    return count;
  }
  void blame(const std::string& check, const std::string& text) const { say_(to_line({check, text})); }

  std::string name(const char* what, const PortBase& port) const { return what + ("_" + port.socket_name()); }
  template <class Module, class... Arguments>
  Module& keep(const char* what, const PortBase& port, Arguments... arguments) {
    auto module = std::make_shared<Module>(name(what, port).c_str(), arguments...);
    externals_.push_back(module);
    bindings_.push_back({&module->count, port.group(), port.role()});
    return *module;
  }
  std::uint64_t seed() { return what_.seed * 1000 + externals_.size(); }

  void surround(PortBase& port) {
    const Neighbour& row = *neighbour(kind_.role);
    if (auto* target = dynamic_cast<tlm::tlm_target_socket<>*>(&port)) {
      if (!row.externals_before) return;
      if (what_.blocking_masters)
        keep<BlockingMaster>("master", port, requests_of_a_master, seed()).socket.bind(*target);
      else
        bind(keep<PlainMaster>("master", port, requests_of_a_master, seed()).socket, *target, port);
    } else if (auto* initiator = dynamic_cast<tlm::tlm_initiator_socket<>*>(&port)) {
      if (!row.externals_behind) return ours_behind(port);
      if (what_.blocking_memories)
        initiator->bind(keep<BlockingMemory>("memory", port).socket);
      else
        bind(*initiator, keep<PlainMemory>("memory", port, seed()).socket, port);
    }
  }
  void bind(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to, const PortBase& port) {
    checkers_.push_back(std::make_unique<ProtocolChecker>(name("check", port).c_str()));
    checkers_.back()->insert(from, to);
  }
  /// Its commands are for the next module of the way alone.
  void ours_behind(PortBase& port) {
    const auto next = std::find(way().begin(), way().end(), kind_.role) + 1;
    const ModuleKind& kind = *find_module(built_in_modules(), neighbour(*next)->module);
    const auto params = kind.new_params();
    behind_.push_back(kind.make(name("behind", port).c_str(), *params, context()));
    for (PortBase* other : behind_.back()->ports())
      if (other->role() == PortRole::target && port.bind_to(*other)) return;
  }

  void dispatch() {
    CtaDispatcherParams params;
    params.clusters = 1;
    dispatcher_ = std::make_unique<CtaDispatcher>("dispatcher", params, context());
    source_ = traces::open_trace(kernels);
    dispatcher_->set_source(*source_);
    for (PortBase* port : block_->ports())
      if (dispatcher_->cluster(0).bind_to(*port)) return;
  }

  void judge() {
    if (dispatcher_ != nullptr && !dispatcher_->finished()) blame("idle", "its kernels have not ended");
    block_->settle(clock_.now());
    const InstanceStats table = read_stats(std::string(kind_.name), kind_, block_->stats());
    for (const Fault& fault : check_laws({table})) blame("laws", fault.message);
    for (const Fault& fault : block_->check_idle()) blame("idle", "not idle at the end: " + fault.message);
    for (const WaitNote& note : block_->waits()) blame("idle", "still waits at the end: " + note.what);
    for (const PortSpec& port : ports_) count(port, table);
  }
  void count(const PortSpec& port, const InstanceStats& table) const {
    PlainCount all;
    bool bound = false;
    for (const Binding& binding : bindings_) {
      if (binding.group != port.name || binding.role != port.role) continue;
      bound = true;
      all.requests += binding.count->requests;
      all.answers += binding.count->answers;
      all.errors += binding.count->errors;
    }
    if (!bound) return;
    if (all.requests == 0) blame("runs", "no request passed " + port.name);
    if (all.requests != all.answers)
      blame("idle", std::to_string(all.requests - all.answers) + " requests of " + port.name +
                        " were never answered");
    if (all.errors != 0)
      blame("protocol", std::to_string(all.errors) + " answers of " + port.name + " are errors");
    compare(port.hop.requests, table, all.requests, "requests at " + port.name);
    compare(port.hop.replies, table, all.answers, "replies at " + port.name);
  }
  void compare(const std::vector<std::string_view>& names, const InstanceStats& table, std::uint64_t seen,
               const std::string& what) const {
    if (names.empty()) return;
    std::uint64_t counted = 0;
    for (const std::string_view name : names) {
      const CounterRow* row = table.counter(name.substr(name.front() == '-' ? 1 : 0));
      if (row != nullptr) counted += name.front() == '-' ? 0 - row->value : row->value;
    }
    if (counted != seen)
      blame("laws", what + ": the module counts " + std::to_string(counted) + ", the externals " +
                        std::to_string(seen));
  }

  const ModuleKind& kind_;
  const ExternalCase& what_;
  const tb::Say& say_;
  ClockDomain clock_{"clock", Hertz(1'000'000'000)};
  std::unique_ptr<ParamSet> params_;
  std::vector<PortSpec> ports_;
  std::unique_ptr<AddressMap> map_;
  std::unique_ptr<Block> block_;
  std::vector<std::shared_ptr<sc_core::sc_module>> externals_;
  std::vector<std::unique_ptr<Block>> behind_;
  std::unique_ptr<CtaDispatcher> dispatcher_;
  std::unique_ptr<InstructionSource> source_;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
  std::vector<Binding> bindings_;
};

}  // namespace

std::string to_text(const ExternalCase& what) {
  std::string text = "among externals (";
  if (!what.driven) text += what.blocking_masters ? "b_transport in front, " : "base protocol in front, ";
  return text + (what.blocking_memories ? "b_transport behind" : "base protocol behind") + ", seed " +
         std::to_string(what.seed) + ")";
}

std::vector<ExternalCase> external_cases(const ModuleKind& kind) {
  const Neighbour* row = neighbour(kind.role);
  if (row == nullptr || kind.untimed || !(row->externals_before || row->externals_behind)) return {};
  if (!row->externals_before)
    return {{false, false, true, 1}, {false, false, true, 2}, {false, true, true, 1}};
  return {{false, false, false, 1}, {false, false, false, 2}, {false, false, false, 3},
          {true, false, false, 1},  {false, true, false, 1},  {true, true, false, 1}};
}

Findings run_among_externals(const ModuleKind& kind, const ExternalCase& what) {
  RunResult result;
  const tb::WorkEnding ending = tb::in_child([&](const tb::Say& say) { Bench(kind, what, say).run(); });
  for (const std::string& line : ending.said) read_line(line, result);
  if (!ending.broke.empty()) result.findings.push_back({"runs", "the program " + ending.broke});
  return result.findings;
}

}  // namespace strata::contract
