#pragma once

#include <array>
#include <vector>

#include "models/router_stage/router_stage.h"
#include "models/tlm/slot_calendar.h"

namespace strata {

/// A router stage behind b_transport. Packets that need no flit-exact network are passed on within the call
/// that brings them wherever that is decided already: see ReservedCrossbar.
///
/// A caller that cannot wait for its answer is led past the queues: its packets take the pipeline, and the
/// first free cycles of their output in a calendar.
class RouterStageLt final : public RouterStageShell<LtLinks> {
 public:
  RouterStageLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  LtAnswer post(Txn& txn, int port, Cycle at) override;
  void answer_taken(int port, Cycle began, Cycle until) override;
  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override { unblock_flits(false, port, at); }
  void response_unblocked(int port, Cycle at) override { unblock_flits(true, port, at); }
  void advance(Cycle now, int unit) override;
  Cycle posts_ahead() const override;
  Cycle answers_ahead() const override;

 private:
  void end_of_elaboration() override;
  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;
  void refused(int port) override;
  Cycle told_ahead(bool reply) const;
  template <bool reply>
  ReservedCrossbar& core() {
    return reply ? replies_.packets : requests_.packets;
  }
  template <bool reply>
  Cycle enter(Access& access, int input, int output, Cycle at);
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
  /// From the link to the switch.
  Cycle pipeline() const { return static_cast<Cycle>(params().shape(false, bypassed()).enter); }
  Cycle pass(std::vector<SlotCalendar>& outputs, int output, Access& access, int flits, Cycle at);

  mutable bool asking_ = false;              // stages may be bound in a ring
  std::vector<SlotCalendar> requests_past_;  // by output
  std::vector<SlotCalendar> replies_past_;   // by input
};

}  // namespace strata
