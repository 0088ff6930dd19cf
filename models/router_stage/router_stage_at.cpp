#include "models/router_stage/packet_crossbar_hot.h"
#include "models/router_stage/router_stage_hot.h"

namespace strata {

Accept RouterStage::request(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const Cycle now = clock().now();
  const int output = enter_request(access, port);
  if (flit_exact_) return take_flits(false, access, port, output, at);
  const CrossbarEntry entry = requests_.packets.arrive(access, port, output, at, now);
  wake(entry.due, request_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

Accept RouterStage::response(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const Cycle now = clock().now();
  const int output = enter_reply(access);
  if (flit_exact_) return take_flits(true, access, port, output, at);
  const CrossbarEntry entry = replies_.packets.arrive(access, port, output, at, now);
  wake(entry.due, reply_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

void RouterStage::request_unblocked(int port, Cycle at) {
  if (flit_exact_) return unblock_flits(false, port, at);
  const Cycle now = clock().now();
  const CrossbarRelease release = requests_.packets.unblock(port, at, now);
  wake(requests_.packets.next_due(now), request_unit);
  if (release.input >= 0) in_[static_cast<std::size_t>(release.input)]->accept(release.until);
}

void RouterStage::response_unblocked(int port, Cycle at) {
  if (flit_exact_) return unblock_flits(true, port, at);
  const Cycle now = clock().now();
  const CrossbarRelease release = replies_.packets.unblock(port, at, now);
  wake(replies_.packets.next_due(now), reply_unit);
  if (release.input >= 0) out_[static_cast<std::size_t>(release.input)]->accept(release.until);
}

[[gnu::always_inline]] inline void RouterStage::run_requests(PacketCrossbar& core, Cycle now) {
  PacketCrossbar::Grants grants;
  const std::size_t granted = core.arbitrate(now, grants);
  for (std::size_t i = 0; i < granted; ++i) {
    const CrossbarGrant& grant = grants[i];
    charge(*grant.access, Cause::request_link, Cause::request_router, Cause::request_queue);
    const Accept accept = out_[grant.output]->send(Txn::of(*grant.access));
    if (accept.is_held()) {
      core.held(grant, now);
      continue;
    }
    const CrossbarRelease release = core.sent(grant, accept.is_done() ? now : accept.at, now);
    if (accept.is_done()) answered_at_once(*grant.access, grant.output, accept.at, now);
    if (release.input >= 0) in_[static_cast<std::size_t>(release.input)]->accept(release.until);
  }
  wake(core.next_due(now), request_unit);
}

// The answer came with the request and cannot be held: it enters the reply network beyond its capacity.
void RouterStage::answered_at_once(Access& access, int output, Cycle at, Cycle now) {
  ++stats_.completed_early;
  const int back = enter_reply(access);
  const CrossbarEntry entry = replies_.packets.force(access, output, back, at, now);
  wake(entry.due, reply_unit);
}

[[gnu::always_inline]] inline void RouterStage::run_replies(PacketCrossbar& core, Cycle now) {
  PacketCrossbar::Grants grants;
  const std::size_t granted = core.arbitrate(now, grants);
  for (std::size_t i = 0; i < granted; ++i) {
    const CrossbarGrant& grant = grants[i];
    charge(*grant.access, Cause::reply_link, Cause::reply_router, Cause::reply_queue);
    const Accept accept = in_[grant.output]->respond(Txn::of(*grant.access));
    if (accept.is_held()) {
      core.held(grant, now);
      continue;
    }
    const CrossbarRelease release = core.sent(grant, accept.at, now);
    if (release.input >= 0) out_[static_cast<std::size_t>(release.input)]->accept(release.until);
  }
  wake(core.next_due(now), reply_unit);
}

void RouterStage::advance(Cycle now, int agenda) {
  if (agenda == 0) return;  // nothing is announced in at
  const int unit = agenda - 1;
  ledger_now_ = clock().ledger_at(now);
  booked_[static_cast<std::size_t>(unit)] = never;
  Network& network = unit == request_unit ? requests_ : replies_;
  if (flit_exact_) {
    run_flits(unit == reply_unit, now);
  } else if (unit == request_unit) {
    run_requests(network.packets, now);
  } else {
    run_replies(network.packets, now);
  }
}

}  // namespace strata
