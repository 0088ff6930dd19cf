#include "models/noc/router/router_stage.h"

#include <algorithm>

namespace strata {
namespace {

// `cycles` of this block's clock in cycles of the clock that the ledger counts.
Cycle in_ledger_cycles(const ClockDomain& clock, int cycles) {
  return clock.ledger_at(static_cast<Cycle>(cycles)) - clock.ledger_at(0);
}

int log2_of(std::uint64_t value) {
  return 63 - __builtin_clzll(value);
}

}  // namespace

RouterStage::RouterStage(sc_core::sc_module_name module_name, const RouterStageParams& params,
                         const BuildContext& context, int units)
    : Block(module_name, context.clock, units, context.place_as(Role::router)),
      places_{{{place_for(Cause::request_link), place_for(Cause::request_serial),
                place_for(Cause::request_router), place_for(Cause::request_queue)},
               {place_for(Cause::reply_link), place_for(Cause::reply_serial), place_for(Cause::reply_router),
                place_for(Cause::reply_queue)}}},
      routing_(make_routing(params, context.map)),
      bypassed_(params.bypass),
      by_slice_(params.route == RouterStageParams::Route::slice),
      params_(params),
      map_(context.map),
      organization_(*this, "organization", 0),
      control_(*this, "control", 0, *this) {
  for (int i = 0; i < params.inputs; ++i) in_.push_back(&in_ports_.emplace_back(*this, "in", i));
  for (int o = 0; o < params.outputs; ++o) out_.push_back(&out_ports_.emplace_back(*this, "out", o));
  ins_ = in_.data();
  outs_ = out_.data();
  for (unsigned mask = 0; mask < flits_.size(); ++mask)
    flits_[mask] = static_cast<std::uint8_t>(params.flits(__builtin_popcount(mask)));
  line_shift_ = static_cast<std::uint64_t>(log2_of(map_.line_bytes()));
  link_limit_ = in_ledger_cycles(clock(), params.link_latency);
  router_limit_ = in_ledger_cycles(clock(), params.shape(false, false).enter) - link_limit_;
  least_dwell_ = static_cast<std::int64_t>(link_limit_ + router_limit_);
}

void RouterStage::end_of_elaboration() {
  if (organization_.bound()) organization_->attach(reply_stage());
  const auto slower = [](const PortBase* port) { return port->meets_slower(); };
  meets_slower_ =
      std::any_of(in_.begin(), in_.end(), slower) || std::any_of(out_.begin(), out_.end(), slower);
}

void RouterStage::set_bypass(bool on) {
  if (!drained() || (on && params_.inputs != params_.outputs)) {
    SC_REPORT_ERROR(name(),
                    "a crossbar can be gated only when it is empty and has as many inputs as outputs");
    return;
  }
  count_time(clock().now());
  count_gated();
  bypassed_ = on;
  for (const bool reply : {false, true}) network(reply).reshape(params_.shape(reply, on));
}

std::string RouterStage::bypass_fault() const {
  if (params_.inputs == params_.outputs) return {};
  return "has " + std::to_string(params_.inputs) + " inputs and " + std::to_string(params_.outputs) +
         " outputs; bypass connects input i to output i, so it needs as many clusters as slices per "
         "controller";
}

ReplyStage RouterStage::reply_stage() const {
  const CrossbarConfig shape = params_.shape(true, false);
  ReplyStage stage;
  stage.routers = 1;
  stage.inputs = shape.inputs;
  stage.outputs = shape.outputs;
  stage.flits = params_.flits(static_cast<int>(map_.line_bytes() / sector_bytes));
  stage.vcs = shape.vcs;
  stage.vc_flits = shape.vc_flits;
  stage.in_bubble = shape.in_bubble;
  stage.out_bubble = shape.out_bubble;
  stage.credit_loop = 2 * shape.link + 3;  // as needs_flits()
  stage.iterations = shape.iterations;
  if (shape.voq) stage.vcs = shape.outputs;  // no packet waits behind one for another output
  return stage;
}

bool RouterStage::drained() const {
  return network(false).drained() && network(true).drained();
}

int RouterStage::partial_reply_flits(const Access& access) const {
  return carries_reply_data(access.access_class) ? flits_of_words(access) : params_.flits(0);
}

int RouterStage::flits_of_words(const Access& access) const {
  return params_.flits_of_bytes(access.sector_count() * static_cast<int>(sector_bytes) -
                                access.spare_words * static_cast<int>(word_bytes));
}

// The first stage on the way chooses the slice. Requests between SMs carry only the words of lanes.
void RouterStage::name_destination(Access& access) {
  if (!by_slice_) {
    if (params_.route == RouterStageParams::Route::sm && carries_request_data(access.access_class))
      access.flits = static_cast<std::uint8_t>(flits_of_words(access));
  } else if (organization_.bound()) {
    access.slice = static_cast<std::int16_t>(organization_->slice_for(access));
  } else {
    const Location location = map_.locate(access.line);
    access.slice = static_cast<std::int16_t>(location.channel * map_.slices_per_channel() + location.slice);
  }
}

unsigned RouterStage::debug(tlm::tlm_generic_payload& payload, int port) {
  int output = port;
  if (!bypassed_) {
    Access probe;
    if (const MemAttr* attr = payload.get_extension<MemAttr>()) probe = *attr;
    probe.line = payload.get_address() >> line_shift_ << line_shift_;
    if (by_slice_ && probe.slice == no_slice && organization_.bound())
      probe.slice = static_cast<std::int16_t>(organization_->slice_of(probe));
    if (by_slice_ && probe.slice == no_slice) name_destination(probe);
    output = routing_->route(probe, port).output;
  }
  return out_[static_cast<std::size_t>(output)]->debug(payload);
}

void RouterStage::count_time(Cycle now) {
  if (now <= counted_until_) return;
  stats_.cycles += now - counted_until_;
  if (bypassed_) stats_.gated_cycles += now - counted_until_;
  counted_until_ = now;
}

// A crossbar is empty when it is gated or powered: all flits counted since then used one of the two ways.
void RouterStage::count_gated() {
  for (const bool reply : {false, true}) {
    const std::uint64_t flits = network(reply).counters().flits_out;
    std::uint64_t& counted = counted_flits_[reply ? 1 : 0];
    if (bypassed_) (reply ? stats_.reply : stats_.request).gated_flits += flits - counted;
    counted = flits;
  }
}

void RouterStage::settle(Cycle now) {
  count_time(now);
  count_gated();
  for (const bool reply : {false, true}) {
    const Crossbar& crossbar = network(reply);
    RouterStageStats::Network& figures = reply ? stats_.reply : stats_.request;
    const int outputs = reply ? params_.inputs : params_.outputs;
    figures.counters = crossbar.counters();
    figures.busy_cycles = 0;
    figures.busy_cycles_max = 0;
    for (int o = 0; o < outputs; ++o) {
      figures.busy_cycles += crossbar.busy_cycles(o);
      figures.busy_cycles_max = std::max(figures.busy_cycles_max, crossbar.busy_cycles(o));
    }
    figures.port_cycles = stats_.cycles * static_cast<std::uint64_t>(outputs);
    figures.bytes_in = figures.counters.flits_in * static_cast<std::uint64_t>(params_.channel_bytes);
    figures.bytes_out = figures.counters.flits_out * static_cast<std::uint64_t>(params_.channel_bytes);
  }
}

void RouterStage::reset_stats() {
  settle(clock().now());
  for (const bool reply : {false, true}) network(reply).reset_counters();
  counted_flits_ = {};
  stats_ = {};
}

Faults RouterStage::check_idle() const {
  Faults faults;
  network(false).check_idle(faults, "request");
  network(true).check_idle(faults, "reply");
  for (Fault& fault : faults) fault.message = std::string(name()) + ": " + fault.message;
  return faults;
}

std::vector<WaitNote> RouterStage::waits() const {
  std::vector<WaitNote> notes;
  const auto note = [&](bool reply, int output, const std::string& what, const std::string& peer) {
    const Crossbar& crossbar = network(reply);
    if (const int input = crossbar.blocked_input(output); input >= 0)
      notes.push_back(
          {what, peer, crossbar.queued_flits(input), crossbar.capacity(), crossbar.oldest_for(output)});
  };
  for (int o = 0; o < params_.outputs; ++o)
    note(false, o, "out[" + std::to_string(o) + "] (requests)", out_[static_cast<std::size_t>(o)]->peer());
  for (int i = 0; i < params_.inputs; ++i) note(true, i, "in[" + std::to_string(i) + "] (replies)", "");
  return notes;
}

}  // namespace strata
