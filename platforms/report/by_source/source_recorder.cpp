#include "platforms/report/by_source/source_recorder.h"

#include <algorithm>

#include "models/l1/watched_l1.h"
#include "models/sm_cluster/sm_cluster.h"
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

SourceRecorder::SourceRecorder() = default;
SourceRecorder::~SourceRecorder() = default;

CallWatchIf* SourceRecorder::watch(const PortBase& from, CallWatchIf* other) {
  if (dynamic_cast<const SmCluster*>(&from.owner()) == nullptr) return other;
  bindings_.push_back(std::make_unique<Binding>(*this, from.owner(), other));
  return bindings_.back().get();
}

void SourceRecorder::attach(const Platform& platform) {
  for (const PlatformInstance& instance : platform.instances())
    if (auto* const l1 = dynamic_cast<WatchedL1*>(instance.block))
      l1->watch_accesses(&l1s_.emplace_back(*this));
}

SourceFigures& SourceRecorder::of(const Access& access) {
  return figures_[{access.application, access.kernel, access.pc}];
}

void SourceRecorder::looked(const Access& access, std::uint64_t hits) {
  SourceFigures& figures = of(access);
  ++figures.l1_looked;
  figures.l1_hits += hits;
}

SourceRecorder::Open& SourceRecorder::open(const Access& access) {
  return open_[std::uint64_t{access.sm} << 32U | std::uint64_t{access.warp} << 16U | access.load_slot];
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
