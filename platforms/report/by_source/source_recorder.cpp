#include "platforms/report/by_source/source_recorder.h"

#include <algorithm>

#include "models/l1/watched_l1.h"
#include "models/sm_cluster/sm_cluster.h"
#include "models/sm_cluster/warp_waits.h"
#include "models/tlm/txn.h"

namespace strata::platforms {

/// Watches one binding of an SM.
class SourceRecorder::Binding final : public CallWatchIf {
 public:
  Binding(SourceRecorder& recorder, const Block& sm, CallWatchIf* other)
      : recorder_(recorder), sm_(sm), other_(other) {}

  void call_begins(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                   bool forward) override {
    if (other_ != nullptr) other_->call_begins(payload, phase, delay, forward);
    Txn* const txn = Txn::from(payload);
    if (txn == nullptr) return;
    if (forward && phase == tlm::BEGIN_REQ) recorder_.sent(txn->access());
    if (!forward && phase == tlm::BEGIN_RESP) txn->acquire();  // the SM may free it before it returns
  }
  void call_ends(Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum result,
                 const tlm::tlm_phase& phase, const sc_core::sc_time& delay, bool forward) override {
    if (other_ != nullptr) other_->call_ends(payload, sent, result, phase, delay, forward);
    if (forward && sent == tlm::BEGIN_REQ) {
      const bool answered =
          result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
      const Txn* const txn = answered ? Txn::from(payload) : nullptr;
      if (txn != nullptr) recorder_.replied(txn->access(), sm_.clock().ledger_at(sm_.clock().arrival(delay)));
    } else if (!forward && sent == tlm::BEGIN_RESP) {
      Txn* const txn = Txn::from(payload);
      if (txn == nullptr) return;
      recorder_.replied(txn->access(), txn->access().ledger.mark());  // the SM has charged cycles up to now
      txn->release();
    }
  }

 private:
  SourceRecorder& recorder_;
  const Block& sm_;
  CallWatchIf* const other_;
};

/// Watches the SMs of one cluster. Cycles are passed on in those of the ledger.
class SourceRecorder::SmWatch final : public SmWatchIf {
 public:
  SmWatch(SourceRecorder& recorder, SmCluster& cluster) : recorder_(recorder), cluster_(cluster) {
    cluster.watch_sms(*this);
  }
  void visited(const SmCore& core, int sm, Cycle now) override {
    waits_[sm].look(core, now, [&](int warp, Cycle from, Cycle until) {
      recorder_.waited(sm, warp, cluster_.clock().ledger_at(from), cluster_.clock().ledger_at(until));
    });
  }

 private:
  SourceRecorder& recorder_;
  const SmCluster& cluster_;
  std::map<int, WarpWaits> waits_;
};

SourceRecorder::SourceRecorder() = default;
SourceRecorder::~SourceRecorder() = default;

CallWatchIf* SourceRecorder::watch(const PortBase& from, CallWatchIf* other) {
  if (dynamic_cast<const SmCluster*>(&from.owner()) == nullptr) return other;
  bindings_.push_back(std::make_unique<Binding>(*this, from.owner(), other));
  return bindings_.back().get();
}

void SourceRecorder::attach(const Platform& platform) {
  for (const PlatformInstance& instance : platform.instances()) {
    if (auto* const l1 = dynamic_cast<WatchedL1*>(instance.block))
      l1->watch_accesses(&l1s_.emplace_back(*this));
    if (auto* const sms = dynamic_cast<SmCluster*>(instance.block))
      sms_.push_back(std::make_unique<SmWatch>(*this, *sms));
  }
}

SourceFigures& SourceRecorder::of(const Access& access) {
  return figures_[{access.application, access.kernel, access.pc}];
}

void SourceRecorder::looked(const Access& access, std::uint64_t hits) {
  SourceFigures& figures = of(access);
  ++figures.l1_looked;
  figures.l1_hits += hits;
}

std::uint64_t SourceRecorder::place_of(int sm, int warp, int slot) {
  return static_cast<std::uint64_t>(sm) << 32U | static_cast<std::uint64_t>(warp) << 16U |
         static_cast<std::uint64_t>(slot);
}

SourceRecorder::Open& SourceRecorder::open(const Access& access) {
  return open_[place_of(access.sm, access.warp, access.load_slot)];
}

// The reply of the load that ended the wait came in the cycle before; until the warp has waited, its table of
// loads stays as it was.
void SourceRecorder::waited(int sm, int warp, Cycle from, Cycle until) {
  stall_cycles_ += until - from;
  const Open* ended = nullptr;
  for (auto at = open_.lower_bound(place_of(sm, warp, 0)); at != open_.end(); ++at) {
    if (at->first >= place_of(sm, warp, WarpState::most_loads)) break;
    const Open& one = at->second;
    if (one.last < until && one.last + 1 >= from && (ended == nullptr || one.last > ended->last))
      ended = &one;
  }
  if (ended != nullptr) figures_[ended->key].stall_cycles += until - from;
}

void SourceRecorder::close(Open& one) {
  const auto found = figures_.find(one.key);
  if (found != figures_.end() && one.last > one.birth) found->second.load_cycles += one.last - one.birth;
  one.last = 0;
}

// The lines of an instruction enter the load/store unit in one cycle and leave it one after the other.
void SourceRecorder::sent(const Access& access) {
  SourceFigures& figures = of(access);
  figures.access_class = access.access_class;
  ++figures.lines;
  figures.sectors += static_cast<unsigned>(access.sector_count());
  Open& one = open(access);
  const Key key{access.application, access.kernel, access.pc};
  if (one.key == key && one.birth == access.birth) return;
  close(one);
  one = {key, access.birth, 0};
  ++figures.instructions;
}

void SourceRecorder::replied(const Access& access, Cycle at) {
  SourceFigures& figures = of(access);
  ++figures.replies;
  figures.line_cycles += at - access.birth;
  if (is_write(access.access_class)) return;  // no warp waits for a store
  Open& one = open(access);
  if (one.birth == access.birth) one.last = std::max(one.last, at);
}

const SourceRecorder::Figures& SourceRecorder::figures() {
  for (auto& [place, one] : open_) close(one);
  open_.clear();
  return figures_;
}

}  // namespace strata::platforms
