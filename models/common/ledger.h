#pragma once

#include <array>
#include <cstdint>
#include <cstring>
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

constexpr int ledger_places = (cause_count + 3) / 4 * 4;  ///< causes, filled up to a multiple of four
using LedgerSums = std::array<std::uint64_t, ledger_places>;

/// The latency ledger of one request, in cycles of the platform's ledger clock (the core clock).
/// Invariant: the sum over causes equals `mark() - birth`.
class Ledger {
 public:
  void open(Cycle now) {
    // Written out: a loop would become a call of memset.
    static_assert(places == 28);
    set(0, Four{});
    set(4, Four{});
    set(8, Four{});
    set(12, Four{});
    set(16, Four{});
    set(20, Four{});
    set(24, Four{});
    mark_ = now;
  }
  /// Charge the cycles since the last charge to `cause`. Time never runs backwards: `now` >= mark().
  void charge(Cause cause, Cycle now) {
    spent(cause) += static_cast<std::uint32_t>(now - mark_);
    mark_ = now;
  }
  /// The same where the cycles until `now` may have been charged already: then nothing.
  void charge_until(Cause cause, Cycle now) {
    if (now > mark_) charge(cause, now);
  }
  /// Charge up to `limit` cycles since the last charge to `first`, the rest until `now` to `rest`.
  void charge_split(Cause first, Cycle limit, Cause rest, Cycle now) {
    const Cycle dwell = now - mark_;
    const Cycle head = dwell < limit ? dwell : limit;
    spent(first) += static_cast<std::uint32_t>(head);
    spent(rest) += static_cast<std::uint32_t>(dwell - head);
    mark_ = now;
  }
  void charge_split_until(Cause first, Cycle limit, Cause rest, Cycle now) {
    if (now > mark_) charge_split(first, limit, rest, now);
  }
  /// Take over what a request made on our behalf has spent; it was opened at our mark.
  void absorb(const Ledger& other) {
    static_assert(places == 28);  // written out, as in open()
    set(0, four(0) + other.four(0));
    set(4, four(4) + other.four(4));
    set(8, four(8) + other.four(8));
    set(12, four(12) + other.four(12));
    set(16, four(16) + other.four(16));
    set(20, four(20) + other.four(20));
    set(24, four(24) + other.four(24));
    mark_ = other.mark_;
  }
  Cycle mark() const { return mark_; }
  std::uint32_t cycles(Cause cause) const { return cycles_[static_cast<int>(cause)]; }
  Cycle sum() const {
    Four total = four(0);
    for (int i = 4; i < places; i += 4) total += four(i);
    return across(total);
  }
  /// Add the cycles of every cause to `sums`. The sum over the causes.
  Cycle add_to(LedgerSums& sums) const {
    // Written out: four causes after the other in a loop take half as long again.
    static_assert(places == 28);
    Four total = add_four(sums, 0);
    total += add_four(sums, 4);
    total += add_four(sums, 8);
    total += add_four(sums, 12);
    total += add_four(sums, 16);
    total += add_four(sums, 20);
    total += add_four(sums, 24);
    return across(total);
  }

 private:
  // Four causes at a time: at -O2 compilers leave most loops over arrays scalar, and a ledger is opened,
  // absorbed and summed up for every access.
  typedef std::uint32_t Four __attribute__((vector_size(16)));
  typedef std::uint64_t Two __attribute__((vector_size(16)));
  static constexpr int places = ledger_places;

  // By copies, which become unaligned loads and stores: a ledger is aligned to 8 bytes only.
  Four four(int first) const {
    Four value;
    std::memcpy(&value, &cycles_[first], sizeof value);
    return value;
  }
  void set(int first, Four value) { std::memcpy(&cycles_[first], &value, sizeof value); }
  static Cycle across(Four four) { return four[0] + four[1] + four[2] + four[3]; }
  Four add_four(LedgerSums& sums, int first) const {
    const Four both = four(first);
    const Four low = __builtin_shufflevector(both, Four{}, 0, 4, 1, 5);  // little endian: widened to 64 bits
    const Four high = __builtin_shufflevector(both, Four{}, 2, 6, 3, 7);
    add_two(&sums[static_cast<std::size_t>(first)], low);
    add_two(&sums[static_cast<std::size_t>(first) + 2], high);
    return both;
  }
  static void add_two(std::uint64_t* sums, Four wide) {
    Two total, more;
    std::memcpy(&total, sums, sizeof total);
    std::memcpy(&more, &wide, sizeof more);
    total += more;
    std::memcpy(sums, &total, sizeof total);
  }
  std::uint32_t& spent(Cause cause) { return cycles_[static_cast<int>(cause)]; }

  Cycle mark_ = 0;
  std::uint32_t cycles_[places] = {};
};

}  // namespace strata
