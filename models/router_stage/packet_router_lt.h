#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/router_stage/hop_network.h"
#include "models/router_stage/router_stage_shell.h"

namespace strata {

/// A router of whole packets in lt: who is ready first is sent first.
///
/// Each packet has one turn, in the cycle in which it is ready. All routers of a name have their turns in one
/// list, walked by the first of them: a packet costs neither a wake of its router nor arbitration, and goes
/// from router to router without the sockets between.
class PacketRouterLt final : public RouterStageShell {
 public:
  PacketRouterLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override {
    return accepted(take<false>(txn.access(), port, at));
  }
  Accept response(Txn& txn, int port, Cycle at) override {
    return accepted(take<true>(txn.access(), port, at));
  }
  void request_unblocked(int port, Cycle at) override { unblock<false>(port, at); }
  void response_unblocked(int port, Cycle at) override { unblock<true>(port, at); }
  void advance(Cycle now, int unit) override;

 private:
  /// A router of this kind at the other end of a port, with the number of its port there; null: none.
  struct Neighbour {
    PacketRouterLt* router;
    int port;
  };
  static Neighbour neighbour(Block* block, const PortBase* peer);
  static Accept accepted(Cycle free) { return free == never ? Accept::held() : Accept::taken(free); }
  static std::shared_ptr<HopTurns> turns_of(const BuildContext& context, PacketRouterLt& router);
  void end_of_elaboration() override;
  Crossbar& network(bool reply) override { return reply ? replies_ : requests_; }
  template <bool reply>
  HopNetwork& hops() {
    return reply ? replies_ : requests_;
  }
  template <bool reply>
  Cycle take(Access& access, int port, Cycle at);
  template <bool reply>
  void pass(HopInput& in, Cycle now);
  template <bool reply>
  void go_on(HopInput& in, int output, const CrossbarRelease& release, bool follows);
  template <bool reply>
  void unblock(int port, Cycle at);
  void give_turn(HopInput& in, Cycle cycle);
  void answered_at_once(Access& access, int output, Cycle at);

  HopNetwork requests_;
  HopNetwork replies_;
  std::shared_ptr<HopTurns> turns_;
  // Neighbours by output of the requests' network, which are inputs of the replies', and by that of replies.
  std::array<std::vector<Neighbour>, 2> next_;
};

}  // namespace strata
