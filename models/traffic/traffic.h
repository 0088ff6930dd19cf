#pragma once

#include <memory>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/tlm/block.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/run_driver.h"
#include "models/tlm/txn_pool.h"
#include "models/traffic/traffic_check.h"
#include "models/traffic/traffic_core.h"

namespace strata {

/// Random traffic through one initiator socket a port; one wheel unit a port.
class Traffic final : public Block, public RunDriver {
 public:
  static constexpr bool carries_data = true;
  Traffic(sc_core::sc_module_name name, const TrafficParams& params, const BuildContext& context);

  const TrafficStats& counters() const { return core_.stats(); }
  InitiatorPort& port(int index) { return *links_[static_cast<std::size_t>(index)].port; }

  // RunDriver
  bool finished() const override { return core_.finished(); }
  Cycle end_cycle() const override { return clock().ledger_at(core_.end_cycle()); }
  std::uint64_t work_done() const override { return core_.stats().answered(); }
  std::uint64_t work_total() const override { return core_.total(); }
  Cycle pauses_until() const override { return clock().ledger_at(core_.next_access()); }

  // Block
  const StatSet& stats() const override { return core_.stats(); }
  const LedgerTotals* ledger(int application = all_applications) const override {
    return application == all_applications ? &totals_ : nullptr;
  }
  void reset_stats() override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Link {
    Cycle free = 0;          // first cycle in which the socket may send
    Txn* blocked = nullptr;  // request that is held back
    std::unique_ptr<InitiatorPort> port;
  };
  /// Where a port charges ledgers: its link, and the block behind it.
  struct Places {
    Place queue, port, pipeline, external, reply_link, reply_serial;
  };
  void end_of_elaboration() override;
  Txn& make(int port, Cycle now);
  Txn& make_checked(int port, Cycle now);
  void send(Link& link, int unit, Cycle now);
  void book_next(const Link& link, int unit, Cycle now);
  void retire(Txn& txn, int port, const PortBase& socket, Cycle at);
  void retire_at_once(Txn& txn, int port, Cycle at);
  void check(Txn& txn, int port);
  void response_error(const Txn& txn) const;
  void ledger_error(const Access& access);

  TrafficCore core_;
  const TrafficPlace stands_for_;
  const int first_sm_;
  const std::uint16_t cluster_;
  const std::uint8_t sectors_;
  TxnPool pool_;
  LedgerTotals totals_;
  std::vector<Places> places_;                 // by port
  const std::unique_ptr<TrafficCheck> check_;  // null: nothing is checked
  const int most_open_;
  std::vector<Link> links_;
};

}  // namespace strata
