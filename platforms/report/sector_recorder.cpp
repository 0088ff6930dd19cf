#include "platforms/report/sector_recorder.h"

#include "models/common/initial_state_if.h"
#include "models/sm_cluster/sm_cluster.h"
#include "models/tlm/block.h"
#include "models/tlm/txn.h"

namespace strata::platforms {

void SectorCounts::add(const Access& access) {
  std::uint64_t& count = access.access_class == AccessClass::atomic ? atomics
                         : is_write(access.access_class)            ? writes
                                                                    : reads;
  count += static_cast<unsigned>(access.sector_count());
}

SectorCounts& SectorCounts::operator+=(const SectorCounts& other) {
  reads += other.reads;
  writes += other.writes;
  atomics += other.atomics;
  return *this;
}

SectorCounts& SectorCounts::operator-=(const SectorCounts& other) {
  reads -= other.reads;
  writes -= other.writes;
  atomics -= other.atomics;
  return *this;
}

LaunchSectors& LaunchSectors::operator+=(const LaunchSectors& other) {
  global += other.global;
  llc += other.llc;
  return *this;
}

LaunchSectors& LaunchSectors::operator-=(const LaunchSectors& other) {
  global -= other.global;
  llc -= other.llc;
  return *this;
}

/// Watches one binding of an SM or in front of an LLC slice.
class SectorRecorder::Binding final : public CallWatchIf {
 public:
  Binding(SectorRecorder& recorder, bool of_llc, CallWatchIf* other)
      : recorder_(recorder), of_llc_(of_llc), other_(other) {}

  void call_begins(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                   bool forward) override {
    if (other_ != nullptr) other_->call_begins(payload, phase, delay, forward);
    const Txn* const txn = forward && phase == tlm::BEGIN_REQ ? Txn::from(payload) : nullptr;
    if (txn == nullptr) return;
    const Access& access = txn->access();
    LaunchSectors& sectors = recorder_.counts_[application_place(access.application)];
    if (of_llc_)
      sectors.llc.add(access);
    else if (!access.local)
      sectors.global.add(access);
  }
  void call_ends(Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum result,
                 const tlm::tlm_phase& phase, const sc_core::sc_time& delay, bool forward) override {
    if (other_ != nullptr) other_->call_ends(payload, sent, result, phase, delay, forward);
  }

 private:
  SectorRecorder& recorder_;
  const bool of_llc_;
  CallWatchIf* const other_;
};

SectorRecorder::SectorRecorder() = default;
SectorRecorder::~SectorRecorder() = default;

CallWatchIf* SectorRecorder::watch(const PortBase& from, const PortBase& to, CallWatchIf* other) {
  const bool of_llc = dynamic_cast<const WarmLinesIf*>(&to.owner()) != nullptr;
  if (!of_llc && dynamic_cast<const SmCluster*>(&from.owner()) == nullptr) return other;
  bindings_.push_back(std::make_unique<Binding>(*this, of_llc, other));
  return bindings_.back().get();
}

LaunchSectors SectorRecorder::counts(int application) const {
  if (application != all_applications) return counts_[application_place(static_cast<unsigned>(application))];
  LaunchSectors sum;
  for (const LaunchSectors& one : counts_) sum += one;
  return sum;
}

}  // namespace strata::platforms
