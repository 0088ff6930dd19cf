#pragma once

#include <memory>
#include <vector>

#include "models/cache/llc_set_index.h"
#include "models/common/access.h"
#include "models/common/address_map.h"
#include "models/common/llc_choices_if.h"
#include "models/common/reply_stage.h"
#include "models/common/storage.h"
#include "models/llc_control/llc_control_params.h"
#include "models/llc_control/llc_control_stats.h"

namespace strata {

/// What has to be flushed before the next kernel may start.
enum class KernelEndFlush : std::uint8_t { nothing, replicas, everything };

/// What has been counted so far: by each slice, by slice number, and by all SMs.
struct SliceTotals {
  std::vector<std::uint64_t> accesses;
  std::vector<std::uint64_t> misses;
  int fetches = 0;                 ///< lines that all slices are fetching now
  std::uint64_t instructions = 0;  ///< thread instructions issued; 0 when the SMs cannot tell
};

/// Growth of a counter, which may have been reset in between.
constexpr std::uint64_t counted_since(std::uint64_t now, std::uint64_t before) {
  return now >= before ? now - before : now;
}

/// The machine around the LLC, known once everything is bound.
struct LlcMachine {
  SliceTags slice;                          ///< of every slice
  std::vector<ReplyStage> shared_replies;   ///< router stages on the way of the replies, from the slices on
  std::vector<ReplyStage> private_replies;  ///< without the gated stages
};

/// How the slices of an LLC are used: which slice serves a request, and what that demands of the slices. Free
/// of SystemC. An adaptive policy returns the cycle of its next look; the control calls look() then, and
/// carries out a change of mode.
class Organization {
 public:
  virtual ~Organization() = default;
  /// Before simulation starts.
  virtual void attach(const LlcMachine& /*machine*/) {}

  /// Slice of the whole LLC: channel x slices per channel + slice within the channel.
  virtual int slice_of(const Access& access) const = 0;
  /// Like slice_of(), for a request in cycle `now` that the policy may learn from. Called instead of it while
  /// watches().
  virtual int learn(const Access& access, Cycle /*now*/) { return slice_of(access); }
  virtual bool watches() const { return false; }

  virtual LlcMode mode() const { return LlcMode::shared; }
  /// Copies that a line can have now.
  virtual int degree() const { return 1; }
  /// Whether slices must keep memory up to date now, because other slices may hold the same lines.
  virtual bool writes_through() const { return mode() == LlcMode::private_; }
  virtual KernelEndFlush at_kernel_end() const { return KernelEndFlush::nothing; }

  /// The next cycle in which look() wants to be called; `never` = not before something else happens.
  virtual Cycle next_look() const { return never; }
  /// The mode that the policy wants now. The control changes to it, which takes time, and calls changed().
  virtual LlcMode look(Cycle /*now*/, const SliceTotals& /*totals*/) { return mode(); }
  virtual void changed(LlcMode /*mode*/, Cycle /*now*/, const SliceTotals& /*totals*/) {}
  virtual void kernel_began(Cycle /*now*/, const SliceTotals& /*totals*/) {}
  virtual void kernel_ended(Cycle /*now*/) {}
  /// The kernel has global atomics, which need one place of execution. Returns the mode wanted from now on.
  virtual LlcMode atomics_found(Cycle /*now*/) { return mode(); }

  /// A host sets the degree from now on, 0 = the policy's own. Returns false when it is not possible.
  virtual bool force_degree(int /*degree*/) { return false; }
  /// Lengths from the next epoch on; false when the policy has none, or they do not fit together.
  virtual bool set_epoch(int /*epoch*/, int /*profile*/) { return false; }

  /// Predictors by field, as the parameters make them; known once attached. Entries are rows of storage.
  virtual StorageFields predictors() const { return {}; }
  std::uint64_t predictor_bits() const {
    std::uint64_t bits = 0;
    for (const StorageField& field : predictors()) bits += field.entries * field.bits;
    return bits;
  }
  const std::vector<LlcChoice>& choices() const { return choices_; }
  const LlcPolicyStats& stats() const { return stats_; }
  LlcPolicyStats& stats() { return stats_; }

 protected:
  void note(LlcChoice choice) { choices_.push_back(std::move(choice)); }
  LlcPolicyStats stats_;

 private:
  std::vector<LlcChoice> choices_;
};

/// `map` must outlive the organization. Throws ConfigError when the parameters do not fit the map.
std::unique_ptr<Organization> make_organization(const LlcControlParams& params, const AddressMap& map);

}  // namespace strata
