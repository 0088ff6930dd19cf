#include "tb/contract/externals.h"

#include <algorithm>

#include "models/cta_dispatcher/cta_dispatcher.h"
#include "models/tlm/protocol_checker.h"
#include "platforms/engine/session/model_reports.h"
#include "platforms/report/laws.h"
#include "platforms/report/stat_table.h"
#include "tb/contract/stub_peers.h"
#include "tb/support/child.h"
#include "traces/open.h"

namespace strata::contract {

namespace {

using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

constexpr std::uint64_t lines = 512, line = 128;
constexpr int most_in_flight = 8;
unsigned char data[line];  // of every payload; no module reads it

sc_core::sc_time nanoseconds(std::uint64_t count) {
  return {static_cast<double>(count), sc_core::SC_NS};
}

/// A read or a write of some bytes of a line.
void draw(tlm_generic_payload& payload, std::mt19937_64& random) {
  const std::uint64_t offset = random() % line;
  const auto length = static_cast<unsigned>(1 + random() % (line - offset));
  payload.set_command(random() % 4 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(random() % lines * line + offset);
  payload.set_data_ptr(data);
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

PayloadPool::~PayloadPool() {
  for (tlm_generic_payload* payload : free_) delete payload;
}

tlm_generic_payload& PayloadPool::make() {
  if (free_.empty()) free_.push_back(new tlm_generic_payload(this));
  tlm_generic_payload& payload = *free_.back();
  free_.pop_back();
  ++in_use_;
  payload.acquire();
  return payload;
}

void PayloadPool::free(tlm_generic_payload* payload) {
  payload->reset();
  free_.push_back(payload);
  --in_use_;
}

PlainMaster::PlainMaster(sc_core::sc_module_name name, int requests, std::uint64_t seed)
    : sc_module(name), requests_(requests), random_(seed), arrivals_(this, &PlainMaster::arrived) {
  SC_HAS_PROCESS(PlainMaster);
  socket.register_nb_transport_bw(this, &PlainMaster::nb_transport_bw);
  SC_METHOD(send);
  sensitive << next_;
}

void PlainMaster::send() {
  if (requesting_ != nullptr || in_flight_ == most_in_flight ||
      count.requests == static_cast<std::uint64_t>(requests_))
    return;
  tlm_generic_payload& payload = pool.make();
  draw(payload, random_);
  ++count.requests;
  ++in_flight_;
  requesting_ = &payload;
  tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
  if (answer == tlm::TLM_UPDATED) arrivals_.notify(payload, phase, delay);
  if (answer != tlm::TLM_COMPLETED) return;
  requesting_ = nullptr;
  finish(payload);
  next_.notify(delay + nanoseconds(1));
}

tlm_sync_enum PlainMaster::nb_transport_bw(tlm_generic_payload& payload, tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  arrivals_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

void PlainMaster::arrived(tlm_generic_payload& payload, const tlm_phase& phase) {
  if (requesting_ == &payload) {  // END_REQ, or BEGIN_RESP, which implies it
    requesting_ = nullptr;
    next_.notify(nanoseconds(1 + random_() % 4));
  }
  if (phase == tlm::BEGIN_RESP) {
    if (random_() % 3 == 0) return arrivals_.notify(payload, tlm::END_RESP, nanoseconds(random_() % 20));
  } else if (phase != tlm::END_RESP) {
    return;
  }
  tlm_phase end = tlm::END_RESP;
  sc_core::sc_time now = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(payload, end, now);
  finish(payload);
  next_.notify(nanoseconds(1));
}

void PlainMaster::finish(tlm_generic_payload& payload) {
  ++count.answers;
  --in_flight_;
  if (!payload.is_response_ok()) ++count.errors;
  payload.release();
}

BlockingMaster::BlockingMaster(sc_core::sc_module_name name, int requests, std::uint64_t seed)
    : sc_module(name), requests_(requests), random_(seed) {
  SC_HAS_PROCESS(BlockingMaster);
  SC_THREAD(run);
}

void BlockingMaster::run() {
  sc_core::sc_time ahead = sc_core::SC_ZERO_TIME;
  for (int i = 0; i < requests_; ++i) {
    tlm_generic_payload payload;
    draw(payload, random_);
    ++count.requests;
    socket->b_transport(payload, ahead);
    ++count.answers;
    if (!payload.is_response_ok()) ++count.errors;
    if (random_() % 4 != 0) continue;
    sc_core::wait(ahead);
    ahead = sc_core::SC_ZERO_TIME;
  }
}

PlainMemory::PlainMemory(sc_core::sc_module_name name, std::uint64_t seed)
    : sc_module(name), random_(seed), arrivals_(this, &PlainMemory::arrived) {
  socket.register_nb_transport_fw(this, &PlainMemory::nb_transport_fw);
}

tlm_sync_enum PlainMemory::nb_transport_fw(tlm_generic_payload& payload, tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  arrivals_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

// END_REQ and BEGIN_RESP are phases that this memory has scheduled for itself.
void PlainMemory::arrived(tlm_generic_payload& payload, const tlm_phase& phase) {
  sc_core::sc_time now = sc_core::SC_ZERO_TIME;
  if (phase == tlm::BEGIN_REQ) {
    ++count.requests;
    payload.acquire();
    arrivals_.notify(payload, tlm::END_REQ, nanoseconds(random_() % 3 == 0 ? random_() % 40 : 0));
  } else if (phase == tlm::END_REQ) {
    tlm_phase end = tlm::END_REQ;
    arrivals_.notify(payload, tlm::BEGIN_RESP, nanoseconds(10 + random_() % 200));
    socket->nb_transport_bw(payload, end, now);
  } else if (phase == tlm::BEGIN_RESP) {
    ready_.push_back(&payload);
    respond();
  } else {
    responding_->release();
    responding_ = nullptr;
    respond();
  }
}

void PlainMemory::respond() {
  if (responding_ != nullptr || ready_.empty()) return;
  responding_ = ready_.front();
  ready_.pop_front();
  ++count.answers;
  responding_->set_response_status(tlm::TLM_OK_RESPONSE);
  tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  tlm_generic_payload& payload = *responding_;
  const tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_UPDATED) arrivals_.notify(payload, tlm::END_RESP, delay);
  if (answer == tlm::TLM_COMPLETED) arrivals_.notify(payload, tlm::END_RESP, delay);
}

BlockingMemory::BlockingMemory(sc_core::sc_module_name name) : sc_module(name) {
  socket.register_b_transport(this, &BlockingMemory::b_transport);
}

void BlockingMemory::b_transport(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++count.requests;
  ++count.answers;
  delay += nanoseconds(70);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

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
  for (const std::string& text : ending.said) read_line(text, result);
  if (!ending.broke.empty()) result.findings.push_back({"runs", "the program " + ending.broke});
  return result.findings;
}

}  // namespace strata::contract
