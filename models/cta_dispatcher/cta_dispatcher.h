#pragma once

#include <exception>
#include <memory>
#include <random>
#include <vector>

#include "models/cta_dispatcher/cta_dispatcher_params.h"
#include "models/cta_dispatcher/cta_dispatcher_stats.h"
#include "models/cta_dispatcher/cta_placement.h"
#include "models/cta_dispatcher/kernel_boundary_if.h"
#include "models/sm_cluster/cta_launch_if.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/port_base.h"
#include "models/tlm/run_driver.h"

namespace strata {

/// How far a run has come.
struct DispatchProgress {
  std::uint64_t kernels = 0;
  std::uint64_t kernels_done = 0;
  std::uint64_t ctas_launched = 0;  ///< of all kernels so far
  std::uint64_t ctas_done = 0;
  const traces::KernelInfo* kernel = nullptr;  ///< the present one; null before the first and after the last
};

/// When a kernel ran, in cycles of the dispatcher's clock.
struct KernelSpan {
  std::size_t kernel = 0;  ///< number in the source
  Cycle began = 0;
  Cycle ended = never;  ///< `never`: it runs still
};

/// Launches the kernels of a source in order, CTA by CTA, and ends each with store drain, L1 flush and
/// boundary work.
class CtaDispatcher final : public Block,
                            public RunDriver,
                            private CtaDoneIf,
                            private KernelBoundaryDoneIf,
                            private SmStallIf {
 public:
  CtaDispatcher(sc_core::sc_module_name name, const CtaDispatcherParams& params, const BuildContext& context);
  ~CtaDispatcher() override;

  ControlOut<CtaLaunchIf>& cluster(int c) { return *clusters_[static_cast<std::size_t>(c)]; }
  ControlOut<KernelBoundaryIf> boundary;

  /// Before simulation starts. The source must outlive the simulation.
  void set_source(traces::InstructionSource& source) { source_ = &source; }
  /// Every kernel has ended.
  bool finished() const override { return phase_ == KernelPhase::finished; }
  /// Cycle in which the last kernel ended; 0 before.
  Cycle end_cycle() const override { return end_cycle_; }
  std::uint64_t work_done() const override { return kernel_ + ctas_done_; }
  DispatchProgress progress() const;
  /// Every kernel that has begun, in the order in which they did.
  const std::vector<KernelSpan>& kernel_spans() const { return kernel_spans_; }
  /// Why the simulation was stopped early: what the source threw, or a kernel that fits no SM; null when
  /// neither.
  std::exception_ptr failure() const { return failure_; }
  const CtaDispatcherStats& counters() const { return stats_; }

  void advance(Cycle now, int unit) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 private:
  void end_of_elaboration() override;
  void start_of_simulation() override;
  void cta_done(int cluster, int sm, std::uint32_t kernel, Cycle now) override;
  void drained(int cluster, Cycle now) override;
  void flush_done(int cluster, Cycle now) override;
  void quiet(int cluster, Cycle now) override;
  bool can_stall() const override;
  int cluster_count() const override { return params_.clusters; }
  int sm_count() const override;
  std::uint64_t instructions() const override;
  void stall_sms() override;
  void resume_sms() override;
  void kernel_boundary_done(Cycle at) override;

  const traces::KernelInfo& kernel() const { return source_->kernels()[kernel_]; }
  void enter(KernelPhase phase, Cycle now);
  void begin_kernel(Cycle now);
  void launch_ctas(Cycle now);
  void launch(std::uint64_t cta, const SmPlace& place);
  bool pause_after_launch(Cycle now);
  void look_for_atomics(const traces::CtaTrace& cta);
  void begin_flush(Cycle now);
  void begin_boundary(Cycle now);
  void end_kernel(Cycle now);
  int room(const SmPlace& place);
  void fail(std::exception_ptr reason);

  const CtaDispatcherParams params_;
  CtaDispatcherStats stats_;
  std::vector<std::unique_ptr<ControlOut<CtaLaunchIf>>> clusters_;
  std::unique_ptr<CtaPlacement> placement_;
  PlacementView view_;
  std::vector<std::vector<bool>> full_;  // SM had no room when last asked, and nothing ended there since
  traces::InstructionSource* source_ = nullptr;
  std::exception_ptr failure_;

  KernelPhase phase_ = KernelPhase::launching;
  Cycle phase_since_ = 0;
  std::size_t kernel_ = 0;  // present kernel
  bool started_ = false;    // its begin_kernel() ran
  Cycle first_launch_ = 0;  // earliest cycle for its first CTA
  Cycle next_launch_ = 0;   // end of the pause after the latest CTA (launch_jitter)
  std::mt19937_64 jitter_;
  std::uint64_t left_to_launch_ = 0;
  std::uint64_t running_ = 0;
  Cycle full_since_ = never;
  int flushes_left_ = 0;
  int noisy_clusters_ = 0;      // stalled, with accesses under way
  bool watch_atomics_ = false;  // somebody wants to know, and the present kernel has shown none
  Cycle boundary_done_ = never;
  Cycle end_cycle_ = 0;
  std::uint64_t ctas_launched_ = 0;
  std::uint64_t ctas_done_ = 0;
  std::vector<KernelSpan> kernel_spans_;
};

/// Row of the table of modules.
const ModuleKind& cta_dispatcher_kind();

}  // namespace strata
