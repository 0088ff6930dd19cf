#include "models/router_stage/packet_router_at.h"

#include <type_traits>

#include "models/router_stage/packet_crossbar_hot.h"
#include "models/router_stage/router_stage_shell_hot.h"

namespace strata {

template <class Network>
PacketRouter<Network>::PacketRouter(sc_core::sc_module_name module_name, const RouterStageParams& params,
                                    const BuildContext& context)
    : RouterStageShell(module_name, params, context),
      requests_(params.shape(false, params.bypass)),
      replies_(params.shape(true, params.bypass)) {
  visited_by<PacketRouter, &PacketRouter::run<false>>(request_unit);
  visited_by<PacketRouter, &PacketRouter::run<true>>(reply_unit);
}

template <class Network>
template <bool reply>
[[gnu::always_inline]] inline Accept PacketRouter<Network>::take(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const Cycle now = clock().now();
  const int output = enter<reply>(access, port);
  const Cycle head = without_gaps<reply>(access, port, at);
  const CrossbarEntry entry = crossbar<reply>().arrive(access, port, output, head, now);
  wake(entry.due, reply ? reply_unit : request_unit);
  return entry.taken() ? Accept::taken(entry.at) : Accept::held();
}

template <class Network>
Accept PacketRouter<Network>::request(Txn& txn, int port, Cycle at) {
  return take<false>(txn, port, at);
}

template <class Network>
Accept PacketRouter<Network>::response(Txn& txn, int port, Cycle at) {
  return take<true>(txn, port, at);
}

template <class Network>
template <bool reply>
void PacketRouter<Network>::unblock(int port, Cycle at) {
  const Cycle now = clock().now();
  const CrossbarRelease release = crossbar<reply>().unblock(port, at, now);
  wake(crossbar<reply>().next_due(now), reply ? reply_unit : request_unit);
  end_hold(reply, release);
}

template <class Network>
template <bool reply>
[[gnu::always_inline]] inline void PacketRouter<Network>::send(Network& network, const CrossbarGrant& grant,
                                                               Cycle now) {
  Access& access = *grant.access;
  charge<reply>(access);
  const Accept accept = reply ? in_[grant.output]->respond_now(Txn::of(access), now)
                              : out_[grant.output]->send_now(Txn::of(access), now);
  if (accept.is_held()) return network.held(grant, now);
  const bool answered = !reply && accept.is_done();
  const CrossbarRelease release = network.sent(grant, answered ? now : accept.at, now);
  if (answered) answered_at_once(access, grant.output, accept.at, now);
  end_hold(reply, release);
}

template <class Network>
template <bool reply>
void PacketRouter<Network>::run(Cycle now) {
  Network& network = crossbar<reply>();
  constexpr std::size_t unit = reply ? reply_unit : request_unit;
  ledger_now_ = clock().ledger_at(now);
  booked_[unit] = never;
  if constexpr (std::is_same_v<Network, PacketCrossbar>) {
    PacketCrossbar::Grants grants;
    const std::size_t granted = network.arbitrate(now, grants);
    for (std::size_t i = 0; i < granted; ++i) send<reply>(network, grants[i], now);
  } else {  // what becomes of a packet decides on the one behind it
    network.begin(now);
    for (CrossbarGrant grant; network.next(now, grant);) send<reply>(network, grant, now);
  }
  const Cycle due = network.next_due(now);
  if (due >= booked_[unit]) return;
  booked_[unit] = due;
  book_again(due, unit);
}

// The answer came with the request and cannot be held: it enters the reply network beyond its capacity.
template <class Network>
void PacketRouter<Network>::answered_at_once(Access& access, int output, Cycle at, Cycle now) {
  ++stats_.completed_early;
  const int back = enter<true>(access, output);
  const Cycle head = without_gaps<true>(access, output, at);
  const CrossbarEntry entry = replies_.force(access, output, back, head, now);
  wake(entry.due, reply_unit);
}

template <class Network>
void PacketRouter<Network>::advance(Cycle now, int unit) {
  unit == reply_unit ? run<true>(now) : run<false>(now);
}

template class PacketRouter<PacketCrossbar>;
template class PacketRouter<SpedUpCrossbar>;

}  // namespace strata
