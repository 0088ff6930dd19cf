#include "models/router_stage/flit_router.h"

#include <algorithm>
#include <string>

#include "models/router_stage/router_stage_shell_hot.h"

namespace strata {

template <class Base>
FlitRouter<Base>::Network::Network(FlitRouter& owner, bool is_reply)
    : router(owner),
      reply(is_reply),
      crossbar(owner.params().shape(is_reply, false), *this),
      downstream(static_cast<std::size_t>(is_reply ? owner.params().inputs : owner.params().outputs)),
      upstream(static_cast<std::size_t>(is_reply ? owner.params().outputs : owner.params().inputs)) {}

template <class Base>
void FlitRouter<Base>::Network::forward_flit(int output, int vc, Cycle at) {
  const End& to = downstream[static_cast<std::size_t>(output)];
  to.network->crossbar.flit_sent(to.port, vc, at);
  to.network->wake_for_events();
}

template <class Base>
void FlitRouter<Base>::Network::return_credit(int input, int vc, Cycle at) {
  const End& to = upstream[static_cast<std::size_t>(input)];
  to.network->crossbar.credit_returned(to.port, vc, at);
  to.network->wake_for_events();
}

template <class Base>
void FlitRouter<Base>::Network::link(int output, Network& next, int input, int vc_flits) {
  crossbar.link_output(output, vc_flits);
  next.crossbar.link_input(input);
  downstream[static_cast<std::size_t>(output)] = {&next, input};
  next.upstream[static_cast<std::size_t>(input)] = {this, output};
}

template <class Base>
void FlitRouter<Base>::Network::wake_for_events() {
  router.wake(crossbar.next_event(), reply ? Base::reply_unit : Base::request_unit);
}

template <class Base>
FlitRouter<Base>::FlitRouter(sc_core::sc_module_name module_name, const RouterStageParams& params,
                             const BuildContext& context)
    : Base(module_name, params, context), requests_(*this, false), replies_(*this, true) {
  for (std::size_t flits = 1; flits < ledger_tail_.size(); ++flits)
    ledger_tail_[flits] = clock().ledger_at(flits - 1) - clock().ledger_at(0);
  if (params.bypass) this->set_bypass(true);
}

template <class Base>
void FlitRouter<Base>::end_of_elaboration() {
  Base::end_of_elaboration();
  const RouterStageParams& own = this->params();
  for (int o = 0; o < own.outputs; ++o) {
    const PortBase* peer = this->out(o).peer_port();
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

template <class Base>
Accept FlitRouter<Base>::request(Txn& txn, int port, Cycle at) {
  return take(requests_, txn.access(), port, this->template enter<false>(txn.access(), port), at);
}

template <class Base>
Accept FlitRouter<Base>::response(Txn& txn, int port, Cycle at) {
  return take(replies_, txn.access(), port, this->template enter<true>(txn.access(), port), at);
}

// A head from a linked stage: its VC has been allocated there and is named by the tag.
template <class Base>
Accept FlitRouter<Base>::take(Network& network, Access& access, int port, int output, Cycle at) {
  if (network.crossbar.input_linked(port)) {
    network.crossbar.arrive_linked(access, port, output, access.tag, at);
    network.wake_for_events();
    return Accept::taken(at + 1);
  }
  const Cycle head = network.reply ? this->template without_gaps<true>(access, port, at)
                                   : this->template without_gaps<false>(access, port, at);
  const CrossbarEntry entry = network.crossbar.arrive(access, port, output, head, clock().now());
  this->wake(entry.due, network.reply ? Base::reply_unit : Base::request_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

template <class Base>
void FlitRouter<Base>::unblock(Network& network, int port, Cycle at) {
  network.crossbar.unblock(port, at, clock().now());
  network.wake_for_events();
}

template <class Base>
void FlitRouter<Base>::advance(Cycle now, int agenda) {
  if (agenda == 0) return this->present(now);
  const int unit = agenda - 1;
  this->booked_[static_cast<std::size_t>(unit)] = never;
  this->ledger_now_ = clock().ledger_at(now);
  run(unit == Base::reply_unit ? replies_ : requests_, now);
}

template <class Base>
void FlitRouter<Base>::run(Network& network, Cycle now) {
  const std::size_t granted = network.crossbar.arbitrate(now);
  // Before the packets go on: a transaction may end in their next hop.
  for (const CrossbarRelease& release : network.crossbar.releases()) this->end_hold(network.reply, release);
  network.crossbar.clear_releases();
  for (std::size_t i = 0; i < granted; ++i) send(network, network.crossbar.granted(i), now);
  this->wake(network.crossbar.next_due(now), network.reply ? Base::reply_unit : Base::request_unit);
}

template <class Base>
void FlitRouter<Base>::send(Network& network, const CrossbarGrant& grant, Cycle now) {
  Access& access = *grant.access;
  const bool linked = network.crossbar.output_linked(grant.output);
  charge(access, network.reply, !linked);
  if (linked)
    access.tag = grant.vc;
  else
    access.flits = 1;
  Txn& txn = Txn::of(access);
  const Accept accept =
      network.reply ? this->in_[grant.output]->respond(txn) : this->out_[grant.output]->send(txn);
  if (accept.is_held()) return network.crossbar.held(grant, now);
  network.crossbar.sent(grant, accept.is_done() ? now + 1 : accept.at, now);
  if (accept.is_done()) force_reply(access, grant.output, accept.at, now);
}

// `whole`: the packet is handed over when its tail is there, and whoever takes it waits for no more flits.
template <class Base>
void FlitRouter<Base>::charge(Access& access, bool reply, bool whole) const {
  Ledger& ledger = access.ledger;
  const Cycle end = std::max(ledger.mark(), this->ledger_now_);
  const RouterPlaces& places = this->places_[reply ? 1 : 0];
  const auto spend = [&](Place place, Cycle limit) {
    ledger.charge(place, std::min(ledger.mark() + limit, end));
  };
  spend(places.link, this->link_limit_);
  spend(places.router, this->router_limit_);
  if (whole) spend(places.serial, ledger_tail_[access.flits]);
  ledger.charge(places.queue, end);
}

// The answer came with the request and cannot be held: it enters the reply network beyond its capacity.
template <class Base>
void FlitRouter<Base>::force_reply(Access& access, int output, Cycle at, Cycle now) {
  ++this->stats_.completed_early;
  const int back = this->template enter<true>(access, output);
  const Cycle head = this->template without_gaps<true>(access, output, at);
  this->wake(replies_.crossbar.force(access, output, back, head, now).due, Base::reply_unit);
}

template class FlitRouter<RouterStageShell<AtLinks>>;
template class FlitRouter<RouterStageLt>;

}  // namespace strata
