#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/sm_cluster/line_access.h"
#include "models/sm_cluster/sm_cluster_block.h"
#include "models/sm_cluster/sm_core.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"

namespace strata {

/// Timing shell of N SMs: one agenda unit and one initiator socket `core[s]` per SM, one pool of
/// transactions.
class SmClusterAt final : public SmClusterBlock {
 public:
  SmClusterAt(sc_core::sc_module_name name, const SmClusterParams& params, const BuildContext& context);
  ~SmClusterAt() override;

  InitiatorPort& core(int sm) { return *sms_[static_cast<std::size_t>(sm)].port; }
  ControlIn<CtaLaunchIf> dispatch;

  const LedgerTotals& ledger_totals() const override { return totals_; }
  const SmClusterStats& counters() const override { return stats_; }

  // CtaLaunchIf
  void connect(CtaDoneIf& dispatcher, int cluster) override;
  int sms() const override { return static_cast<int>(sms_.size()); }
  int room(int sm, const traces::KernelInfo& kernel) const override;
  int occupancy(const traces::KernelInfo& kernel, std::string* limiter) const override;
  void launch(int sm, const traces::KernelInfo& kernel, std::shared_ptr<const traces::CtaTrace> cta) override;
  bool is_drained() const override;
  void flush() override;
  bool can_stall() const override { return true; }
  void stall() override;
  void resume() override;

  // Block
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Sm {
    Sm(const SmClusterParams& params, SmClusterStats& stats) : core(params, stats) {}
    SmCore core;
    Cycle link_free = 0;     // first cycle in which the socket may send
    Txn* blocked = nullptr;  // request that the L1 holds back
    bool flush_wanted = false;
    bool stopped = false;  // by a stall
    std::unique_ptr<InitiatorPort> port;
  };

  bool stand_still(Sm& sm, int unit, Cycle now);
  void go_on(Sm& sm, Cycle now);
  void send_line(Sm& sm, int unit, Cycle now);
  void send_flush(Sm& sm, int unit, Cycle now);
  void note_link(Sm& sm, Txn& txn, const Accept& accept);
  void retire_hit(Txn& txn, Cycle at);
  void report(Sm& sm, int unit, Cycle now);
  void ledger_error(const Txn& txn);

  const SmClusterParams params_;
  const int cluster_;  // index of this instance: names the SMs and the cluster in every access
  SmClusterStats stats_;
  LedgerTotals totals_;
  TxnPool pool_;
  std::vector<Sm> sms_;
  CtaDoneIf* dispatcher_ = nullptr;
  int dispatcher_cluster_ = 0;
  int flushes_left_ = 0;
  Cycle attention_ = never;  // from here on SMs stand still or have to be told to go on
  StallSpan stall_;          // the present stall, or the last one
  int stopped_sms_ = 0;
  bool noisy_ = false;  // the dispatcher waits for quiet()
};

/// Row of the table of modules.
const ModuleKind& sm_cluster_kind();

}  // namespace strata
