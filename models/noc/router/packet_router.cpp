#include "models/noc/router/packet_router.h"

#include <utility>

#include "models/noc/router/router_stage.h"
#include "models/noc/switching/packet_crossbar.h"

namespace strata {

template <class Network>
PacketRouter<Network>::PacketRouter(sc_core::sc_module_name module_name, const RouterStageParams& params,
                                    const BuildContext& context)
    : RouterStage(module_name, params, context, books_ports ? 0 : 2),
      requests_(make_network(false)),
      replies_(make_network(true)) {}

template <class Network>
Network PacketRouter<Network>::make_network(bool reply) {
  const CrossbarConfig shape = params().shape(reply, params().bypass);
  if constexpr (books_ports) {
    const PortTurns inputs = turns_of(shape.inputs);
    return Network(shape, inputs, turns_of(shape.outputs));
  } else {
    return Network(shape);
  }
}

// Turns of ports, in one word if they fit, else in as few words as possible.
template <class Network>
PortTurns PacketRouter<Network>::turns_of(int ports) {
  const auto count = static_cast<std::size_t>(ports);
  if (sides_.next + count > 64) {
    sides_.several = sides_.word != nullptr;
    sides_.word = add_turns<PacketRouter, &PacketRouter::visit>((count + 63) / 64);
    sides_.next = 0;
  }
  const std::size_t first = sides_.next, side = sides_.count++;
  sides_.first[side] = sides_.next;
  sides_.bits[side] = ~std::uint64_t{0} >> (count < 64 ? 64 - count : 0);
  sides_.words[side] = sides_.word;
  sides_.next = static_cast<std::uint8_t>(wide ? 64 : first + count);
  return {clock().wheel(), sides_.word, first};
}

// The bits of requests and of replies at a place of the wheel.
template <class Network>
inline auto PacketRouter<Network>::take_turns(std::size_t place) -> std::array<Due, 2> {
  const auto of = [this](std::size_t side, std::uint64_t turns) {
    return turns >> sides_.first[side] & sides_.bits[side];
  };
  if (!sides_.several) [[likely]] {
    const std::uint64_t turns = std::exchange(sides_.word[place], 0);
    return {{{of(0, turns), of(1, turns)}, {of(2, turns), of(3, turns)}}};
  }
  const auto at = [&](std::size_t side) { return of(side, sides_.words[side][place]); };
  const std::array<Due, 2> due{{{at(0), at(1)}, {at(2), at(3)}}};
  for (std::uint64_t* word : sides_.words) word[place] = 0;
  return due;
}

// Schedules a network after an arrival. A network that schedules its ports needs this only outside a cycle.
template <class Network>
template <bool reply>
inline void PacketRouter<Network>::wake_for(Network& network, Cycle due) {
  if constexpr (!books_ports) {
    wake(due, reply ? reply_unit : request_unit);
  } else if (network.unattended()) [[unlikely]] {
    clock().catch_up();
  }
}

template <class Network>
template <bool reply>
inline Accept PacketRouter<Network>::take(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const int output = enter<reply>(access, port).output;
  const Cycle head = dense<reply>(access, port, at);
  CrossbarEntry entry;
  if constexpr (books_ports)
    entry = crossbar<reply>().template arrive<reply>(access, port, output, head);
  else
    entry = crossbar<reply>().arrive(access, port, output, head, clock().now());
  wake_for<reply>(crossbar<reply>(), entry.due);
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
  Network& network = crossbar<reply>();
  const CrossbarRelease release = network.unblock(port, at, now);
  if constexpr (books_ports)
    wake_for<reply>(network, never);
  else
    wake_for<reply>(network, network.next_due(now));
  end_hold(reply, release);
}

// The cycle from which the output can be used again; never: the next hop holds the packet.
template <class Network>
template <bool reply>
inline Cycle PacketRouter<Network>::send(Access& access, std::size_t output, Cycle now) {
  charge<reply>(access);
  const Accept accept =
      reply ? ins_[output]->respond_now(Txn::of(access), now) : outs_[output]->send_now(Txn::of(access), now);
  if (accept.is_held()) return never;
  if (reply || !accept.is_done()) return accept.at;
  answered_at_once(access, static_cast<int>(output), accept.at, now);
  return now;
}

template <class Network>
template <bool reply, class Turns>
inline void PacketRouter<Network>::run(Cycle now, Turns turns) {
  crossbar<reply>().arbitrate(
      now, turns,
      [&](Access & access, std::size_t output)
          __attribute__((always_inline)) { return send<reply>(access, output, now); },
      [&](const CrossbarRelease& release) { end_hold(reply, release); });
}

template <class Network>
void PacketRouter<Network>::visit(Cycle now) {
  ledger_now_ = clock().ledger_at(now);
  const std::size_t place = TimingWheel::place_of(now);
  if constexpr (wide) {
    run<false>(now, place);
    run<true>(now, place);
  } else if constexpr (books_ports) {
    const auto [requests, replies] = take_turns(place);
    run<false>(now, requests);
    run<true>(now, replies);
  }
}

// The departure of a packet decides about the next one.
template <class Network>
template <bool reply>
void PacketRouter<Network>::run_unit(Cycle now) {
  constexpr int unit = reply ? reply_unit : request_unit;
  Network& network = crossbar<reply>();
  ledger_now_ = clock().ledger_at(now);
  booked_[unit] = never;
  network.begin(now);
  for (CrossbarGrant grant; network.next(now, grant);) {
    const Cycle at = send<reply>(*grant.access, grant.output, now);
    if (at == never)
      network.held(grant, now);
    else
      end_hold(reply, network.sent(grant, at, now));
  }
  wake(network.next_due(now), unit);
}

// A reply that came with its request cannot be held: it enters the reply network beyond its capacity.
template <class Network>
void PacketRouter<Network>::answered_at_once(Access& access, int output, Cycle at, Cycle now) {
  ++stats_.completed_early;
  const int back = enter<true>(access, output).output;
  const Cycle head = dense<true>(access, output, at);
  CrossbarEntry entry;
  if constexpr (books_ports)
    entry = replies_.force(access, output, back, head);
  else
    entry = replies_.force(access, output, back, head, now);
  wake_for<true>(replies_, entry.due);
}

template <class Network>
void PacketRouter<Network>::advance(Cycle now, int unit) {
  if constexpr (!books_ports) unit == reply_unit ? run_unit<true>(now) : run_unit<false>(now);
}

template class PacketRouter<PacketCrossbar<false>>;
template class PacketRouter<PacketCrossbar<true>>;
template class PacketRouter<SpedUpCrossbar>;

}  // namespace strata
