#pragma once

#include "models/router_stage/packet_crossbar.h"
#include "models/router_stage/router_stage_shell.h"
#include "models/router_stage/sped_up_crossbar.h"

namespace strata {

/// A router of whole packets in at: they bid for their outputs cycle by cycle, in one of two kinds of
/// networks.
template <class Network>
class PacketRouter final : public RouterStageShell {
 public:
  PacketRouter(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override { unblock<false>(port, at); }
  void response_unblocked(int port, Cycle at) override { unblock<true>(port, at); }
  void advance(Cycle now, int unit) override;

 private:
  Crossbar& network(bool reply) override { return reply ? replies_ : requests_; }
  template <bool reply>
  Network& crossbar() {
    return reply ? replies_ : requests_;
  }
  template <bool reply>
  Accept take(Txn& txn, int port, Cycle at);
  template <bool reply>
  void unblock(int port, Cycle at);
  template <bool reply>
  void run(Cycle now);
  template <bool reply>
  void send(Network& network, const CrossbarGrant& grant, Cycle now);
  void answered_at_once(Access& access, int output, Cycle at, Cycle now);

  Network requests_;
  Network replies_;
};

using PacketRouterAt = PacketRouter<PacketCrossbar>;
/// Inputs have several read ports (`input_speedup`).
using SpedUpRouterAt = PacketRouter<SpedUpCrossbar>;

}  // namespace strata
