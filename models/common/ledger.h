#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/common/units.h"

namespace strata {

/// Where a request's cycles went. Every cycle between birth and retirement is charged to exactly one cause.
enum class Cause : std::uint8_t {
  coalescer,        // in the SM's load/store queue before its turn at the L1
  l1_port,          // L1 port or bank occupied
  l1_pipeline,      // L1 tag and data access
  l1_mshr_full,     // no MSHR, no merge slot or no replaceable line
  l1_merge,         // waiting for a fill that another access asked for
  l1_miss_queue,    // between the L1 and the first link
  request_link,     // crossing links to the LLC
  request_serial,   // tail flits of the request following its head
  request_router,   // router pipeline stages, request network
  request_queue,    // arbitration, credits and head-of-line blocking, request network
  llc_queue,        // in front of the slice
  llc_pipeline,     // slice tag and data access
  llc_mshr_full,    // no MSHR, merge slot or replaceable line at the slice
  llc_merge,        // waiting for a fill that another request asked for
  memory_queue,     // read or write queue of the memory controller, bank ready
  row_activate,     // the row had to be opened
  row_conflict,     // another row had to be closed first
  dram_access,      // column access latency
  dram_bus,         // data bus occupied, burst transfer
  llc_reply_queue,  // waiting for the slice's reply port
  reply_link,       // crossing links to the SM
  reply_serial,     // tail flits of the reply
  reply_router,     // router pipeline stages, reply network
  reply_queue,      // arbitration and credits, reply network
  l1_fill,          // fill and delivery to the SM
  reconfiguration,  // stalled while an LLC organization changes or caches are flushed
  foreign,          // inside a module that keeps no ledger
  count_
};

constexpr int cause_count = static_cast<int>(Cause::count_);

std::string_view to_text(Cause cause);
std::string_view sentence(Cause cause);

/// The latency ledger of one request, in cycles of the platform's ledger clock (the core clock).
/// Invariant: the sum over causes equals `mark() - birth`.
class Ledger {
 public:
  void open(Cycle now) {
    cycles_.fill(0);
    mark_ = now;
  }
  /// Charge the cycles since the last charge to `cause`. Time never runs backwards: `now` >= mark().
  void charge(Cause cause, Cycle now) {
    cycles_[static_cast<int>(cause)] += static_cast<std::uint32_t>(now - mark_);
    mark_ = now;
  }
  /// Charge up to `limit` cycles since the last charge to `first`, the rest until `now` to `rest`.
  void charge_split(Cause first, Cycle limit, Cause rest, Cycle now) {
    const Cycle dwell = now - mark_;
    const Cycle head = dwell < limit ? dwell : limit;
    cycles_[static_cast<int>(first)] += static_cast<std::uint32_t>(head);
    cycles_[static_cast<int>(rest)] += static_cast<std::uint32_t>(dwell - head);
    mark_ = now;
  }
  /// Take over what a request made on our behalf has spent; it was opened at our mark.
  void absorb(const Ledger& other) {
    for (int i = 0; i < cause_count; ++i) cycles_[i] += other.cycles_[i];
    mark_ = other.mark_;
  }
  Cycle mark() const { return mark_; }
  std::uint32_t cycles(Cause cause) const { return cycles_[static_cast<int>(cause)]; }
  Cycle sum() const {
    std::uint32_t total = 0;
    for (const auto spent : cycles_) total += spent;
    return total;
  }
  const std::array<std::uint32_t, cause_count>& all() const { return cycles_; }

 private:
  Cycle mark_ = 0;
  std::array<std::uint32_t, cause_count> cycles_{};
};

}  // namespace strata
