#pragma once

#include "models/common/ledger_totals.h"
#include "models/tlm/block.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/run_driver.h"
#include "models/tlm/txn_pool.h"
#include "models/traffic/traffic_check.h"
#include "models/traffic/traffic_core.h"

namespace strata {

/// A traffic generator in either timing, as sessions and reports see it; what both timings share.
class TrafficShell : public Block, public RunDriver {
 public:
  static constexpr bool carries_data = true;
  TrafficShell(sc_core::sc_module_name name, const TrafficParams& params, const BuildContext& context);

  const TrafficStats& counters() const { return core_.stats(); }

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

 protected:
  /// The socket of a port.
  virtual InitiatorPort& socket(int port) const = 0;
  const char* group() const { return stands_for_ == TrafficPlace::sm ? "l1" : "noc"; }
  /// The next access of `port`, sent in cycle `now`.
  Txn& make(int port, Cycle now);
  /// The answer to `txn` begins in cycle `at`: takes it in and lets the transaction go.
  void retire(Txn& txn, int port, const PortBase& socket, Cycle at);
  void retire_at_once(Txn& txn, int port, Cycle at);

  TrafficCore core_;

 private:
  /// Where a port charges ledgers: its link, and the block behind it.
  struct Places {
    Place queue, port, pipeline, external, reply_link, reply_serial;
  };
  void end_of_elaboration() override;
  Txn& make_checked(int port, Cycle now);
  void check(Txn& txn, int port);
  void response_error(const Txn& txn) const;
  void ledger_error(const Access& access);

  const TrafficPlace stands_for_;
  const int first_sm_;
  const std::uint16_t cluster_;
  const std::uint8_t sectors_;
  TxnPool pool_;
  LedgerTotals totals_;
  std::vector<Places> places_;                 // by port
  const std::unique_ptr<TrafficCheck> check_;  // null: nothing is checked
};

[[gnu::always_inline]] inline Txn& TrafficShell::make(int port, Cycle now) {
  if (check_ != nullptr) return make_checked(port, now);
  const TrafficAccess next = core_.send(port, now);
  Txn& txn = pool_.make(next.access_class, next.line, sectors_, clock().ledger_at(now));
  Access& access = txn.access();  // nothing else ever says who asked: the pool is our own
  access.sm = static_cast<std::uint16_t>(first_sm_ + port);
  access.cluster = cluster_;
  return txn;
}

}  // namespace strata
