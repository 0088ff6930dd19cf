#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/common/policy_table.h"
#include "models/cta_dispatcher/cta_dispatcher_params.h"

namespace strata {

/// One SM of the platform as the dispatcher sees it.
struct SmPlace {
  int cluster = 0;
  int sm = 0;
};

/// What a placement policy may read.
struct PlacementView {
  std::vector<int> sms;  ///< SMs of each cluster
  /// CTAs of the kernel that an SM can take now.
  std::function<int(const SmPlace&)> room;
};

/// Two-level round-robin pointers over clusters and their SMs.
class RoundRobin {
 public:
  /// The next SM in turn with room for `need` CTAs; moves the pointers past it.
  bool pick(const PlacementView& view, int need, SmPlace& place);
  /// The next SM in turn of one cluster.
  bool pick_in(const PlacementView& view, int cluster, int need, SmPlace& place);

 private:
  std::size_t cluster_ = 0;
  std::vector<int> sm_;
};

/// The pointers that all kernels share.
struct PlacementTurn {
  RoundRobin sms;
  std::size_t cluster = 0;  // for a policy that walks the clusters itself
};

/// Policy: which SM gets which CTA of a kernel next.
class CtaPlacement {
 public:
  virtual ~CtaPlacement() = default;
  /// A kernel of `ctas` CTAs begins; an empty SM of cluster c holds `per_sm[c]` of them, more
  /// than 0 in at least one cluster. Round-robin pointers stay where they are.
  virtual void begin(std::uint64_t ctas, const std::vector<int>& per_sm) = 0;
  /// The next CTA and its SM; false when no CTA can be placed now. A CTA that is returned must be launched.
  virtual bool next(const PlacementView& view, std::uint64_t& cta, SmPlace& place) = 0;
  /// CTAs that must be launched before those of another kernel: the rest of a thread block cluster.
  virtual std::size_t must_follow() const { return 0; }
};

/// A row of the table of placement policies.
struct CtaPlacementRow {
  std::string_view name;
  std::string_view sentence;  ///< which SM gets the next CTA
  /// One a kernel; the turn, which kernels that run side by side share, must outlive it.
  std::unique_ptr<CtaPlacement> (*make)(const CtaDispatcherParams& params, PlacementTurn& turn);

  static constexpr std::string_view kind = "CTA placement";
  static PolicyTable<CtaPlacementRow>& table();
};

/// One a kernel; the turn, which kernels that run side by side share, must outlive it.
std::unique_ptr<CtaPlacement> make_placement(const CtaDispatcherParams& params, PlacementTurn& turn);
/// For kernels with thread block clusters, whatever the policy.
std::unique_ptr<CtaPlacement> make_cluster_placement(PlacementTurn& turn, const KernelInfo& kernel);

}  // namespace strata
