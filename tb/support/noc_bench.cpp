#include "tb/support/noc_bench.h"

#include <string>

namespace strata::tb {

NocSource::NocSource(sc_core::sc_module_name name, ClockDomain& clock, int index)
    : Block(name, clock), port(*this, "out", 0), index_(index) {}

void NocSource::plan(PacketPlan packet) {
  if (plan_.empty()) book(packet.at);
  plan_.push_back(packet);
}

void NocSource::advance(Cycle now, int) {
  if (release_at_ <= now && port.holding()) {
    release_at_ = never;
    Txn& txn = *port.held();
    port.accept(now + 1);
    txn.release();
  }
  if (plan_.empty() || blocked_) return;
  const PacketPlan next = plan_.front();
  if (next.at > now || free_at_ > now) {
    book(std::max(next.at, free_at_));
    return;
  }
  plan_.pop_front();
  const auto sectors = static_cast<std::uint8_t>((1U << (next.flits - 1)) - 1);
  Txn& txn = pool.make(loads ? AccessClass::load : AccessClass::store, static_cast<Address>(next.slice) * 128,
                       loads ? 0xf : sectors, now);
  txn.access().sm = static_cast<std::uint16_t>(index_);
  txn.access().cta = static_cast<std::uint32_t>(log.size());
  txn.access().slice = static_cast<std::int16_t>(next.slice);
  PacketLog entry;
  entry.source = index_;
  entry.slice = next.slice;
  entry.flits = next.flits;
  entry.planned = next.at;
  entry.sent = now;
  log.push_back(entry);
  const Accept accept = port.send(txn);
  if (accept.is_held()) {
    blocked_ = true;
    return;
  }
  free_at_ = std::max(accept.at, now + 1);
  if (!plan_.empty()) book(std::max(plan_.front().at, free_at_));
}

void NocSource::request_unblocked(int, Cycle at) {
  blocked_ = false;
  log.back().released = at;
  free_at_ = at;
  if (!plan_.empty()) book(std::max(plan_.front().at, free_at_));
}

Accept NocSource::response(Txn& txn, int, Cycle at) {
  PacketLog& entry = log[txn.access().cta];
  entry.answered = at;
  Ledger& ledger = txn.access().ledger;
  ledger.charge(place_for(Cause::reply_link), std::max(ledger.mark(), at));
  entry.ledger_sum = ledger.sum();
  entry.queue = ledger.cycles(clock().places().add("noc", Cause::request_queue));
  const Cycle end = at + txn.access().flits;
  const int held = hold_reply ? hold_reply() : 0;
  if (held == 0) {
    txn.release();
    return Accept::taken(end);
  }
  release_at_ = at + static_cast<Cycle>(held);
  book(release_at_);
  return Accept::held();
}

NocSink::NocSink(sc_core::sc_module_name name, ClockDomain& clock, std::vector<NocSource*> sources)
    : Block(name, clock), port(*this, "in", 0), sources_(std::move(sources)) {}

PacketLog& NocSink::log_of(Txn& txn) {
  return sources_[txn.access().sm]->log[txn.access().cta];
}

Accept NocSink::request(Txn& txn, int, Cycle at) {
  ++received;
  PacketLog& log = log_of(txn);
  // A flit-exact stage hands a packet over with its tail, as one flit; its head came that much earlier if no
  // other flits were between.
  log.tail = at + txn.access().flits - 1;
  log.arrived = log.tail + 1 - static_cast<Cycle>(log.flits);
  const Cycle end = at + txn.access().flits;
  txn.access().ledger.charge(place_for(Cause::request_link), at);
  // A response does not begin before its request has ended.
  const Cycle answer = std::max(at + static_cast<Cycle>(service), at_once ? at : end);
  if (at_once) {
    txn.access().ledger.charge(place_for(Cause::pipeline), answer);
    return Accept::done(answer);
  }
  replies_.emplace_back(answer, &txn);
  book(answer);
  const int held = hold ? hold() : 0;
  if (held == 0) return Accept::taken(end);
  release_at_ = at + static_cast<Cycle>(held);
  book(release_at_);
  return Accept::held();
}

void NocSink::advance(Cycle now, int) {
  if (release_at_ <= now && port.holding()) {
    release_at_ = never;
    const Cycle end = now + port.held()->access().flits;
    replies_.back().first = std::max(replies_.back().first, end);  // nothing comes in behind a held request
    port.accept(end);
  }
  if (replies_.empty() || reply_blocked_) return;
  if (replies_.front().first > now || reply_free_at_ > now || port.held() == replies_.front().second) {
    const Cycle later = std::max(replies_.front().first, reply_free_at_);
    book(later > now ? later : release_at_ + 1);
    return;
  }
  Txn& txn = *replies_.front().second;
  replies_.pop_front();
  txn.access().ledger.charge(place_for(Cause::pipeline), now);
  const Accept accept = port.respond(txn);
  if (accept.is_held()) {
    reply_blocked_ = true;
    return;
  }
  reply_free_at_ = accept.at;
  if (!replies_.empty()) book(std::max(replies_.front().first, reply_free_at_));
}

void NocSink::response_unblocked(int, Cycle at) {
  reply_blocked_ = false;
  reply_free_at_ = at;
  if (!replies_.empty()) book(std::max(replies_.front().first, reply_free_at_));
}

unsigned NocSink::debug(tlm::tlm_generic_payload& payload, int) {
  ++debugged;
  return payload.get_data_length();
}

NocBench::NocBench(const RouterStageParams& params, bool checked) : checked_(checked) {
  AddressMapParams map_params;
  map_params.channels = params.outputs * params.divide;
  map_params.slices_per_channel = 1;
  map_params.partition = Bytes(128);
  map = make_address_map(map_params);
  clock = std::make_unique<ClockDomain>("clock", Hertz(1'000'000'000));
  make_ends(params.inputs, params.outputs);
  stages.push_back(make_router_stage("router", params, context()));
  for (int i = 0; i < params.inputs; ++i)
    connect(sources[static_cast<std::size_t>(i)]->port, stages[0]->in(i));
  for (int o = 0; o < params.outputs; ++o)
    connect(stages[0]->out(o), sinks[static_cast<std::size_t>(o)]->port);
}

NocBench::NocBench(const RouterStageParams& first, int first_count, const RouterStageParams& second,
                   bool checked)
    : checked_(checked) {
  AddressMapParams map_params;
  map_params.channels = first.outputs;
  map_params.slices_per_channel = second.outputs;
  map_params.partition = Bytes(128);
  map = make_address_map(map_params);
  clock = std::make_unique<ClockDomain>("clock", Hertz(1'000'000'000));
  make_ends(first.inputs * first_count, first.outputs * second.outputs);
  for (int c = 0; c < first_count; ++c) {
    stages.push_back(make_router_stage(("first_" + std::to_string(c)).c_str(), first, context()));
    for (int i = 0; i < first.inputs; ++i)
      connect(sources[static_cast<std::size_t>(c * first.inputs + i)]->port, stages.back()->in(i));
  }
  for (int m = 0; m < first.outputs; ++m) {
    stages.push_back(make_router_stage(("second_" + std::to_string(m)).c_str(), second, context()));
    for (int c = 0; c < first_count; ++c)
      connect(stages[static_cast<std::size_t>(c)]->out(m), stages.back()->in(c));
    for (int k = 0; k < second.outputs; ++k)
      connect(stages.back()->out(k), sinks[static_cast<std::size_t>(m * second.outputs + k)]->port);
  }
}

BuildContext NocBench::context() const {
  return {*clock, *map};
}

void NocBench::connect(InitiatorPort& from, TargetPort& to) {
  checked_ ? checkers.bind(from, to) : from.bind_to(to);
}

void NocBench::make_ends(int source_count, int sink_count) {
  std::vector<NocSource*> all;
  for (int i = 0; i < source_count; ++i) {
    sources.push_back(std::make_unique<NocSource>(("source_" + std::to_string(i)).c_str(), *clock, i));
    all.push_back(sources.back().get());
  }
  for (int o = 0; o < sink_count; ++o)
    sinks.push_back(std::make_unique<NocSink>(("sink_" + std::to_string(o)).c_str(), *clock, all));
}

void NocBench::run(Cycle cycles) {
  ran_ += cycles;
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  sc_core::sc_start(sc_core::sc_time::from_value(clock->edge(ran_) - now));
}

Faults NocBench::faults() const {
  Faults faults;
  for (const auto& stage : stages) {
    for (Fault& fault : stage->check_idle()) faults.push_back(std::move(fault));
    if (!stage->drained()) faults.push_back({{}, "a stage is not drained"});
  }
  for (const auto& source : sources) {
    if (source->pool.in_use() != 0) faults.push_back({{}, "a source lacks transactions"});
    for (const PacketLog& entry : source->log)
      if (entry.answered == 0) faults.push_back({{}, "a packet was not answered"});
  }
  return faults;
}

std::vector<PacketLog> NocBench::all() const {
  std::vector<PacketLog> logs;
  for (const auto& source : sources) logs.insert(logs.end(), source->log.begin(), source->log.end());
  return logs;
}

}  // namespace strata::tb
