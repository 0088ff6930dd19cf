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
    : RouterStageShell(module_name, params, context, 1),
      requests_(params.shape(false, params.bypass), longest_packet(params, context.map), *this),
      replies_(params.shape(true, params.bypass), longest_packet(params, context.map), *this),
      turns_(turns_of(context, *this)) {}

// Those of the name that are in lt share one, whatever else the others share.
std::shared_ptr<HopTurns> PacketRouterLt::turns_of(const BuildContext& context, PacketRouterLt& router) {
  if (context.shared == nullptr) return std::make_shared<HopTurns>(router);
  if (*context.shared == nullptr) *context.shared = std::make_shared<HopTurns>(router);
  return std::static_pointer_cast<HopTurns>(*context.shared);
}

void PacketRouterLt::end_of_elaboration() {
  RouterStageShell::end_of_elaboration();
  for (const InitiatorPort* port : out_) next_[0].push_back(neighbour(port->direct_end(), port->peer_port()));
  for (const TargetPort* port : in_) next_[1].push_back(neighbour(port->direct_end(), port->peer_port()));
}

PacketRouterLt::Neighbour PacketRouterLt::neighbour(Block* block, const PortBase* peer) {
  auto* router = dynamic_cast<PacketRouterLt*>(block);
  return {router, router == nullptr ? 0 : peer->index()};
}

[[gnu::always_inline]] inline void PacketRouterLt::give_turn(HopInput& in, Cycle cycle) {
  const Cycle first = clock().now() + (clock().running() ? 1 : 0);
  cycle = std::clamp(cycle, first, first + HopTurns::horizon - 1);
  turns_->put(in, cycle);
  turns_->driver.wake(cycle, 0);
}

template <bool reply>
Cycle PacketRouterLt::take(Access& access, int port, Cycle at) {
  const int output = enter<reply>(access, port);
  HopNetwork& network = hops<reply>();
  HopInput& in = network.input(port);
  const Cycle end = network.arrive(access, in, output, without_gaps<reply>(access, port, at));
  if (in.head == &access && !in.waits) give_turn(in, in.earliest());
  return end;
}

// The packet at the head of an input is sent, unless its output is blocked.
template <bool reply>
void PacketRouterLt::pass(HopInput& in, Cycle now) {
  const Cycle ready = in.earliest();
  if (ready > now) return give_turn(in, ready);  // it has come late, or lay beyond the horizon
  HopNetwork& network = hops<reply>();
  const Cycle at = network.bid(in, now);
  if (at == never) return;
  Access& access = network.take(in);
  const int output = access.tag;
  const int flits = access.flits;
  ledger_now_ = clock().ledger_at(at);
  charge<reply>(access);
  const Neighbour& next = next_[reply ? 1 : 0][static_cast<std::size_t>(output)];
  Cycle free = at;
  if (next.router != nullptr) {
    free = next.router->take<reply>(access, next.port, at);
  } else {
    Txn& txn = Txn::of(access);
    const auto port = static_cast<std::size_t>(output);
    const Accept accept = reply ? in_[port]->respond(txn, at) : out_[port]->send(txn, at);
    if (accept.is_held())
      free = never;
    else if (reply || accept.is_taken())
      free = accept.at;
    else
      answered_at_once(access, output, accept.at);
  }
  if (free == never) return network.held(in, output, flits, at);
  const CrossbarRelease release = network.sent(in, output, flits, at, free);
  const bool follows = network.follows(in, now);
  go_on<reply>(in, output, release, follows);
  if (follows) pass<reply>(in, now);
}

// Whoever has waited for a packet of input `in` to leave through `output` gets its turn.
template <bool reply>
[[gnu::always_inline]] inline void PacketRouterLt::go_on(HopInput& in, int output,
                                                         const CrossbarRelease& release, bool follows) {
  if (in.head != nullptr && !follows)
    give_turn(in, in.next_start);  // without a look at it: it lies in a cold cache line
  if (HopInput* const waiting = hops<reply>().next_waiting(output)) give_turn(*waiting, 0);
  if (release.input < 0) return;
  const Neighbour& before = next_[reply ? 0 : 1][static_cast<std::size_t>(release.input)];
  if (before.router != nullptr)  // never earlier than now, as through the sockets
    return before.router->unblock<reply>(before.port, std::max(release.until, clock().now()));
  end_hold(reply, release);
}

// Called while others run: what follows gets its turn.
template <bool reply>
void PacketRouterLt::unblock(int port, Cycle at) {
  HopNetwork& network = hops<reply>();
  if (!network.is_blocked(port)) return;
  HopInput& in = network.input_of(port);
  go_on<reply>(in, port, network.unblock(port, at), false);
}

// The answer came with the request and cannot be held: it enters the reply network beyond its capacity.
void PacketRouterLt::answered_at_once(Access& access, int output, Cycle at) {
  ++stats_.completed_early;
  const int back = enter<true>(access, output);
  HopInput& in = replies_.input(output);
  replies_.arrive(access, in, back, without_gaps<true>(access, output, at), true);
  if (in.head == &access && !in.waits) give_turn(in, in.earliest());
}

// Only the first router of a name has turns in the agenda.
void PacketRouterLt::advance(Cycle now, int) {
  booked_[0] = 0;
  for (HopInput* next = turns_->take(now); next != nullptr;) {
    HopInput& in = *next;
    next = in.next;
    turns_->taken();
    if (next != nullptr) __builtin_prefetch(next->head);
    in.reply ? in.router->pass<true>(in, now) : in.router->pass<false>(in, now);
  }
  booked_[0] = never;
  wake(turns_->next(now), 0);
}

}  // namespace strata
