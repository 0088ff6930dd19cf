#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/cta_dispatcher/cta_dispatcher_params.h"
#include "models/cta_dispatcher/cta_dispatcher_stats.h"
#include "models/cta_dispatcher/cta_launch_if.h"
#include "models/cta_dispatcher/cta_placement.h"
#include "models/cta_dispatcher/kernel_boundary_if.h"
#include "models/tlm/port_base.h"
#include "models/tlm/run_driver.h"

namespace strata {

/// How far the present pass through a program has come.
struct DispatchProgress {
  std::uint64_t kernels = 0;
  std::uint64_t kernels_done = 0;
  std::uint64_t ctas_launched = 0;  ///< of all kernels of all passes so far
  std::uint64_t ctas_done = 0;
  std::uint64_t passes = 0;            ///< times that the program has ended
  const KernelInfo* kernel = nullptr;  ///< the present one; null before the first and after the last
};

/// A program and the SMs that it may use.
struct Application {
  InstructionSource* source = nullptr;    ///< must outlive the simulation
  int first_sm = 0;                       ///< of each cluster
  int sms = 0;                            ///< of each cluster; 0 = all
  bool repeat = false;                    ///< begin again after the last kernel
  std::function<void(Cycle)> ended = {};  ///< told when the program has ended for the first time
};

/// What the queues of all applications share, and where they wake up again.
class KernelQueueHost {
 public:
  virtual ~KernelQueueHost() = default;
  virtual void wake_queue(int application, Cycle at) = 0;
  virtual Cycle queue_now() const = 0;
  virtual CtaLaunchIf& cluster_at(int cluster) = 0;
  /// Null when nobody works at boundaries.
  virtual KernelBoundaryIf* boundary_if() = 0;
  virtual CtaDispatcherStats& queue_stats() = 0;
  /// A copy from the host has taken place.
  virtual void copied(const MemcpyInfo& copy) = 0;
  /// Of the present kernel of an application, its boundary work included.
  virtual void kernel_ended(int application, std::size_t kernel, Cycle now) = 0;
  /// Stop the simulation: see CtaDispatcher::failure.
  virtual void fail(std::exception_ptr reason) = 0;
  virtual bool failed() const = 0;
};

/// The kernels of one application on its SMs: launch, end, store drain, L1 flush and boundary work, one
/// kernel after the other.
class KernelQueue final : private KernelBoundaryDoneIf {
 public:
  /// `jitter_name`: what the pauses are drawn from beside the run's seed.
  KernelQueue(KernelQueueHost& host, int index, const CtaDispatcherParams& params,
              const Application& application, std::uint64_t seed, const std::string& jitter_name);

  /// Once the clusters are known.
  void elaborate();
  void advance(Cycle now);
  bool finished() const { return phase_ == KernelPhase::finished; }
  Cycle end_cycle() const { return end_cycle_; }
  std::uint64_t kernels_done() const { return kernels_done_; }
  std::uint64_t work_done() const { return kernels_done_ + ctas_done_; }
  /// End of a pause between kernels or CTAs.
  Cycle pauses_until() const;
  DispatchProgress progress() const;
  const std::vector<KernelSpan>& kernel_spans() const { return kernel_spans_; }
  const Application& application() const { return application_; }
  bool owns(int sm) const {
    return sm >= application_.first_sm && sm < application_.first_sm + application_.sms;
  }

  void cta_done(int cluster, int sm, Cycle now);
  void drained(Cycle now);
  void flush_done(Cycle now);
  void settle(Cycle now);
  Faults check_idle(const std::string& where) const;
  void add_waits(std::vector<WaitNote>& notes) const;

 private:
  void kernel_boundary_done(Cycle at) override;
  const KernelInfo& kernel() const { return application_.source->kernels()[kernel_]; }
  void book(Cycle at) { host_.wake_queue(index_, at); }
  void enter(KernelPhase phase, Cycle now);
  void begin_kernel(Cycle now);
  void launch_ctas(Cycle now);
  void launch(std::uint64_t cta, const SmPlace& place);
  bool pause_after_launch(Cycle now);
  void look_for_atomics(const CtaTrace& cta);
  void begin_flush(Cycle now);
  void begin_boundary(Cycle now);
  void end_kernel(Cycle now);
  int room(const SmPlace& place);

  KernelQueueHost& host_;
  const int index_;
  const CtaDispatcherParams& params_;
  Application application_;
  CtaDispatcherStats& stats_;
  std::unique_ptr<CtaPlacement> placement_;
  PlacementView view_;                   // SMs counted from the application's first one
  std::vector<std::vector<bool>> full_;  // SM had no room when last asked, and nothing ended there since

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
  bool watch_atomics_ = false;  // somebody wants to know, and the present kernel has shown none
  Cycle boundary_done_ = never;
  Cycle end_cycle_ = 0;
  std::uint64_t passes_ = 0;
  std::uint64_t kernels_done_ = 0;
  std::uint64_t ctas_launched_ = 0;
  std::uint64_t ctas_done_ = 0;
  std::vector<KernelSpan> kernel_spans_;
};

}  // namespace strata
