#pragma once

#include "models/cache/llc_set_index.h"
#include "models/cache/set_index.h"
#include "models/common/storage.h"
#include "models/llc_control/organization.h"
#include "models/llc_predictors/auxiliary_tag_directory.h"
#include "models/llc_predictors/lsp_counters.h"

namespace strata {

/// Watches the shared LLC and says whether the private one would be better, as printed (ISCA 2019, sections
/// 4.3 and 4.4).
///
/// The paper's directory sits in a slice and its counters in a router; here both see requests in the order in
/// which routers ask for the slice, which differs from that of arrival by what queues in between.
class AdaptiveProfile {
 public:
  AdaptiveProfile(const LlcControlParams& params, const AddressMap& map, const LlcMachine& machine);

  /// A request to the shared LLC. Tags are always kept up to date, so that a profile begins with warm ones.
  void observe(const Access& access, int slice) {
    if (slice == sampled_slice)
      directory_.observe(set_of_(access.line), access.line >> line_bits_, access.cluster);
    if (open_ && access.cluster == 0) first_cluster_.count(slice / slices_per_channel_, 0);
  }
  void begin(const SliceTotals& totals);
  void stop() { open_ = false; }
  bool open() const { return open_; }
  /// The decision, `at` and all that was compared included.
  LlcChoice decide(Cycle now, const SliceTotals& totals);
  /// The LLC has been flushed.
  void clear() { directory_.clear(); }
  StorageFields storage() const;

 private:
  static constexpr int sampled_slice = 0;

  double measured_miss_rate(const SliceTotals& totals, double& lsp) const;

  LlcControlParams params_;
  int slices_per_channel_;
  int line_bits_;
  LlcSetIndex set_of_;
  AuxiliaryTagDirectory directory_;
  LspCounters first_cluster_;  // its requests, by memory controller
  bool open_ = false;
  SliceTotals before_;
};

}  // namespace strata
