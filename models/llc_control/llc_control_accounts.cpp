// What the control of the LLC counts by time, and what it says of itself at the end of a run or when nothing
// moves.
#include <algorithm>

#include "models/llc_control/llc_control.h"
#include "models/llc_control/organization_kind.h"

namespace strata {

std::string_view LlcControl::organization_of(int application) const {
  return params_.of_application(application, application_count()).kind().name;
}

void LlcControl::count_time(Cycle now) {
  if (now <= counted_until_) return;
  const Cycle spent = now - counted_until_;
  stats_.cycles += spent;
  int degree = 1;  // the largest
  for (LlcTenant& tenant : tenants_) {
    if (tenant.organization->mode() == LlcMode::private_) tenant.stats.private_cycles += spent;
    degree = std::max(degree, tenant.organization->degree());
  }
  if (tenants_.all_private()) stats_.private_cycles += spent;
  stats_.degree_cycles += spent * static_cast<Cycle>(degree);
  counted_until_ = now;
}

void LlcControl::settle(Cycle now) {
  count_time(now);
  enter(phase_, std::max(now, phase_since_));
  stats_.policy = {};
  for (const LlcTenant& tenant : tenants_) add_stats(stats_.policy, tenant.organization->stats());
  if (clusters_ == nullptr) return;
  stats_.lines = clusters_->lines();
  stats_.lines_2_clusters = clusters_->lines(2, 2);
  stats_.lines_3_4_clusters = clusters_->lines(3, 4);
  stats_.lines_5_8_clusters = clusters_->lines(5, 8);
  stats_.lines_9_clusters = clusters_->lines(9, params_.clusters);
  if (sms_reading_ == nullptr) return;
  stats_.read_only_lines = sms_reading_->lines();
  stats_.read_only_lines_2_sms = sms_reading_->lines(2, sms_reading_->params().sharers);
  stats_.read_only_lines_10_sms = sms_reading_->lines(10, sms_reading_->params().sharers);
}

// A profile that is open counts again, since its decision will.
void LlcControl::reset_stats() {
  settle(clock().now());
  stats_ = {};
  for (LlcTenant& tenant : tenants_) {
    LlcPolicyStats& policy = tenant.organization->stats();
    const std::uint64_t open =
        policy.profiles - policy.rule1_choices - policy.rule2_choices - policy.shared_choices;
    policy = {};
    policy.profiles = open;
    tenant.stats.private_cycles = 0;
    stats_.predictor_bits += tenant.organization->predictor_bits();
  }
}

void LlcControl::watch_sharing(const Access& access) {
  const Cycle now = clock().now();
  const Address line = access.line & ~(map_.line_bytes() - 1);
  clusters_->observe(line, access.cluster, now);
  if (access.access_class == AccessClass::read_only_load && sms_reading_ != nullptr)
    sms_reading_->observe(line, access.sm, now);
}

Faults LlcControl::check_idle() const {
  Faults faults;
  if (slices_busy_ != 0)
    faults.push_back({{name(), 0, 0}, std::to_string(slices_busy_) + " slices are still being flushed"});
  if (phase_ != Phase::idle)
    faults.push_back({{name(), 0, 0}, "a change of the organization is not finished"});
  return faults;
}

std::vector<WaitNote> LlcControl::waits() const {
  if (phase_ == Phase::draining)
    return {{"change of the organization: accesses of the stalled SMs", "", 1, 1, nullptr}};
  if (slices_busy_ == 0) return {};
  return {{changes_ ? "change of the organization: flush or write-back" : "flush at the kernel boundary", "",
           slices_busy_, params_.slices, nullptr}};
}

}  // namespace strata
