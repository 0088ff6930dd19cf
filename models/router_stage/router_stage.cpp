#include "models/router_stage/router_stage.h"

#include <algorithm>

namespace strata {
namespace {

constexpr int request_unit = 0;
constexpr int reply_unit = 1;

// `cycles` of this block's clock in cycles of the clock that the ledger counts.
Cycle in_ledger_cycles(const ClockDomain& clock, int cycles) {
  return clock.ledger_at(static_cast<Cycle>(cycles)) - clock.ledger_at(0);
}

int log2_of(std::uint64_t value) {
  return 63 - __builtin_clzll(value);
}

}  // namespace

RouterStage::RouterStage(sc_core::sc_module_name name, const RouterStageParams& params,
                         const BuildContext& context)
    : Block(name, context.clock, 2),
      params_(params),
      map_(context.map),
      requests_(params.shape(false, false)),
      replies_(params.shape(true, false)),
      header_flits_(static_cast<std::uint8_t>(params.flits(0))),
      bypassed_(params.bypass),
      organization_(*this, "organization", 0) {
  for (int i = 0; i < params.inputs; ++i) in_.push_back(&in_ports_.emplace_back(*this, "in", i));
  for (int o = 0; o < params.outputs; ++o) out_.push_back(&out_ports_.emplace_back(*this, "out", o));
  for (unsigned mask = 0; mask < flits_.size(); ++mask)
    flits_[mask] = static_cast<std::uint8_t>(params.flits(__builtin_popcount(mask)));
  const int slices = map_.channels() * map_.slices_per_channel();
  const int targets =
      params.route == RouterStageParams::Route::slice ? slices : params.divide * params.outputs;
  for (int i = 0; i < targets; ++i)
    output_.push_back(static_cast<std::uint16_t>(i / params.divide % params.outputs));
  line_shift_ = static_cast<std::uint64_t>(log2_of(map_.line_bytes()));
  link_limit_ = in_ledger_cycles(clock(), params.link_latency);
  router_limit_ = in_ledger_cycles(clock(), params.shape(false, false).enter) - link_limit_;
  if (bypassed_) set_bypass(true);
}

RouterStage::~RouterStage() = default;

void RouterStage::set_bypass(bool on) {
  if (!drained() || (on && params_.inputs != params_.outputs)) {
    SC_REPORT_ERROR(name(),
                    "a crossbar can be gated only when it is empty and has as many inputs as outputs");
    return;
  }
  count_time(clock().now());
  bypassed_ = on;
  requests_.reshape(params_.shape(false, on));
  replies_.reshape(params_.shape(true, on));
}

Accept RouterStage::request(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  access.flits = carries_request_data(access.access_class) ? flits_[access.chunks] : header_flits_;
  access.push_route(port);
  const int output = bypassed_ ? port : route(access, port);
  const CrossbarCore::Entry entry = requests_.arrive(access, port, output, at, clock().now());
  wake(entry.due, request_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

Accept RouterStage::response(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  access.flits = carries_reply_data(access.access_class) ? flits_[access.chunks] : header_flits_;
  const CrossbarCore::Entry entry = replies_.arrive(access, port, access.pop_route(), at, clock().now());
  wake(entry.due, reply_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

void RouterStage::request_unblocked(int port, Cycle at) {
  const CrossbarCore::Release release = requests_.unblock(port, at, clock().now());
  wake(requests_.next_due(clock().now()), request_unit);
  if (release.input >= 0) in_[static_cast<std::size_t>(release.input)]->accept(release.until);
}

void RouterStage::response_unblocked(int port, Cycle at) {
  const CrossbarCore::Release release = replies_.unblock(port, at, clock().now());
  wake(replies_.next_due(clock().now()), reply_unit);
  if (release.input >= 0) out_[static_cast<std::size_t>(release.input)]->accept(release.until);
}

void RouterStage::advance(Cycle now, int unit) {
  ledger_now_ = clock().ledger_at(now);
  booked_[static_cast<std::size_t>(unit)] = never;
  if (unit == request_unit) {
    run_requests(now);
  } else {
    run_replies(now);
  }
}

// The agenda gets the next cycle of a network only: at its end, advance() names the one after.
void RouterStage::wake(Cycle due, int unit) {
  Cycle& booked = booked_[static_cast<std::size_t>(unit)];
  if (due >= booked) return;
  booked = due;
  book(due, unit);
}

void RouterStage::run_requests(Cycle now) {
  const std::size_t granted = requests_.arbitrate(now);
  for (std::size_t i = 0; i < granted; ++i) {
    const CrossbarCore::Grant& grant = requests_.granted(i);
    charge(*grant.access, Cause::request_link, Cause::request_router, Cause::request_queue);
    Txn& txn = Txn::of(*grant.access);
    const Accept accept = out_[static_cast<std::size_t>(grant.output)]->send(txn);
    if (accept.is_held()) {
      requests_.held(grant, now);
      continue;
    }
    const CrossbarCore::Release release = requests_.sent(grant, accept.is_done() ? now : accept.at, now);
    if (accept.is_done()) {
      // The answer came with the request and cannot be held: it enters the reply network beyond its capacity.
      Access& access = txn.access();
      ++stats_.completed_early;
      access.flits = carries_reply_data(access.access_class) ? flits_[access.chunks] : header_flits_;
      const CrossbarCore::Entry entry =
          replies_.force(access, grant.output, access.pop_route(), accept.at, now);
      wake(entry.due, reply_unit);
    }
    if (release.input >= 0) in_[static_cast<std::size_t>(release.input)]->accept(release.until);
  }
  wake(requests_.next_due(now), request_unit);
}

void RouterStage::run_replies(Cycle now) {
  const std::size_t granted = replies_.arbitrate(now);
  for (std::size_t i = 0; i < granted; ++i) {
    const CrossbarCore::Grant& grant = replies_.granted(i);
    charge(*grant.access, Cause::reply_link, Cause::reply_router, Cause::reply_queue);
    const Accept accept = in_[static_cast<std::size_t>(grant.output)]->respond(Txn::of(*grant.access));
    if (accept.is_held()) {
      replies_.held(grant, now);
      continue;
    }
    const CrossbarCore::Release release = replies_.sent(grant, accept.at, now);
    if (release.input >= 0) out_[static_cast<std::size_t>(release.input)]->accept(release.until);
  }
  wake(replies_.next_due(now), reply_unit);
}

void RouterStage::charge(Access& access, Cause link, Cause router, Cause queue) const {
  Ledger& ledger = access.ledger;
  ledger.charge(link, std::min(ledger.mark() + link_limit_, std::max(ledger.mark(), ledger_now_)));
  ledger.charge_split(router, router_limit_, queue, std::max(ledger.mark(), ledger_now_));
}

int RouterStage::route(Access& access, int) {
  if (params_.route == RouterStageParams::Route::line) return output_of(access.line >> line_shift_);
  if (access.slice == no_slice) {
    if (organization_.bound()) {
      access.slice = static_cast<std::int16_t>(
          organization_->slice_for(access.line, access.cluster, access.access_class));
    } else {
      const Location location = map_.locate(access.line);
      access.slice = static_cast<std::int16_t>(location.channel * map_.slices_per_channel() + location.slice);
    }
  }
  return output_of(static_cast<std::uint64_t>(access.slice));
}

int RouterStage::output_of(std::uint64_t target) const {
  return output_[target < output_.size() ? target : target % output_.size()];
}

unsigned RouterStage::debug(tlm::tlm_generic_payload& payload, int port) {
  int output = port;
  if (!bypassed_) {
    Access probe;
    if (const MemAttr* attr = payload.get_extension<MemAttr>()) probe = *attr;
    probe.line = payload.get_address() >> line_shift_ << line_shift_;
    output = route(probe, port);
  }
  return out_[static_cast<std::size_t>(output)]->debug(payload);
}

void RouterStage::count_time(Cycle now) {
  if (now <= counted_until_) return;
  stats_.cycles += now - counted_until_;
  if (bypassed_) stats_.gated_cycles += now - counted_until_;
  counted_until_ = now;
}

void RouterStage::settle(Cycle now) {
  count_time(now);
  const auto collect = [&](const CrossbarCore& core, int outputs, RouterStageStats::Network& network) {
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

void RouterStage::reset_stats() {
  settle(clock().now());
  requests_.reset_counters();
  replies_.reset_counters();
  stats_ = {};
}

Faults RouterStage::check_idle() const {
  Faults faults;
  requests_.check_idle(faults, "request");
  replies_.check_idle(faults, "reply");
  for (Fault& fault : faults) fault.message = std::string(name()) + ": " + fault.message;
  return faults;
}

std::vector<WaitNote> RouterStage::waits() const {
  std::vector<WaitNote> notes;
  for (int o = 0; o < params_.outputs; ++o) {
    if (!requests_.output_blocked(o)) continue;
    notes.push_back({"out[" + std::to_string(o) + "] (requests)", out_[static_cast<std::size_t>(o)]->peer(),
                     requests_.queued_flits(requests_.blocked_input(o)), requests_.capacity(),
                     requests_.oldest_for(o)});
  }
  for (int i = 0; i < params_.inputs; ++i) {
    if (!replies_.output_blocked(i)) continue;
    notes.push_back({"in[" + std::to_string(i) + "] (replies)", "",
                     replies_.queued_flits(replies_.blocked_input(i)), replies_.capacity(),
                     replies_.oldest_for(i)});
  }
  return notes;
}

}  // namespace strata
