#pragma once

#include <algorithm>

#include "models/dram_channel/dram_channel_core.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"

namespace strata {

/// One DRAM channel behind b_transport: the core of DramChannelAt. Commands of an lt controller come ahead of
/// time and out of order, so they are not checked against the timing set, and what is counted by time is
/// counted as if each that comes through the socket came no earlier than the one before it.
class DramChannelLt final : public LtBlock {
 public:
  DramChannelLt(sc_core::sc_module_name name, const DramChannelParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override { core_.reset_stats(clock().now()); }
  void settle(Cycle now) override { core_.settle(std::max(now, latest_)); }

  /// A command, for a controller that is bound to the bus and needs no payload; in order of time by bank.
  void execute(DramCommand command, int bank, std::int64_t row, Cycle cycle) {
    latest_ = std::max(latest_, cycle);
    core_.execute(command, bank, row, cycle);
  }
  /// The same for some RD, of which the last issues in `cycle`.
  void read(int bursts, Cycle cycle) {
    latest_ = std::max(latest_, cycle);
    core_.read(bursts);
  }

  LtTargetPort& controller() { return controller_; }
  const DramChannelCore& core() const { return core_; }

 private:
  DramChannelCore core_;
  Cycle latest_ = 0;
  LtTargetPort controller_;
};

}  // namespace strata
