#pragma once

#include "models/common/stats.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/ports.h"

namespace strata {

/// Stands between an at initiator and an lt target: base protocol in front, b_transport behind.
///
/// A request is posted when it arrives. It holds its link until the cycle that the target names, and its
/// response begins in the annotated cycle; only the initiator's own back-pressure delays it further.
class AtLtAdapter final : public Block, private LtCaller {
 public:
  /// `clock`: that of the target.
  AtLtAdapter(sc_core::sc_module_name name, ClockDomain& clock);

  Accept request(Txn& txn, int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override { stats_ = {}; }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  TargetPort in{*this, "in", 0};
  LtInitiatorPort out{*this, "out", 0, this};

 private:
  struct Stats final : StatSet {
    std::uint64_t requests = 0;
    std::uint64_t responses = 0;
    void for_each_stat(StatVisitor& visitor) const override;
  };

  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;
  void end_of_elaboration() override {
    link_ = in.behind_network() ? in.place_beyond(Cause::reply_queue) : out.place_beyond(Cause::reply_port);
  }
  bool speaks_for_at() const override { return true; }

  // Answers in the order of their cycles, which is nearly always that in which they are told. `ready` of an
  // access is its cycle, `tag` the place of a wait for the link.
  Access* first_ = nullptr;
  Access* last_ = nullptr;
  int waiting_ = 0;
  Cycle link_free_ = 0;
  Place link_ = no_place;
  Cycle began_ = 0;
  Stats stats_;
};

}  // namespace strata
