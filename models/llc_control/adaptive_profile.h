#pragma once

#include <memory>

#include "models/cache/set_index.h"
#include "models/llc_control/organization.h"
#include "models/llc_predictors/auxiliary_tag_directory.h"
#include "models/llc_predictors/lsp_counters.h"
#include "models/llc_slice/slice_index.h"

namespace strata {

/// Watches the shared LLC and says whether the private one would be better (ISCA 2019, sections 4.3 and 4.4).
///
/// The paper's directory sits in a slice and its counters in a router; here both see requests in the order in
/// which routers ask for the slice, which differs from that of arrival by what queues in between.
class AdaptiveProfile {
 public:
  AdaptiveProfile(const LlcControlParams& params, const AddressMap& map, const LlcMachine& machine);

  /// A request to the shared LLC. Tags are always kept up to date, so that a profile begins with warm ones.
  void observe(const Access& access, int slice, Cycle now) {
    if (slice == sampled_slice) sample(access);
    if (open_) count(access, slice, now);
  }
  void begin(Cycle now, const SliceTotals& totals);
  void stop() { open_ = false; }
  bool open() const { return open_; }
  /// The decision, `at` and all that was compared included.
  LlcChoice decide(Cycle now, const SliceTotals& totals);
  /// The LLC has been flushed.
  void clear() { directory_.clear(); }
  std::uint64_t bits() const;

 private:
  static constexpr int sampled_slice = 0;

  void sample(const Access& access);
  void count(const Access& access, int slice, Cycle now);
  double measured_miss_rate(const SliceTotals& totals, double& lsp) const;
  void decide_as_printed(LlcChoice& choice) const;
  void decide_by_bottleneck(LlcChoice& choice) const;

  LlcControlParams params_;
  int slices_per_channel_;
  int line_bits_;
  double line_bytes_;
  double shared_ceiling_;   // replies per cycle
  double private_ceiling_;  // replies per cycle
  LlcSetIndex set_of_;
  AuxiliaryTagDirectory directory_;
  LspCounters first_cluster_;             // its requests, by memory controller
  std::unique_ptr<LspCounters> windows_;  // all requests by slice; windowed
  bool open_ = false;
  SliceTotals before_;
};

}  // namespace strata
