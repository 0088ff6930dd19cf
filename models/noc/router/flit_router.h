#pragma once

#include <array>

#include "models/noc/router/router_stage.h"
#include "models/noc/switching/flit_crossbar.h"

namespace strata {

/// A router of flits.
///
/// If the stage behind an output is a router of flits too, flits and credits pass to it directly, apart from
/// the transactions of the heads.
class FlitRouter final : public RouterStage {
 public:
  FlitRouter(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override { unblock(requests_, port, at); }
  void response_unblocked(int port, Cycle at) override { unblock(replies_, port, at); }
  void advance(Cycle now, int unit) override;

 private:
  /// One of the two networks, and its ends in the stages beside this one, by output and by input.
  struct Network final : FlitNeighbours {
    struct End {
      Network* network = nullptr;
      int port = 0;
    };
    Network(FlitRouter& owner, bool is_reply);
    void forward_flit(int output, int vc, Cycle at) override;
    void return_credit(int input, int vc, Cycle at) override;
    /// Output `output` leads to input `input` of `next`, whose VCs hold `vc_flits`.
    void link(int output, Network& next, int input, int vc_flits);
    void wake_for_events();

    FlitRouter& router;
    const bool reply;
    FlitCrossbar crossbar;
    std::vector<End> downstream;  // by output
    std::vector<End> upstream;    // by input
  };

  Crossbar& network(bool reply) override { return (reply ? replies_ : requests_).crossbar; }
  void end_of_elaboration() override;
  Accept take(Network& network, Access& access, int port, RouteStep step, Cycle at);
  void unblock(Network& network, int port, Cycle at);
  void run(Network& network, Cycle now);
  void send(Network& network, const CrossbarGrant& grant, Cycle now);
  void charge(Access& access, bool reply, bool whole) const;
  void force_reply(Access& access, int output, Cycle at, Cycle now);

  Network requests_;
  Network replies_;
  std::array<Cycle, 256> ledger_tail_{};  // by length: flits behind the head, in ledger cycles
};

}  // namespace strata
