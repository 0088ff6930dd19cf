#pragma once

#include "models/common/ledger_totals.h"
#include "models/sm_cluster/cta_launch_if.h"
#include "models/sm_cluster/sm_cluster_stats.h"
#include "models/tlm/block.h"

namespace strata {

/// An SM cluster in either timing, as sessions and reports see it.
class SmClusterBlock : public Block, public CtaLaunchIf {
 public:
  using Block::Block;
  /// Where the latencies of all retired accesses went.
  virtual const LedgerTotals& ledger_totals() const = 0;
  virtual const SmClusterStats& counters() const = 0;
  /// The same of one application; nothing when it has no SM here.
  virtual const LedgerTotals* ledger_totals(int application) const = 0;
  virtual const SmClusterStats* counters(int application) const = 0;
  std::uint64_t instructions(int application) const override {
    const SmClusterStats* stats = counters(application);
    return stats == nullptr ? 0 : stats->thread_instructions;
  }
};

}  // namespace strata
