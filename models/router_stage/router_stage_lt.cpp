#include "models/router_stage/router_stage_lt.h"

#include <algorithm>

namespace strata {
namespace {

// `cycles` of this block's clock in cycles of the clock that the ledger counts.
Cycle in_ledger_cycles(const ClockDomain& clock, int cycles) {
  return clock.ledger_at(static_cast<Cycle>(cycles)) - clock.ledger_at(0);
}

void check(const RouterStageParams& params, const AddressMap& map) {
  if (!params.needs_flits(static_cast<int>(map.line_bytes() / chunk_bytes))) return;
  throw ConfigError(Faults{
      param_fault("timing",
                  "is lt, which has one VC that holds whole packets, speedup 1 and no virtual output queues; "
                  "allowed here: at")});
}

}  // namespace

RouterStageLt::RouterStageLt(sc_core::sc_module_name module_name, const RouterStageParams& params,
                             const BuildContext& context)
    : LtBlock(module_name, context.clock),
      params_(params),
      map_(context.map),
      requests_(params.shape(false, params.bypass)),
      replies_(params.shape(true, params.bypass)),
      line_shift_(static_cast<std::uint64_t>(63 - __builtin_clzll(context.map.line_bytes()))),
      link_limit_(in_ledger_cycles(context.clock, params.link_latency)),
      router_limit_(in_ledger_cycles(context.clock, params.shape(false, false).enter) - link_limit_),
      organization_(*this, "organization", 0) {
  check(params, map_);
  for (int i = 0; i < params.inputs; ++i) in_ports_.emplace_back(*this, "in", i);
  for (int o = 0; o < params.outputs; ++o) out_ports_.emplace_back(*this, "out", o);
  for (unsigned mask = 0; mask < flits_.size(); ++mask)
    flits_[mask] = static_cast<std::uint8_t>(params.flits(__builtin_popcount(mask)));
  const int slices = map_.channels() * map_.slices_per_channel();
  const int targets =
      params.route == RouterStageParams::Route::slice ? slices : params.divide * params.outputs;
  for (int i = 0; i < targets; ++i)
    output_.push_back(static_cast<std::uint16_t>(i / params.divide % params.outputs));
}

LtAnswer RouterStageLt::transport(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const Cycle now = clock().now();
  access.flits = flits_[carries_request_data(access.access_class) ? access.chunks : 0];
  const int output = params_.bypass ? port : route(access);
  LtInitiatorPort& next = out_ports_[static_cast<std::size_t>(output)];
  const CrossbarLt::Passage there = requests_.pass(port, output, access.flits, at, now);
  charge(access, Cause::request_link, Cause::request_router, Cause::request_queue,
         clock().ledger_at(there.sent));
  const LtAnswer answer = next.transport(txn, there.sent);
  requests_.hold(output, answer.accepted);

  access.flits = flits_[carries_reply_data(access.access_class) ? access.chunks : 0];
  const CrossbarLt::Passage back = replies_.pass(output, port, access.flits, answer.done, now);
  next.answer_taken(back.began, back.accepted);
  const Cycle began = clock().ledger_at(back.began);
  if (began > access.ledger.mark()) access.ledger.charge(answer.waits, began);
  charge(access, Cause::reply_link, Cause::reply_router, Cause::reply_queue, clock().ledger_at(back.sent));
  return {there.accepted, back.sent};
}

void RouterStageLt::answer_taken(int port, Cycle, Cycle until) {
  replies_.hold(port, until);
}

// As RouterStage: up to the link's latency are the link's, up to that of the pipeline the router's.
[[gnu::always_inline]] inline void RouterStageLt::charge(Access& access, Cause link, Cause router,
                                                         Cause queue, Cycle now) const {
  Ledger& ledger = access.ledger;
  const Cycle mark = ledger.mark();
  const Cycle end = std::max(mark, now);
  ledger.charge(link, std::min(mark + link_limit_, end));
  ledger.charge_split(router, router_limit_, queue, end);
}

inline int RouterStageLt::route(Access& access) {
  if (params_.route == RouterStageParams::Route::slice && access.slice != no_slice)
    return output_of(static_cast<std::uint64_t>(access.slice));
  return choose(access);
}

// By address, or the first stage on the way names the slice.
int RouterStageLt::choose(Access& access) {
  if (params_.route != RouterStageParams::Route::slice)
    return output_of(route_number(params_.route, map_, access.line));
  if (organization_.bound()) {
    access.slice = static_cast<std::int16_t>(organization_->slice_for(access));
  } else {
    const Location location = map_.locate(access.line);
    access.slice = static_cast<std::int16_t>(location.channel * map_.slices_per_channel() + location.slice);
  }
  return output_of(static_cast<std::uint64_t>(access.slice));
}

unsigned RouterStageLt::debug(tlm::tlm_generic_payload& payload, int port) {
  int output = port;
  if (!params_.bypass) {
    Access probe;
    if (const MemAttr* attr = payload.get_extension<MemAttr>()) probe = *attr;
    probe.line = payload.get_address() >> line_shift_ << line_shift_;
    output = route(probe);
  }
  return out_ports_[static_cast<std::size_t>(output)].debug(payload);
}

void RouterStageLt::settle(Cycle now) {
  if (now > counted_until_) {
    stats_.cycles += now - counted_until_;
    if (params_.bypass) stats_.gated_cycles += now - counted_until_;
    counted_until_ = now;
  }
  const auto collect = [&](const CrossbarLt& core, int outputs, RouterStageStats::Network& network) {
    network.counters = core.counters();
    network.busy_cycles = 0;
    network.busy_cycles_max = 0;
    for (int o = 0; o < outputs; ++o) {
      network.busy_cycles += core.busy_cycles(o);
      network.busy_cycles_max = std::max(network.busy_cycles_max, core.busy_cycles(o));
    }
    network.port_cycles = stats_.cycles * static_cast<std::uint64_t>(outputs);
    network.bytes_in = network.counters.flits_in * static_cast<std::uint64_t>(params_.channel_bytes);
    network.bytes_out = network.counters.flits_out * static_cast<std::uint64_t>(params_.channel_bytes);
  };
  collect(requests_, params_.outputs, stats_.request);
  collect(replies_, params_.inputs, stats_.reply);
}

void RouterStageLt::reset_stats() {
  settle(clock().now());
  requests_.reset_counters();
  replies_.reset_counters();
  stats_ = {};
}

}  // namespace strata
