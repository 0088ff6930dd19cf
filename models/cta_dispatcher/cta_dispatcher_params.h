#pragma once

#include "models/common/params.h"

namespace strata {

/// Which SM gets the next CTA: an index into CtaPlacementRow::table(); plug-ins follow.
enum class CtaPolicy : int {
  two_level_rr,  ///< round robin over clusters, then over the SMs of the cluster
  bcs,           ///< block CTA scheduling: adjacent CTAs to one SM
  dcs,           ///< distributed CTA scheduling: a contiguous range of CTAs per cluster
};

/// What copies from the host leave behind.
enum class CopyPolicy : int {
  cold,  ///< nothing
  warm,  ///< their lines, in the LLC
};

/// The state that earlier kernels leave for a kernel.
enum class LaunchState : int {
  warm,  ///< their lines in the LLC and their open rows
  cold,  ///< nothing; and kernels run one after the other
};

/// When CTAs of the next kernel are launched beside those of the present ones.
enum class NextKernel : int {
  room,      ///< wherever CTAs of the kernels before it have no room, or none are left
  launched,  ///< when all CTAs of the kernels before it have been launched
};

/// Parameters of `cta_dispatcher`.
struct CtaDispatcherParams final : ParamSet {
  CtaPolicy scheduler = CtaPolicy::two_level_rr;
  int clusters = 1;
  int bcs_block = 2;  // Lee et al., HPCA 2014, section 5: pairs of consecutive CTAs
  int ctas_per_cycle = 1;
  int kernel_launch_latency = 0;
  int max_concurrent_kernels =
      128;  // CUDA C++ Programming Guide, "Technical Specifications": 7.0, 7.5 and up
  NextKernel next_kernel = NextKernel::room;
  int launch_jitter = 0;
  bool flush_l1 = true;
  CopyPolicy copies = CopyPolicy::cold;
  LaunchState launches = LaunchState::warm;

  bool cold_launches() const { return launches == LaunchState::cold; }
  /// Kernels of an application that may run side by side.
  int most_kernels() const { return cold_launches() ? 1 : max_concurrent_kernels; }

  void for_each_param(ParamVisitor& visitor) override;
};

}  // namespace strata
