#pragma once

#include <array>
#include <type_traits>

#include "models/noc/router/router_stage.h"
#include "models/noc/switching/packet_crossbar.h"
#include "models/noc/switching/sped_up_crossbar.h"

namespace strata {

/// A router of whole packets in at: they bid for their outputs cycle by cycle, in one of several kinds of
/// networks.
template <class Network>
class PacketRouter final : public RouterStage {
 public:
  PacketRouter(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override { unblock<false>(port, at); }
  void response_unblocked(int port, Cycle at) override { unblock<true>(port, at); }
  void advance(Cycle now, int unit) override;

 private:
  /// The network books turns of its ports in the wheel, and both networks take theirs in one visit; else
  /// each is a unit.
  static constexpr bool books_ports = !std::is_same_v<Network, SpedUpCrossbar>;
  static constexpr bool wide = std::is_same_v<Network, PacketCrossbar<true>>;

  Crossbar& network(bool reply) override { return reply ? replies_ : requests_; }
  template <bool reply>
  Network& crossbar() {
    return reply ? replies_ : requests_;
  }
  Network make_network(bool reply);
  using Due = typename PacketCrossbar<false>::Due;
  [[gnu::always_inline]] inline std::array<Due, 2> take_turns(std::size_t place);
  PortTurns turns_of(int ports);
  void visit(Cycle now);
  template <bool reply>
  [[gnu::always_inline]] inline Accept take(Txn& txn, int port, Cycle at);
  template <bool reply>
  void unblock(int port, Cycle at);
  template <bool reply, class Turns>
  [[gnu::always_inline]] inline void run(Cycle now, Turns turns);
  template <bool reply>
  void run_unit(Cycle now);
  template <bool reply>
  [[gnu::always_inline]] inline Cycle send(Access& access, std::size_t output, Cycle now);
  template <bool reply>
  [[gnu::always_inline]] inline void wake_for(Network& network, Cycle due);
  void answered_at_once(Access& access, int output, Cycle at, Cycle now);

  /// Where turns of ports lie in the wheel: of the inputs of requests, of their outputs, of the inputs and
  /// the outputs of replies. Most routers have few ports, for which one word is enough.
  struct alignas(64) Sides {
    std::uint64_t* word = nullptr;  // taken last
    std::uint8_t next = 64;         // the first number there that no port has
    bool several = false;           // words
    std::uint8_t count = 0;         // of sides that have got theirs
    std::array<std::uint8_t, 4> first{};
    std::array<std::uint64_t, 4> bits{};
    std::array<std::uint64_t*, 4> words{};
  };
  Sides sides_;
  Network requests_;
  Network replies_;
};

using NarrowPacketRouter = PacketRouter<PacketCrossbar<false>>;
/// Has more inputs or outputs than a word has bits.
using WidePacketRouter = PacketRouter<PacketCrossbar<true>>;
/// Inputs have several read ports (`input_speedup`).
using SpedUpPacketRouter = PacketRouter<SpedUpCrossbar>;

}  // namespace strata
