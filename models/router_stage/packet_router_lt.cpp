#include "models/router_stage/packet_router_lt.h"

#include <algorithm>

#include "models/router_stage/hop_network_hot.h"
#include "models/router_stage/router_stage_shell_hot.h"

namespace strata {
namespace {

int longest_packet(const RouterStageParams& params, const AddressMap& map) {
  return params.flits(static_cast<int>(map.line_bytes() / chunk_bytes));
}

}  // namespace

PacketRouterLt::PacketRouterLt(sc_core::sc_module_name module_name, const RouterStageParams& params,
                               const BuildContext& context)
    : RouterStageShell(module_name, params, context, params.inputs + params.outputs),
      requests_(params.shape(false, params.bypass), longest_packet(params, context.map)),
      replies_(params.shape(true, params.bypass), longest_packet(params, context.map)) {
  for (int i = 0; i < params.inputs; ++i) touches_first(unit<false>(i), requests_.state_of(i));
  for (int o = 0; o < params.outputs; ++o) touches_first(unit<true>(o), replies_.state_of(o));
}

void PacketRouterLt::end_of_elaboration() {
  RouterStageShell::end_of_elaboration();
  leads_ = {lead(false), lead(true)};
  for (const bool reply : {false, true}) {
    const Cycle routers = routers_charged(reply);
    ways_[reply ? 1 : 0] = {routers * link_limit_, routers * router_limit_, next_charges(reply)};
  }
  for (const InitiatorPort* port : out_) next_[0].push_back(next_of(port->direct_end(), port->peer_port()));
  for (const TargetPort* port : in_) next_[1].push_back(next_of(port->direct_end(), port->peer_port()));
}

PacketRouterLt::Next PacketRouterLt::next_of(Block* block, const PortBase* peer) {
  auto* router = dynamic_cast<PacketRouterLt*>(block);
  return {router, router == nullptr ? 0 : peer->index()};
}

const PacketRouterLt* PacketRouterLt::joined(const PortBase& port) const {
  const auto* router = dynamic_cast<const PacketRouterLt*>(port.other_end());
  return router != nullptr && &router->clock() == &clock() && router->place() == place() ? router : nullptr;
}

template <class Ports>
bool PacketRouterLt::all_joined(const Ports& ports) const {
  return std::all_of(ports.begin(), ports.end(), [&](const PortBase* port) { return joined(*port); });
}

// Cycles before its earliest sending in which a packet is known here at the latest.
Cycle PacketRouterLt::lead(bool reply) const {
  if (asked_) return 0;
  Cycle before = never;
  asked_ = true;
  const auto ask = [&](const PortBase& port) {
    const Block* const block = port.other_end();
    const bool same = block != nullptr && &block->clock() == &clock();
    before = std::min(before, same ? block->lead(reply) : 0);
  };
  if (reply) {
    for (const InitiatorPort* port : out_) ask(*port);
  } else {
    for (const TargetPort* port : in_) ask(*port);
  }
  asked_ = false;
  return before + static_cast<Cycle>(params().shape(reply, false).enter);
}

// The routers of a network on whose links and pipelines a packet has spent time that this one charges.
Cycle PacketRouterLt::routers_charged(bool reply) const {
  const PortBase* const before = reply ? static_cast<const PortBase*>(out_[0]) : in_[0];
  if (!(reply ? all_joined(out_) : all_joined(in_))) return 1;
  return joined(*before)->routers_charged(reply) + 1;
}

bool PacketRouterLt::next_charges(bool reply) const {
  const auto charges = [&](const PortBase* port) {
    const PacketRouterLt* const next = joined(*port);
    return next != nullptr && (reply ? next->all_joined(next->out_) : next->all_joined(next->in_));
  };
  return reply ? std::all_of(in_.begin(), in_.end(), charges)
               : std::all_of(out_.begin(), out_.end(), charges);
}

// Cycles since the last charge, here or in routers before this one: up to the latency of their links are the
// links', up to that of their pipelines the routers', the rest is waiting.
template <bool reply>
[[gnu::always_inline]] inline void PacketRouterLt::charge_way(Ledger& ledger, Cycle now) const {
  const Way& way = ways_[reply ? 1 : 0];
  if (way.next_charges) return;
  const RouterPlaces& places = places_[reply ? 1 : 0];
  const Cycle mark = ledger.mark();
  const Cycle end = std::max(mark, now);
  ledger.charge(places.link, std::min(mark + way.link, end));
  ledger.charge_split(places.router, way.router, places.queue, end);
}

template <bool reply>
Accept PacketRouterLt::take(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  HopNetwork& network = hops<reply>();
  const int output = enter<reply>(access, port);
  const Cycle head = without_gaps<reply>(access, port, at);
  const Cycle now = clock().now();
  const Cycle begin = network.fly(access, port, output, head, now, leads_[reply ? 1 : 0]);
  if (begin == never) {
    const Cycle free = network.arrive(access, port, output, head);
    if (network.head(port) == &access) pass<reply>(port, now);
    return free == never ? Accept::held() : Accept::taken(free);
  }
  const CrossbarGrant grant{&access, static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(output),
                            access.flits};
  const Accept accept = send<reply>(grant, begin);
  if (accept.is_held()) {
    network.held_flying(grant, begin);
  } else if (!reply && accept.is_done()) {
    network.flown(grant, begin, begin);
    answered_at_once(access, output, accept.at);
  } else {
    network.flown(grant, begin, accept.at);
  }
  return Accept::taken(head + static_cast<Cycle>(grant.flits));
}

template <bool reply>
[[gnu::always_inline]] inline Accept PacketRouterLt::send(const CrossbarGrant& grant, Cycle at) {
  Access& access = *grant.access;
  charge_way<reply>(access.ledger, clock().ledger_at(at));
  const Next& next = next_[reply ? 1 : 0][grant.output];
  if (next.router != nullptr) {
    const Accept accept = next.router->take<reply>(Txn::of(access), next.port, at);
    if (accept.is_held())
      reply ? in_[grant.output]->note_held(Txn::of(access)) : out_[grant.output]->note_held(Txn::of(access));
    return accept;
  }
  return reply ? in_[grant.output]->respond(Txn::of(access), at)
               : out_[grant.output]->send(Txn::of(access), at);
}

// The packets of an input whose time has come are sent; the next one gets its turn.
template <bool reply>
void PacketRouterLt::pass(int input, Cycle now) {
  HopNetwork& network = hops<reply>();
  const Cycle lead = leads_[reply ? 1 : 0];
  while (const Access* head = network.head(input)) {
    if (head->ready > now + lead) return book(head->ready - lead, unit<reply>(input));
    const Cycle at = network.bid(input, now);
    if (at == never) return;
    const CrossbarGrant grant = network.take(input);
    const Accept accept = send<reply>(grant, at);
    if (accept.is_held()) return network.held(grant, at);
    const bool answered = !reply && accept.is_done();
    const CrossbarRelease release = network.sent(grant, at, answered ? at : accept.at);
    if (answered) answered_at_once(*grant.access, grant.output, accept.at);
    wake_waiting<reply>(grant.output, now);
    end_hold(reply, release);
  }
}

template <bool reply>
void PacketRouterLt::wake_waiting(int output, Cycle now) {
  const int input = hops<reply>().next_waiting(output);
  if (input >= 0) book(now, unit<reply>(input));
}

// Called while others run: what follows gets its turn in the agenda.
template <bool reply>
void PacketRouterLt::unblock(int port, Cycle at) {
  HopNetwork& network = hops<reply>();
  if (!network.is_blocked(port)) return;
  const CrossbarRelease release = network.unblock(port, at);
  const Cycle now = clock().now();
  const int input = network.input_of(port);
  if (network.head(input) != nullptr) book(now, unit<reply>(input));
  wake_waiting<reply>(port, now);
  end_hold(reply, release);
}

// The answer came with the request and cannot be held: it enters the reply network beyond its capacity. It
// leaves in a turn of its own: who sent the request is still in its call.
void PacketRouterLt::answered_at_once(Access& access, int output, Cycle at) {
  ++stats_.completed_early;
  const int back = enter<true>(access, output);
  replies_.arrive(access, output, back, without_gaps<true>(access, output, at), true);
  if (replies_.head(output) == &access) book(clock().now(), unit<true>(output));
}

void PacketRouterLt::advance(Cycle now, int unit) {
  const int inputs = static_cast<int>(in_.size());
  unit < inputs ? pass<false>(unit, now) : pass<true>(unit - inputs, now);
}

}  // namespace strata
