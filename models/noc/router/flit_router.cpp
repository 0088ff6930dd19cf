#include "models/noc/router/flit_router.h"

#include <algorithm>
#include <string>

#include "models/noc/router/router_stage.h"

namespace strata {

FlitRouter::Network::Network(FlitRouter& owner, bool is_reply)
    : router(owner),
      reply(is_reply),
      crossbar(owner.params().shape(is_reply, false), *this),
      downstream(static_cast<std::size_t>(is_reply ? owner.params().inputs : owner.params().outputs)),
      upstream(static_cast<std::size_t>(is_reply ? owner.params().outputs : owner.params().inputs)) {}

void FlitRouter::Network::forward_flit(int output, int vc, Cycle at) {
  const End& to = downstream[static_cast<std::size_t>(output)];
  to.network->crossbar.flit_sent(to.port, vc, at);
  to.network->wake_for_events();
}

void FlitRouter::Network::return_credit(int input, int vc, Cycle at) {
  const End& to = upstream[static_cast<std::size_t>(input)];
  to.network->crossbar.credit_returned(to.port, vc, at);
  to.network->wake_for_events();
}

void FlitRouter::Network::link(int output, Network& next, int input, int vc_flits) {
  crossbar.link_output(output, vc_flits);
  next.crossbar.link_input(input);
  downstream[static_cast<std::size_t>(output)] = {&next, input};
  next.upstream[static_cast<std::size_t>(input)] = {this, output};
}

void FlitRouter::Network::wake_for_events() {
  router.wake(crossbar.next_event(), reply ? reply_unit : request_unit);
}

FlitRouter::FlitRouter(sc_core::sc_module_name module_name, const RouterStageParams& params,
                       const BuildContext& context)
    : RouterStage(module_name, params, context), requests_(*this, false), replies_(*this, true) {
  for (std::size_t flits = 1; flits < ledger_tail_.size(); ++flits)
    ledger_tail_[flits] = clock().ledger_at(flits - 1) - clock().ledger_at(0);
  if (params.bypass) set_bypass(true);
}

void FlitRouter::end_of_elaboration() {
  RouterStage::end_of_elaboration();
  const RouterStageParams& own = params();
  for (int o = 0; o < own.outputs; ++o) {
    const PortBase* peer = out(o).peer_port();
    auto* stage = peer == nullptr ? nullptr : dynamic_cast<FlitRouter*>(&peer->owner());
    if (stage == nullptr || &stage->clock() != &clock()) continue;
    const RouterStageParams& other = stage->params();
    const bool alike = other.vcs == own.vcs && own.queues == RouterStageParams::Queues::fifo &&
                       other.queues == RouterStageParams::Queues::fifo;
    if (!alike) continue;
    const int input = peer->index();
    requests_.link(o, stage->requests_, input, other.vc_flits);
    stage->replies_.link(input, replies_, o, own.vc_flits);
  }
}

Accept FlitRouter::request(Txn& txn, int port, Cycle at) {
  return take(requests_, txn.access(), port, enter<false>(txn.access(), port), at);
}

Accept FlitRouter::response(Txn& txn, int port, Cycle at) {
  return take(replies_, txn.access(), port, enter<true>(txn.access(), port), at);
}

// A head from a linked stage: that stage has allocated its VC, which the tag names.
Accept FlitRouter::take(Network& network, Access& access, int port, RouteStep step, Cycle at) {
  if (network.crossbar.input_linked(port)) {
    network.crossbar.arrive_linked(access, port, step, access.tag, at);
    network.wake_for_events();
    return Accept::taken(at + 1);
  }
  const Cycle head = network.reply ? dense<true>(access, port, at) : dense<false>(access, port, at);
  const CrossbarEntry entry = network.crossbar.arrive(access, port, step, head, clock().now());
  wake(entry.due, network.reply ? reply_unit : request_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

void FlitRouter::unblock(Network& network, int port, Cycle at) {
  network.crossbar.unblock(port, at, clock().now());
  network.wake_for_events();
}

void FlitRouter::advance(Cycle now, int unit) {
  booked_[static_cast<std::size_t>(unit)] = never;
  ledger_now_ = clock().ledger_at(now);
  run(unit == reply_unit ? replies_ : requests_, now);
}

void FlitRouter::run(Network& network, Cycle now) {
  const std::size_t granted = network.crossbar.arbitrate(now);
  // Called before the packets go on, because a transaction may end in their next hop.
  for (const CrossbarRelease& release : network.crossbar.releases()) end_hold(network.reply, release);
  network.crossbar.clear_releases();
  for (std::size_t i = 0; i < granted; ++i) send(network, network.crossbar.granted(i), now);
  wake(network.crossbar.next_due(now), network.reply ? reply_unit : request_unit);
}

void FlitRouter::send(Network& network, const CrossbarGrant& grant, Cycle now) {
  Access& access = *grant.access;
  const bool linked = network.crossbar.output_linked(grant.output);
  charge(access, network.reply, !linked);
  if (linked)
    access.tag = grant.vc;
  else
    access.flits = 1;
  Txn& txn = Txn::of(access);
  const Accept accept = network.reply ? in_[grant.output]->respond(txn) : out_[grant.output]->send(txn);
  if (accept.is_held()) return network.crossbar.held(grant, now);
  network.crossbar.sent(grant, accept.is_done() ? now + 1 : accept.at, now);
  if (accept.is_done()) force_reply(access, grant.output, accept.at, now);
}

// `whole`: the packet is handed over when its tail has arrived; the receiver waits for no more flits.
void FlitRouter::charge(Access& access, bool reply, bool whole) const {
  Ledger& ledger = access.ledger;
  const Cycle end = std::max(ledger.mark(), ledger_now_);
  const RouterPlaces& places = places_[reply ? 1 : 0];
  const auto spend = [&](Place place, Cycle limit) {
    ledger.charge(place, std::min(ledger.mark() + limit, end));
  };
  spend(places.link, link_limit_);
  spend(places.router, router_limit_);
  if (whole) spend(places.serial, ledger_tail_[access.flits]);
  ledger.charge(places.queue, end);
}

// A reply that came with its request cannot be held: it enters the reply network beyond its capacity.
void FlitRouter::force_reply(Access& access, int output, Cycle at, Cycle now) {
  ++stats_.completed_early;
  const RouteStep back = enter<true>(access, output);
  const Cycle head = dense<true>(access, output, at);
  wake(replies_.crossbar.force(access, output, back, head, now).due, reply_unit);
}

}  // namespace strata
