#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/cta_dispatcher/cta_launch_if.h"
#include "models/sm_cluster/sm_applications.h"
#include "models/sm_cluster/sm_watch_if.h"
#include "models/tlm/block.h"
#include "models/tlm/line_flush_if.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/port_base.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// N SMs: one unit and one initiator socket `l1[s]` per SM, one pool of transactions. Units 0 and up are the
/// SMs, the last one has the lines flushed that are kept for them.
class SmCluster : public Block, public CtaLaunchIf, private LineFlushDoneIf, private ClusterMeetingIf {
 public:
  static constexpr bool carries_data = true;
  SmCluster(sc_core::sc_module_name name, const SmClusterParams& params, const BuildContext& context);
  ~SmCluster() override;

  /// Zeros when the application has no SM here.
  const SmClusterStats& counters(int application = all_applications) const {
    return apps_.stats(application);
  }
  InitiatorPort& l1(int sm) { return *sms_[static_cast<std::size_t>(sm)].port; }
  ControlIn<CtaLaunchIf> dispatch;
  /// The watch sees every SM of the cluster, and must outlive the simulation; before simulation starts.
  void watch_sms(SmWatchIf& watch);
  ControlOut<LineFlushIf>& flush_of(int sm) { return *flush_[static_cast<std::size_t>(sm)]; }

  // CtaLaunchIf
  void connect(CtaDoneIf& dispatcher, int cluster) override;
  int sms() const override { return flush_unit_; }
  void assign(const std::vector<int>& application_of_sm) override;
  int room(int sm, const KernelInfo& kernel) const override;
  int occupancy(const KernelInfo& kernel, std::string* limiter) const override;
  void launch(int sm, const KernelInfo& kernel, std::shared_ptr<const CtaTrace> cta) override;
  bool is_drained(int application) const override;
  void count_kernels(int application) override { apps_.of(application).by_kernel = true; }
  bool kernel_drained(int application, std::uint32_t kernel) const override;
  bool can_stall() const override { return true; }
  void stall(int application) override;
  void resume(int application) override;
  std::uint64_t instructions(int application) const override {
    return counters(application).thread_instructions;
  }
  void flush(int application) override;

  // Block
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  /// Of the unit without an SM; the others are visited by visit().
  void advance(Cycle now, int /*unit*/) override { advance_flushes(now); }
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;
  const StatSet& stats() const override { return counters(); }
  const StatSet* application_stats(int application) const override { return &counters(application); }
  const LedgerTotals* ledger(int application = all_applications) const override {
    return &apps_.totals(application);
  }
  void reset_stats() override {
    settle(clock().now());
    apps_.reset_stats();
  }

 protected:
  using Sm = SmState;

  void report_error(tlm::tlm_response_status status);
  void end_of_elaboration() override;

  void advance_flushes(Cycle now);
  /// Tell the dispatcher which CTAs have ended.
  void report_ended(SmState& sm, int unit, Cycle now);
  /// All SMs of a stalled application do as `quiesced` says: tell the dispatcher, once.
  template <class Quiesced>
  void report_quiesced(SmApplication& app, Cycle now, Quiesced quiesced) {
    if (!app.quiescing || !std::all_of(states_.begin(), states_.end(),
                                       [&](const SmState* sm) { return sm->app != &app || quiesced(*sm); }))
      return;
    app.quiescing = false;
    dispatcher_->quiesced(dispatcher_cluster_, app.application, clock().ledger_at(now));
  }
  void ledger_error(SmApplication& app, const Access& access);
  /// An access is answered by the L1 in cycle `at`. Only where kernels may run side by side.
  void note_reply(SmApplication& app, std::uint32_t kernel, Cycle at);

  const SmClusterParams params_;
  const int cluster_;     // index of this instance: names the SMs and the cluster in every access
  const int flush_unit_;  ///< behind it, with `dsmem: network`, those of the SMs' parts of that network
  const bool carries_data_, fast_path_;
  TxnPool pool_;
  std::vector<Sm> sms_;
  std::vector<SmState*> states_;  // the same
  SmApplications apps_;
  CtaDoneIf* dispatcher_ = nullptr;
  int dispatcher_cluster_ = 0;

 private:
  /// What its socket `l1[sm]` leads to, and the request that is held back there, or null.
  std::string l1_of(int sm) const { return sms_[static_cast<std::size_t>(sm)].port->peer(); }
  const Access* held_of(int sm) const;
  ClusterBarriers& barriers() override { return barriers_; }
  void release(const std::vector<ClusterWarp>& warps, Cycle now) override;
  ClusterMeetingIf::Place find(const ResidentCta& mate, std::uint32_t rank) override;
  void visit(Cycle now, int unit);
  void watched_visit(Cycle now, int unit);
  bool run_stalled(Sm& sm, int unit, Cycle now);
  void send_more(Sm& sm, int unit, Cycle now);
  void send_copy(Sm& sm, int unit, Cycle now);
  bool send_line(Sm& sm, int unit, Cycle now);
  void note_link(Sm& sm, Txn& txn, const Accept& accept);
  void retire_hit(Sm& sm, Txn& txn, Cycle at);
  void report(Sm& sm, int unit, Cycle now);
  void begin_kernel(int sm, const KernelInfo& kernel);
  void begin_flush(SmApplication& app, Cycle now);
  void lines_flushed(int application) override;
  void note_flushed(SmApplication& app, Cycle now);

  std::vector<std::unique_ptr<ControlOut<LineFlushIf>>> flush_;  // one an SM
  ClusterBarriers barriers_;
  SmWatchIf* watch_ = nullptr;  // of watched_visit()
};

/// The cluster with these parameters: with `dsmem: network` an SmClusterDsmem.
std::unique_ptr<SmCluster> make_sm_cluster(sc_core::sc_module_name name, const SmClusterParams& params,
                                           const BuildContext& context);

/// Row of the table of modules.
const ModuleKind& sm_cluster_kind();

}  // namespace strata
