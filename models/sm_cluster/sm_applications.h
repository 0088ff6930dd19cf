#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/sm_cluster/make_line_access.h"
#include "models/sm_cluster/sm_cluster_stats.h"
#include "models/sm_cluster/sm_core.h"
#include "models/tlm/ports.h"

namespace strata {

class L1Pipeline;

/// Accesses of a kernel that are under way.
struct KernelAccesses {
  std::uint32_t in_flight = 0;
  Cycle answered = 0;  ///< from this cycle on those that were known to be answered are
};

/// What an SM cluster keeps of an application that runs on some of its SMs.
struct SmApplication {
  SmClusterStats stats;
  LedgerTotals totals;
  int application = 0;
  Cycle flush_from = never;    // its lines have to be flushed
  int flushes_left = 0;        // not answered yet
  Cycle flushed_from = never;  // the dispatcher learns of it in this cycle
  Cycle attention = never;     // from here on visits must update_stall()
  StallSpan stall;             // the present stall, or the last one
  int stopped_sms = 0;
  bool quiescing = false;               // the dispatcher waits for quiesced()
  bool by_kernel = false;               // kernels may run side by side:
  std::vector<KernelAccesses> kernels;  // by id

  KernelAccesses& accesses_of(std::uint32_t kernel) {
    if (kernel >= kernels.size()) kernels.resize(std::size_t{kernel} + 1);
    return kernels[kernel];
  }
};

/// An SM of a cluster. What every visit reads comes first.
struct SmState {
  SmState(const SmClusterParams& params, SmApplication& its, std::shared_ptr<CtaDecoder> decoder)
      : app(&its), core(params, its.stats, std::move(decoder)) {}
  SmApplication* app;
  Txn* blocked = nullptr;         ///< request that the L1 holds back
  L1Pipeline* fast_l1 = nullptr;  ///< of FastHits
  Cycle link_free = 0;            ///< first cycle in which the socket may send
  SmPlaces places;
  SmCore core;
  Cycle local = 0;                     ///< cycle of the last launch
  const KernelInfo* kernel = nullptr;  ///< the last one that begin_kernel() was called for
  std::int64_t shared_bytes = 0;       ///< of shared memory that was said to be taken then
  std::unique_ptr<InitiatorPort> port;
  bool stopped = false;        ///< by a stall
  bool copy_was_last = false;  ///< the last line was the copy engine's
};

/// An SM of a stalled app is visited in cycle `now`: stop it, or let it resume when the stall is over.
/// True while it is stalled.
bool update_stall(SmState& sm, Cycle now);

/// A stall of the app from `from` on, the next cycle.
void begin_stall(SmApplication& app, const std::vector<SmState*>& sms, Cycle from);

/// The applications of a cluster: one that has all SMs, unless the dispatcher shares them out.
class SmApplications {
 public:
  explicit SmApplications(int sms) : application_of_sm_(static_cast<std::size_t>(sms)), apps_(1) {}

  void assign(const std::vector<int>& application_of_sm);
  SmApplication& of(int application) { return apps_[static_cast<std::size_t>(application)]; }
  const SmApplication& of(int application) const { return apps_[static_cast<std::size_t>(application)]; }
  int application_of(int sm) const { return application_of_sm_[static_cast<std::size_t>(sm)]; }
  int flushes_left() const;
  auto begin() { return apps_.begin(); }
  auto end() { return apps_.end(); }

  /// Of one application, zeros when it has no SM, or of all together.
  const SmClusterStats& stats(int application) const;
  const LedgerTotals& totals(int application) const;
  void reset_stats();

 private:
  std::vector<int> application_of_sm_;
  std::deque<SmApplication> apps_;
  template <class Part>
  const Part& fold(int application, Part SmApplication::*part, Part& sum) const;

  mutable SmClusterStats sum_;  // of several, or of none
  mutable LedgerTotals totals_;
};

}  // namespace strata
