// The part of a router stage that carries flits: see FlitCrossbar.
#include <algorithm>
#include <string>

#include "models/router_stage/router_stage_hot.h"

namespace strata {

template <class Links>
void RouterStageShell<Links>::Link::forward_flit(int output, int vc, Cycle at) {
  const auto port = static_cast<std::size_t>(output);
  const Neighbour& to = reply_ ? stage_.before_[port] : stage_.behind_[port];
  Network& network = reply_ ? to.stage->replies_ : to.stage->requests_;
  network.flits->flit_sent(to.port, vc, at);
  to.stage->wake_flits(reply_);
}

template <class Links>
void RouterStageShell<Links>::Link::return_credit(int input, int vc, Cycle at) {
  const auto port = static_cast<std::size_t>(input);
  const Neighbour& to = reply_ ? stage_.behind_[port] : stage_.before_[port];
  Network& network = reply_ ? to.stage->replies_ : to.stage->requests_;
  network.flits->credit_returned(to.port, vc, at);
  to.stage->wake_flits(reply_);
}

template <class Links>
void RouterStageShell<Links>::wake_flits(bool reply) {
  const FlitCrossbar& core = reply ? *replies_.flits : *requests_.flits;
  wake(core.next_event(clock().now()), reply ? reply_unit : request_unit);
}

template <class Links>
void RouterStageShell<Links>::end_of_elaboration() {
  Links::Base::end_of_elaboration();
  before_.resize(static_cast<std::size_t>(params_.inputs));
  behind_.resize(static_cast<std::size_t>(params_.outputs));
  if (requests_.flits != nullptr) link_neighbours();
  if (organization_.bound()) organization_->introduce(reply_stage());
}

// Where the stage behind an output is flit-exact too, flits and credits go there directly, beside the
// transactions of the heads.
template <class Links>
void RouterStageShell<Links>::link_neighbours() {
  for (int o = 0; o < params_.outputs; ++o) {
    const std::string peer = out_[static_cast<std::size_t>(o)]->peer();
    sc_core::sc_object* socket = sc_core::sc_find_object(peer.c_str());
    auto* stage = socket == nullptr ? nullptr : dynamic_cast<RouterStageShell*>(socket->get_parent_object());
    if (stage == nullptr || stage->requests_.flits == nullptr || &stage->clock() != &clock()) continue;
    const RouterStageParams& other = stage->params_;
    const bool alike = other.vcs == params_.vcs && params_.queues == RouterStageParams::Queues::fifo &&
                       other.queues == RouterStageParams::Queues::fifo;
    if (!alike) continue;
    const int input = std::stoi(peer.substr(peer.rfind('_') + 1));  // sockets are named group_index
    stage->before_.resize(static_cast<std::size_t>(other.inputs));
    stage->before_[static_cast<std::size_t>(input)] = {this, o};
    behind_[static_cast<std::size_t>(o)] = {stage, input};
    requests_.flits->link_output(o, other.vc_flits);
    stage->requests_.flits->link_input(input);
    stage->replies_.flits->link_output(input, params_.vc_flits);
    replies_.flits->link_input(o);
  }
}

// A head from a linked stage: its VC has been allocated there and is named by the tag.
template <class Links>
Accept RouterStageShell<Links>::take_flits(bool reply, Access& access, int port, int output, Cycle at) {
  FlitCrossbar& core = reply ? *replies_.flits : *requests_.flits;
  if (core.input_linked(port)) {
    core.arrive_linked(access, port, output, access.tag, at);
    wake_flits(reply);
    return Accept::taken(at + 1);
  }
  const CrossbarEntry entry = core.arrive(access, port, output, at, clock().now());
  wake(entry.due, reply ? reply_unit : request_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

// The answer came with the request and cannot be held: it enters the reply network beyond its capacity.
template <class Links>
void RouterStageShell<Links>::force_reply(Access& access, int output, Cycle at, Cycle now) {
  ++stats_.completed_early;
  const int back = enter_reply(access);
  wake(replies_.flits->force(access, output, back, at, now).due, reply_unit);
}

template <class Links>
void RouterStageShell<Links>::run_flits(bool reply, Cycle now) {
  FlitCrossbar& core = reply ? *replies_.flits : *requests_.flits;
  const std::size_t granted = core.arbitrate(now);
  end_holds(core, reply);  // before the packets go on: a transaction may end in their next hop
  for (std::size_t i = 0; i < granted; ++i) send_packet(core, core.granted(i), reply, now);
  wake(core.next_due(now), reply ? reply_unit : request_unit);
}

template <class Links>
void RouterStageShell<Links>::send_packet(FlitCrossbar& core, const CrossbarGrant& grant, bool reply,
                                          Cycle now) {
  Access& access = *grant.access;
  Ledger& ledger = access.ledger;
  const Cycle end = std::max(ledger.mark(), ledger_now_);
  ledger.charge(reply ? Cause::reply_link : Cause::request_link, std::min(ledger.mark() + link_limit_, end));
  const bool linked = core.output_linked(grant.output);
  Cycle router = std::min(ledger.mark() + router_limit_, end);
  ledger.charge(reply ? Cause::reply_router : Cause::request_router, router);
  if (linked) {
    access.tag = grant.vc;
  } else {
    // The packet is handed over when its tail is there: whoever takes it waits for no more flits.
    const Cycle tail = ledger_tail_[access.flits];
    ledger.charge(reply ? Cause::reply_serial : Cause::request_serial, std::min(ledger.mark() + tail, end));
    access.flits = 1;
  }
  ledger.charge(reply ? Cause::reply_queue : Cause::request_queue, end);
  Txn& txn = Txn::of(access);
  const Accept accept = reply ? in_[grant.output]->respond(txn) : out_[grant.output]->send(txn);
  if (accept.is_held()) {
    core.held(grant, now);
    return;
  }
  core.sent(grant, accept.is_done() ? now + 1 : accept.at, now);
  if (accept.is_done()) force_reply(access, grant.output, accept.at, now);
}

template <class Links>
void RouterStageShell<Links>::end_holds(FlitCrossbar& core, bool reply) {
  for (const CrossbarRelease& release : core.releases()) {
    const auto port = static_cast<std::size_t>(release.input);
    if (reply)
      out_[port]->accept(release.until);
    else
      in_[port]->accept(release.until);
  }
  core.clear_releases();
}

template <class Links>
void RouterStageShell<Links>::unblock_flits(bool reply, int port, Cycle at) {
  FlitCrossbar& core = reply ? *replies_.flits : *requests_.flits;
  core.unblock(port, at, clock().now());
  wake_flits(reply);
}

template class RouterStageShell<AtLinks>;
template class RouterStageShell<LtLinks>;

}  // namespace strata
