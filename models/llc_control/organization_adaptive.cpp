#include <algorithm>

#include "models/cache/llc_set_index.h"
#include "models/cache/set_index.h"
#include "models/common/storage.h"
#include "models/llc_control/adaptive_base.h"
#include "models/llc_control/organization.h"
#include "models/llc_control/organization_kind.h"
#include "models/llc_predictors/auxiliary_tag_directory.h"
#include "models/llc_predictors/bandwidth_model.h"
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

namespace {

AtdParams directory_params(const LlcControlParams& params, const LlcMachine& machine) {
  AtdParams atd;
  atd.routers = params.clusters;
  atd.slice_sets = static_cast<int>(machine.slice.sets);
  atd.sampled_sets = std::min(params.atd_sets, atd.slice_sets);
  atd.ways = machine.slice.ways;
  return atd;
}

LspParams counters(int slices, const LlcControlParams& params) {
  LspParams lsp;
  lsp.slices = slices;
  lsp.counter_bits = params.counter_bits;
  return lsp;
}

}  // namespace

AdaptiveProfile::AdaptiveProfile(const LlcControlParams& params, const AddressMap& map,
                                 const LlcMachine& machine)
    : params_(params),
      slices_per_channel_(map.slices_per_channel()),
      line_bits_(__builtin_ctzll(map.line_bytes())),
      set_of_(machine.slice, map),
      directory_(directory_params(params, machine)),
      first_cluster_(counters(map.channels(), params)) {}

StorageFields AdaptiveProfile::storage() const {
  const auto sets = static_cast<std::uint64_t>(directory_.params().sampled_sets);
  return {{"auxiliary tag directory", sets, directory_.storage_bits() / sets},
          {"counters of private slices", 1, first_cluster_.storage_bits()}};
}

void AdaptiveProfile::begin(const SliceTotals& totals) {
  open_ = true;
  before_ = totals;
  directory_.reset_counts();
  first_cluster_.reset(0);
}

double AdaptiveProfile::measured_miss_rate(const SliceTotals& totals, double& lsp) const {
  std::uint64_t accesses = 0;
  std::uint64_t misses = 0;
  std::uint64_t busiest = 0;
  for (std::size_t s = 0; s < totals.accesses.size(); ++s) {
    const std::uint64_t here = counted_since(totals.accesses[s], before_.accesses[s]);
    accesses += here;
    misses += counted_since(totals.misses[s], before_.misses[s]);
    busiest = std::max(busiest, here);
  }
  lsp = busiest == 0 ? 0 : static_cast<double>(accesses) / static_cast<double>(busiest);
  return accesses == 0 ? 0 : static_cast<double>(misses) / static_cast<double>(accesses);
}

LlcChoice AdaptiveProfile::decide(Cycle now, const SliceTotals& totals) {
  open_ = false;
  LlcChoice choice;
  choice.at = now;
  double lsp = 0;
  const double shared_misses = measured_miss_rate(totals, lsp);
  choice.degrees = {1, params_.clusters};
  choice.miss_rates = {shared_misses, 1 - directory_.private_hit_rate()};
  choice.lsps = {lsp, private_lsp(first_cluster_, params_.clusters)};
  if (directory_.counts().accesses == 0 || lsp == 0 || choice.lsps[1] == 0) {
    choice.why = "no data";
    return choice;
  }
  const BandwidthParams raw{params_.slice_bandwidth, params_.memory_bandwidth};
  for (std::size_t i = 0; i < 2; ++i)
    choice.bandwidths.push_back(isca_bandwidth({1 - choice.miss_rates[i], choice.lsps[i]}, raw));
  if (choice.miss_rates[1] - choice.miss_rates[0] <= params_.margin / 100) {
    choice.mode = LlcMode::private_;
    choice.why = "rule 1";
  } else if (choice.bandwidths[1] > choice.bandwidths[0]) {
    choice.mode = LlcMode::private_;
    choice.why = "rule 2";
  } else {
    choice.why = "shared";
  }
  choice.degree = choice.mode == LlcMode::private_ ? params_.clusters : 1;
  return choice;
}

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
