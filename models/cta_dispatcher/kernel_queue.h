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
#include "models/cta_dispatcher/stream_order.h"
#include "models/tlm/port_base.h"
#include "models/tlm/run_driver.h"

namespace strata {

/// Progress of the present pass through a program.
struct DispatchProgress {
  std::uint64_t kernels = 0;
  std::uint64_t kernels_done = 0;
  std::uint64_t ctas_launched = 0;  ///< of all kernels of all passes so far
  std::uint64_t ctas_done = 0;
  std::uint64_t passes = 0;                ///< times that the program has ended
  std::vector<const KernelInfo*> running;  ///< kernels that have begun and not ended
};

/// A program and the SMs that it may use.
struct Application {
  InstructionSource* source = nullptr;    ///< must outlive the simulation
  int first_sm = 0;                       ///< of each cluster
  int sms = 0;                            ///< of each cluster; 0 = all
  bool repeat = false;                    ///< begin again after the last kernel
  std::function<void(Cycle)> ended = {};  ///< called when the program has ended for the first time
};

/// Services that the queues of all applications share.
class KernelQueueHost {
 public:
  virtual ~KernelQueueHost() = default;
  virtual void wake_queue(int application, Cycle at) = 0;
  virtual Cycle queue_now() const = 0;
  virtual CtaLaunchIf& cluster_at(int cluster) = 0;
  /// Null without work at boundaries.
  virtual KernelBoundaryIf* boundary_if() = 0;
  virtual CtaDispatcherStats& queue_stats() = 0;
  /// A copy from the host has taken place.
  virtual void copied(const MemcpyInfo& copy) = 0;
  /// The end of an application's kernel, its boundary work included. `alone`: no other kernel runs beside it.
  virtual void kernel_ended(int application, std::size_t kernel, bool alone, Cycle now) = 0;
  /// Between cold launches: `now` when caches are empty and rows closed, or the cycle in which to ask again.
  virtual Cycle cold_at(Cycle now) = 0;
  /// Stop the simulation: see CtaDispatcher::failure.
  virtual void fail(std::exception_ptr reason) = 0;
  virtual bool failed() const = 0;
};

/// A kernel that has begun and not ended.
struct RunningKernel {
  std::size_t number = 0;  ///< in the source
  const KernelInfo* info = nullptr;
  std::size_t span = 0;  ///< in kernel_spans()
  KernelPhase phase = KernelPhase::launching;
  Cycle first_launch = 0;  ///< earliest cycle for its first CTA
  std::unique_ptr<CtaPlacement> placement;
  std::vector<std::vector<bool>> full;  ///< SM had no room when last asked, and nothing ended there since
  std::uint64_t left_to_launch = 0;
  std::uint64_t running = 0;
};

/// The kernels of one application on its SMs: launch, end, store drain, L1 flush and boundary work. Kernels
/// of different streams run side by side; those that overlap form a group, which ends as a single kernel
/// does.
class KernelQueue final : private KernelBoundaryDoneIf {
 public:
  /// `jitter_name`: mixed with the run's seed for the random pauses.
  KernelQueue(KernelQueueHost& host, int index, const CtaDispatcherParams& params,
              const Application& application, std::uint64_t seed, const std::string& jitter_name);

  /// Call it once the clusters are known.
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
  /// Kernels may run side by side.
  bool side_by_side() const { return side_by_side_; }

  void cta_done(int cluster, int sm, std::uint32_t kernel, Cycle now);
  void drained(Cycle now);
  void flush_done(Cycle now);
  void settle(Cycle now);
  Faults check_idle(const std::string& where) const;
  void add_waits(std::vector<WaitNote>& notes) const;

 private:
  using Running = std::vector<std::unique_ptr<RunningKernel>>;

  void kernel_boundary_done(Cycle at) override;
  const std::vector<KernelInfo>& kernels() const { return application_.source->kernels(); }
  std::string name_of(std::size_t kernel) const;
  void book(Cycle at) { host_.wake_queue(index_, at); }
  KernelPhase present_phase() const;
  void enter(KernelPhase phase, Cycle now);
  int count(KernelPhase phase) const;
  int on_sms() const;
  bool begin_source(Cycle now);
  void begin_kernels(Cycle now);
  void begin_kernel(std::size_t number, Cycle now);
  std::string cluster_fault(const KernelInfo& info, const std::vector<int>& per_sm) const;
  void start_kernels(Cycle now);
  bool may_start();
  void launch_ctas(Cycle now);
  bool launch_next();
  void launch(RunningKernel& kernel, std::uint64_t cta, const SmPlace& place);
  bool pause_after_launch(Cycle now);
  void look_for_atomics(const RunningKernel& kernel, const CtaTrace& cta);
  void end_kernels(Cycle now);
  bool is_drained(const RunningKernel& kernel) const;
  void begin_ending(RunningKernel& kernel, Cycle now);
  void flush_l1s();
  void finish_ending(Cycle now);
  bool is_last() const;
  void end_kernel(const RunningKernel& kernel, bool alone, Cycle now);
  int room(RunningKernel& kernel, const SmPlace& place);

  KernelQueueHost& host_;
  const int index_;
  const CtaDispatcherParams& params_;
  Application application_;
  CtaDispatcherStats& stats_;
  PlacementTurn turn_;
  PlacementView view_;                // SMs counted from the application's first one
  RunningKernel* placing_ = nullptr;  // whose CTA is being placed

  KernelPhase phase_ = KernelPhase::launching;  // of the application
  Cycle phase_since_ = 0;
  bool overlapping_ = false;  // kernels have run side by side since then
  std::unique_ptr<StreamOrder> order_;
  bool several_streams_ = false;
  bool side_by_side_ = false;
  Running running_;  // by priority, then as launched

  // The present group of kernels:
  bool group_open_ = false;          // kernel_began() was called for it
  bool group_has_ended_ = false;     // one of its kernels has
  bool l1_stale_ = false;            // a kernel has ended since the last flush of the L1s
  bool watch_atomics_ = false;       // a listener wants to know, and no CTA has had any
  RunningKernel* ending_ = nullptr;  // the last of the group, in its flush or at its boundary
  int flushes_left_ = 0;
  Cycle boundary_done_ = never;

  Cycle next_launch_ = 0;  // end of the pause after the latest CTA (launch_jitter)
  std::mt19937_64 jitter_;
  std::uint64_t left_to_launch_ = 0;  // of all that run
  Cycle full_since_ = never;
  Cycle end_cycle_ = 0;
  std::uint64_t passes_ = 0;
  std::uint64_t kernels_done_ = 0;
  std::uint64_t ctas_launched_ = 0;
  std::uint64_t ctas_done_ = 0;
  std::vector<KernelSpan> kernel_spans_;
};

}  // namespace strata
