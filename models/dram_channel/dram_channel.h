#pragma once

#include "models/dram_channel/dram_channel_core.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"

namespace strata {

/// One DRAM channel behind a memory controller: executes DRAM commands (DramCommandAttr), counts, checks them
/// against its timing set, and holds the memory image that transport_dbg reads and writes.
class DramChannel final : public Block {
 public:
  static constexpr bool carries_data = true;
  DramChannel(sc_core::sc_module_name name, const DramChannelParams& params, const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override { core_.reset_stats(clock().now()); }
  void settle(Cycle now) override { core_.settle(now); }

  TargetPort& controller() { return controller_; }
  const DramChannelCore& core() const { return core_; }

 private:
  DramChannelCore core_;
  TargetPort controller_;
};

}  // namespace strata
