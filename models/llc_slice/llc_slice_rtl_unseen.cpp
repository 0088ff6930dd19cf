// An LLC slice in RTL that has no event port: what its channels alone show.
#include <cstdio>

#include "models/llc_slice/llc_slice_rtl.h"

namespace strata {

// The clock stands when nothing has gone to memory for a while, and no access waits for a reply.
bool LlcSliceRtl::still(const RtlSliceOut& out, Cycle now) {
  if (shape_.event_port) return out.still;
  if (free_.size() != slots_.size()) busy_until_ = now + settling;
  return now >= busy_until_;
}

// The request that a fetch is made for: that of the line which has been there longest, where no event says.
Access& LlcSliceRtl::fetcher(const RtlSliceOut& out, Cycle now) {
  if (shape_.event_port) return *slot(out.mreq_cause, Stage::waiting, "fetches a line for").access;
  Slot* first = nullptr;
  for (Slot& slot : slots_)
    if (slot.stage == Stage::entered && slot.access->line / params_.line == out.mreq_line &&
        (first == nullptr || slot.access->ready < first->access->ready))
      first = &slot;
  if (first == nullptr) {
    char text[80];
    std::snprintf(text, sizeof text, "the RTL fetches line 0x%llx, for which no request waits",
                  static_cast<unsigned long long>(out.mreq_line * params_.line));
    SC_REPORT_ERROR(name(), text);
  }
  Access& access = *first->access;
  access.ledger.charge_split_until(places_.pipeline, latency_ledger_, places_.queue, clock().ledger_at(now));
  first->stage = Stage::waiting;
  --undecided_;
  ++stats_.fetches;
  waiting_[out.mreq_line].push(access);
  return access;
}

// It cannot be seen whether it hit or waited for the line of another.
void LlcSliceRtl::answered_unseen(Access& access, Cycle now) {
  const Cycle ledger = clock().ledger_at(now);
  if (watch_ != nullptr) watch_->seen(access, ledger);
  if (slots_[access.tag].stage == Stage::entered) {
    access.ledger.charge_split_until(places_.pipeline, latency_ledger_, places_.queue, ledger);
    --undecided_;
  }
  ++stats_.accesses;
  ++counts_[application_place(access.application)].accesses;
  ++(access.access_class == AccessClass::atomic  ? stats_.atomics
     : access.access_class == AccessClass::store ? stats_.writes
                                                 : stats_.reads);
  if (access.prefetch) ++stats_.prefetch_reads;
}

void LlcSliceRtl::fail_unseen(const Access& line, tlm::tlm_response_status status) {
  for (Slot& slot : slots_)
    if (slot.stage == Stage::entered && slot.access->line / params_.line == line.line / params_.line)
      Txn::of(*slot.access).set_response_status(status);
}

}  // namespace strata
