#pragma once

#include "models/cache/llc_set_index.h"
#include "models/cache/set_index.h"
#include "models/llc_control/organization.h"
#include "models/llc_predictors/lsp_counters.h"
#include "models/llc_predictors/replica_tags.h"

namespace strata {

/// Watches the shared LLC and says whether the private one is worth a trial (ours): when the shared mode's
/// network is busy and the least of slices, network and memory lets more through in private mode; or, when
/// nothing is busy and the private mode asks no more of memory, in two profiles in a row.
///
/// True tags of the private slices of one memory controller, in whose router they can sit, since all clusters
/// pass it; slice parallelism of both modes over short windows, of all requests; ceilings of the network from
/// the parameters of its routers.
class BottleneckProfile {
 public:
  BottleneckProfile(const LlcControlParams& params, const AddressMap& map, const LlcMachine& machine);

  /// A request to slice `slice` of the shared LLC, which would be `private_slice` of the private one.
  void observe(const Access& access, int slice, int private_slice, Cycle now) {
    const bool store = access.access_class == AccessClass::store;
    if (slice < slices_per_channel_ && !store) sample(access);  // memory controller 0
    if (!open_) return;
    shared_.count(slice, now);
    private_.count(private_slice, now);
    if (store) ++stores_;
  }
  /// What was seen until now only warmed the tags.
  void begin(Cycle now, const SliceTotals& totals);
  void stop() { open_ = false; }
  /// Mode private_ = try it. `at` and all that was compared included.
  LlcChoice decide(Cycle now, const SliceTotals& totals);
  /// A private LLC would be empty now.
  void clear() {
    tags_.clear();
    free_before_ = false;
  }
  StorageFields storage() const;

 private:
  void sample(const Access& access) {
    tags_.observe(set_of_(access.line), access.line >> line_bits_, 0,
                  access.cluster % tags_.params().clusters);
  }

  bool memory_queues(const SliceTotals& totals, double misses_per_cycle) const;

  LlcControlParams params_;
  int slices_per_channel_;
  int line_bits_;
  double line_bytes_;
  double shared_ceiling_;   // replies per cycle
  double private_ceiling_;  // replies per cycle
  LlcSetIndex set_of_;
  ReplicaTags tags_;     // of the private slices
  LspCounters shared_;   // all requests by slice
  LspCounters private_;  // all requests by slice, were they private
  std::uint64_t stores_ = 0;
  bool open_ = false;
  bool free_before_ = false;  // the last profile found that nothing is busy and private costs memory nothing
  Cycle began_ = 0;
  SliceTotals before_;
};

}  // namespace strata
