#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/cta_dispatcher/kernel_queue.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/run_driver.h"

namespace strata {

/// Launches the kernels of one or more applications, each on SMs of its own in every cluster.
class CtaDispatcher final : public Block,
                            public RunDriver,
                            private CtaDoneIf,
                            private SmStallIf,
                            public KernelQueueHost {
 public:
  CtaDispatcher(sc_core::sc_module_name name, const CtaDispatcherParams& params, const BuildContext& context);
  ~CtaDispatcher() override;

  ControlOut<CtaLaunchIf>& cluster(int c) { return *clusters_[static_cast<std::size_t>(c)]; }
  ControlOut<KernelBoundaryIf> boundary;

  /// Before simulation starts. The sources must outlive it, and say which application their kernels belong
  /// to. Shares that do not fill each cluster exactly are a ConfigError when elaboration ends.
  void set_applications(const std::vector<Application>& applications);
  /// One program on all SMs.
  void set_source(InstructionSource& source) { set_applications({{&source}}); }
  /// Called for copies from the host with CopyPolicy::warm.
  void set_copied(std::function<void(const MemcpyInfo&)> copied) { copied_ = std::move(copied); }
  /// Empties caches and closes rows between cold launches (LaunchState::cold). Replies as
  /// KernelQueueHost::cold_at(). Without it no kernel waits.
  void set_cold_at(std::function<Cycle(Cycle now)> cold_at) { cold_at_ = std::move(cold_at); }
  bool cold_launches() const { return params_.cold_launches(); }
  /// Called when a kernel ends. `alone`: no other kernel of the application runs then.
  using KernelEnded = std::function<void(int application, std::size_t kernel, bool alone, Cycle now)>;
  void set_kernel_ended(KernelEnded ended) { kernel_ended_ = std::move(ended); }
  /// Every kernel has ended.
  bool finished() const override;
  /// Cycle in which the last kernel ended, of the first pass when programs repeat; 0 before.
  Cycle end_cycle() const override;
  std::uint64_t work_done() const override;
  Cycle pauses_until() const override;
  int application_count() const override { return static_cast<int>(queues_.size()); }
  DispatchProgress progress(int application) const;
  std::vector<KernelSpan> kernel_spans(int application) const override {
    return queues_[static_cast<std::size_t>(application)]->kernel_spans();
  }
  std::uint64_t kernels_done(int application) const {
    return queues_[static_cast<std::size_t>(application)]->kernels_done();
  }
  /// Why the simulation was stopped early: what a source threw, or a kernel that fits no SM; null when
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
  std::vector<int> applications_of(int sms, int cluster) const;

  void cta_done(int cluster, int sm, std::uint32_t kernel, Cycle now) override;
  void drained(int cluster, int application, Cycle now) override;
  void flush_done(int cluster, int application, Cycle now) override;
  void quiesced(int cluster, int application, Cycle now) override;

  bool can_stall() const override;
  int cluster_count() const override { return params_.clusters; }
  int sm_count() const override;
  std::uint64_t instructions(int application) const override;
  void stall_sms(ApplicationSet who) override;
  void resume_sms(ApplicationSet who) override;

  void wake_queue(int application, Cycle at) override { book(at, application); }
  Cycle queue_now() const override { return clock().now(); }
  CtaLaunchIf& cluster_at(int c) override { return cluster(c).get(); }
  KernelBoundaryIf* boundary_if() override { return boundary.bound() ? &boundary.get() : nullptr; }
  CtaDispatcherStats& queue_stats() override { return stats_; }
  void copied(const MemcpyInfo& copy) override {
    if (copied_) copied_(copy);
  }
  Cycle cold_at(Cycle now) override { return cold_at_ ? cold_at_(now) : now; }
  void kernel_ended(int application, std::size_t kernel, bool alone, Cycle now) override {
    if (kernel_ended_) kernel_ended_(application, kernel, alone, now);
  }
  void fail(std::exception_ptr reason) override;
  bool failed() const override { return failure_ != nullptr; }

  const CtaDispatcherParams params_;
  const std::uint64_t seed_;
  CtaDispatcherStats stats_;
  std::vector<std::unique_ptr<ControlOut<CtaLaunchIf>>> clusters_;
  std::vector<std::unique_ptr<KernelQueue>> queues_;  // one an application
  int quiescing_ = 0;  // quiesced() calls that are still to come, one per cluster and stalled application
  std::exception_ptr failure_;
  std::function<void(const MemcpyInfo&)> copied_;
  KernelEnded kernel_ended_;
  std::function<Cycle(Cycle now)> cold_at_;
};

/// Row of the table of modules.
const ModuleKind& cta_dispatcher_kind();

}  // namespace strata
