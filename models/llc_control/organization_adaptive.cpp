#include <algorithm>

#include "models/llc_control/adaptive_base.h"
#include "models/llc_control/adaptive_profile.h"
#include "models/llc_control/organization_kind.h"

namespace strata {
namespace {

/// Shared or private, as printed (ISCA 2019, section 4): shared while it is profiled, then what the profile
/// advises until the epoch ends; shared again at each epoch and at each kernel start. D: epochs count from
/// the kernel's start.
class OrganizationAdaptive final : public AdaptiveBase {
 public:
  OrganizationAdaptive(const LlcControlParams& params, const AddressMap& map)
      : AdaptiveBase(params, map), profile_cycles_(static_cast<Cycle>(params.profile)) {}

  void attach(const LlcMachine& machine) override {
    profile_ = std::make_unique<AdaptiveProfile>(params_, map_, machine);
  }
  int learn(const Access& access, Cycle) override {
    const int slice = slice_of(access);
    profile_->observe(access, slice);
    return slice;
  }
  bool watches() const override { return running_ && mode_ == LlcMode::shared; }

  Cycle next_look() const override {
    if (!running_) return never;
    return profile_->open() ? std::min(profile_end_, epoch_end_) : epoch_end_;
  }
  LlcMode look(Cycle now, const SliceTotals& totals) override;
  void changed(LlcMode mode, Cycle now, const SliceTotals& totals) override;
  void kernel_began(Cycle now, const SliceTotals& totals) override;
  void kernel_ended(Cycle now) override;
  LlcMode atomics_found(Cycle now) override;
  bool set_epoch(int epoch, int profile) override;
  StorageFields predictors() const override {
    return profile_ == nullptr ? StorageFields{} : profile_->storage();
  }

 private:
  void begin_profile(Cycle now, const SliceTotals& totals);

  std::unique_ptr<AdaptiveProfile> profile_;
  Cycle profile_cycles_;
  Cycle profile_end_ = never;
};

void OrganizationAdaptive::begin_profile(Cycle now, const SliceTotals& totals) {
  if (pinned_) return;
  profile_->begin(totals);
  profile_end_ = now + profile_cycles_;
  ++stats_.profiles;
}

void OrganizationAdaptive::kernel_began(Cycle now, const SliceTotals& totals) {
  begin_kernel(now);
  begin_profile(now, totals);
}

void OrganizationAdaptive::kernel_ended(Cycle) {
  running_ = false;
  profile_->stop();
}

LlcMode OrganizationAdaptive::look(Cycle now, const SliceTotals& totals) {
  LlcMode wanted = mode_;
  if (profile_->open() && now >= profile_end_) {
    LlcChoice choice = profile_->decide(now, totals);
    wanted = choice.mode;
    if (choice.why == "rule 1")
      ++stats_.rule1_choices;
    else
      ++(wanted == LlcMode::private_ ? stats_.rule2_choices : stats_.shared_choices);
    note(std::move(choice));
  }
  if (now >= epoch_end_) {
    next_epoch(now);
    wanted = LlcMode::shared;  // rule 3
    if (mode_ == LlcMode::shared) begin_profile(now, totals);
  }
  return wanted;
}

void OrganizationAdaptive::changed(LlcMode mode, Cycle now, const SliceTotals& totals) {
  mode_ = mode;
  profile_->stop();
  if (mode == LlcMode::private_) return;
  profile_->clear();
  if (running_) begin_profile(now, totals);
}

LlcMode OrganizationAdaptive::atomics_found(Cycle now) {
  if (pin(now)) profile_->stop();
  return LlcMode::shared;
}

bool OrganizationAdaptive::set_epoch(int epoch, int profile) {
  if (epoch <= profile || profile < 1) return false;
  epoch_ = static_cast<Cycle>(epoch);
  profile_cycles_ = static_cast<Cycle>(profile);
  return true;
}

Faults faults_of(const LlcControlParams& params) {
  const bool windowed = params.rule == LlcControlParams::Rule::windowed;
  const int taken = windowed ? 2 * params.trial : params.profile;
  if (params.epoch_cycles() > taken) return {};
  const std::string what = windowed ? "watching and trying alone take 2 x " + std::to_string(params.trial)
                                    : "profiling alone takes " + std::to_string(params.profile);
  return {param_fault("epoch", "is " + std::to_string(params.epoch_cycles()) + " cycles, but " + what +
                                   "; it must be longer")};
}

}  // namespace

OrganizationKind adaptive_organization() {
  const auto make = [](const LlcControlParams& params,
                       const AddressMap& map) -> std::unique_ptr<Organization> {
    if (params.rule == LlcControlParams::Rule::windowed) return make_organization_windowed(params, map);
    return std::make_unique<OrganizationAdaptive>(params, map);
  };
  OrganizationKind kind{"adaptive", "shared or private as a profile advises", make};
  kind.changes_mode = true;
  kind.faults = faults_of;
  return kind;
}

}  // namespace strata
