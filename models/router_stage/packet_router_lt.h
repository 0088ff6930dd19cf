#pragma once

#include "models/router_stage/hop_network.h"
#include "models/router_stage/router_stage_shell.h"

namespace strata {

/// A router of whole packets in lt: most pass it within the call that brings them, to leave in a later cycle.
///
/// A packet is given its cycle of sending `lead` cycles before it could be sent at the earliest. Those that
/// come to an input with nothing before them have come no later than that, so they need no turn in the
/// agenda; all packets of an output get their cycles in the order in which they are ready.
class PacketRouterLt final : public RouterStageShell {
 public:
  PacketRouterLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override { return take<false>(txn, port, at); }
  Accept response(Txn& txn, int port, Cycle at) override { return take<true>(txn, port, at); }
  void request_unblocked(int port, Cycle at) override { unblock<false>(port, at); }
  void response_unblocked(int port, Cycle at) override { unblock<true>(port, at); }
  void advance(Cycle now, int unit) override;
  Cycle lead(bool reply) const override;

 private:
  /// A router of this kind behind an output, with its input: it is called without the sockets between.
  struct Next {
    PacketRouterLt* router;
    int port;
  };
  /// What is charged when a packet leaves.
  struct Way {
    Cycle link, router;  // ledger cycles of the links and pipelines behind it
    bool next_charges;   // nothing: the next router charges for this one too
  };
  static Next next_of(Block* block, const PortBase* peer);
  void end_of_elaboration() override;
  Crossbar& network(bool reply) override { return reply ? replies_ : requests_; }
  template <bool reply>
  HopNetwork& hops() {
    return reply ? replies_ : requests_;
  }
  /// Agenda unit of an input of one of the networks.
  template <bool reply>
  int unit(int input) const {
    return reply ? static_cast<int>(in_.size()) + input : input;
  }
  template <bool reply>
  Accept take(Txn& txn, int port, Cycle at);
  template <bool reply>
  Accept send(const CrossbarGrant& grant, Cycle at);
  template <bool reply>
  void unblock(int port, Cycle at);
  template <bool reply>
  void pass(int input, Cycle now);
  template <bool reply>
  void wake_waiting(int output, Cycle now);
  void answered_at_once(Access& access, int output, Cycle at);
  /// The router of this kind at the other end of a port, when both are charged to one place.
  const PacketRouterLt* joined(const PortBase& port) const;
  template <class Ports>
  bool all_joined(const Ports& ports) const;
  Cycle routers_charged(bool reply) const;
  bool next_charges(bool reply) const;
  template <bool reply>
  void charge_way(Ledger& ledger, Cycle now) const;

  HopNetwork requests_;
  HopNetwork replies_;
  std::array<Cycle, 2> leads_{};           // of requests, of replies
  std::array<std::vector<Next>, 2> next_;  // by output
  std::array<Way, 2> ways_{};
  mutable bool asked_ = false;  // routers may form a ring
};

}  // namespace strata
