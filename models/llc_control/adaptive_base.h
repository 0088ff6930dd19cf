#pragma once

#include "models/common/address_map.h"
#include "models/llc_control/organization.h"

namespace strata {

/// What both rules of the adaptive organization share: where requests go in each mode, and what a kernel
/// boundary takes (ISCA 2019, section 4). Kernels with global atomics stay shared.
class AdaptiveBase : public Organization {
 public:
  AdaptiveBase(const LlcControlParams& params, const AddressMap& map)
      : params_(params), map_(map), epoch_(static_cast<Cycle>(params.epoch_cycles())) {}

  int slice_of(const Access& access) const override {
    const Location where = map_.locate(access.line);
    if (mode_ == LlcMode::shared || access.access_class == AccessClass::atomic)
      return where.channel * map_.slices_per_channel() + where.slice;
    return private_slice(access, where);
  }
  LlcMode mode() const override { return mode_; }
  int degree() const override { return mode_ == LlcMode::private_ ? params_.clusters : 1; }
  KernelEndFlush at_kernel_end() const override {
    return mode_ == LlcMode::private_ ? KernelEndFlush::everything : KernelEndFlush::nothing;
  }

 protected:
  int private_slice(const Access& access, Location where) const {
    const int slices = map_.slices_per_channel();
    return where.channel * slices + (access.cluster < slices ? access.cluster : access.cluster % slices);
  }
  /// D: epochs count from the kernel's start.
  void begin_kernel(Cycle now) {
    running_ = true;
    pinned_ = false;
    epoch_end_ = now + epoch_;
  }
  /// True for the first atomics of a kernel.
  bool pin(Cycle now) {
    if (pinned_) return false;
    pinned_ = true;
    ++stats_.pinned_kernels;
    LlcChoice choice;
    choice.at = now;
    choice.why = "atomics";
    note(std::move(choice));
    return true;
  }
  /// An epoch is over in cycle `now`.
  void next_epoch(Cycle now) {
    ++stats_.epochs;
    epoch_end_ = std::max(epoch_end_ + epoch_, now + 1);
  }

  LlcControlParams params_;
  const AddressMap& map_;
  LlcMode mode_ = LlcMode::shared;
  Cycle epoch_;
  Cycle epoch_end_ = never;
  bool running_ = false;
  bool pinned_ = false;  // the present kernel has atomics
};

/// The rule `windowed` of the organization `adaptive`.
std::unique_ptr<Organization> make_organization_windowed(const LlcControlParams& params,
                                                         const AddressMap& map);

}  // namespace strata
