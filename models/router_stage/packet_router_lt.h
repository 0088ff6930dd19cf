#pragma once

#include "models/router_stage/reserved_crossbar.h"
#include "models/router_stage/router_stage_lt.h"

namespace strata {

/// A router of whole packets in lt: they are passed on within the call that brings them wherever that is
/// decided already. See ReservedCrossbar.
class PacketRouterLt final : public RouterStageLt {
 public:
  PacketRouterLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  LtAnswer post(Txn& txn, int port, Cycle at) override;
  void answer_taken(int port, Cycle began, Cycle until) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  Cycle posts_ahead() const override;
  Cycle answers_ahead() const override;

 private:
  Crossbar& network(bool reply) override { return reply ? replies_ : requests_; }
  void end_of_elaboration() override;
  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;
  void refused(int port) override;
  Cycle told_ahead(bool reply) const;
  template <bool reply>
  ReservedCrossbar& crossbar() {
    return reply ? replies_ : requests_;
  }
  template <bool reply>
  Cycle arrive(Access& access, int input, Cycle at);
  template <bool reply>
  void run(int input, Cycle now);
  template <bool reply>
  void defer(int input, Cycle due, Cycle now);
  template <bool reply>
  bool send(const ReservedCrossbar::Departure& departure);
  Cycle forward(const ReservedCrossbar::Departure& departure);
  Cycle answer(const ReservedCrossbar::Departure& departure);
  template <bool reply>
  void let_in(int input);
  template <bool reply>
  void unblock(int output, Cycle at);
  template <bool reply>
  void take_turns(Cycle now);

  mutable bool asking_ = false;  // stages may be bound in a ring
  ReservedCrossbar requests_;
  ReservedCrossbar replies_;
};

}  // namespace strata
