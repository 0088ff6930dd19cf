#pragma once

#include <type_traits>

#include "models/common/access_watch_if.h"
#include "models/common/random_stream.h"
#include "models/l1/cache_design.h"
#include "models/l1/fills_in_flight.h"
#include "models/l1/queued_accesses_if.h"
#include "models/tlm/block.h"
#include "models/tlm/line_flush_if.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/txn.h"

namespace strata {

/// A design on its own, so that it is there before the base class of its shell that works with it.
template <class Design>
struct L1Holder {
  using Params = typename Design::Params;
  L1Holder(const Params& params, const BuildContext& context, const char* name)
      : design(made(params, seed_of(context.seed, name), context.shared)) {}
  Design design;
  /// Its own queues in front of the cache; null: it has none.
  QueuedAccessesIf* queues() {
    if constexpr (Design::queues_accesses)
      return &design;
    else
      return nullptr;
  }

 private:
  static Design made(const Params& params, [[maybe_unused]] std::uint64_t seed,
                     [[maybe_unused]] std::shared_ptr<void>* shared) {
    if constexpr (std::is_constructible_v<Design, const Params&, std::uint64_t, std::shared_ptr<void>*>)
      return Design(params, seed, shared);
    else if constexpr (std::is_constructible_v<Design, const Params&, std::uint64_t>)
      return Design(params, seed);
    else
      return Design(params);
  }
};

/// What L1s and DC-L1 nodes count.
class L1Accounts {
 public:
  explicit L1Accounts(CacheDesign& design)
      : stats(design.stats()), fills(design.fetches()), room_left(design.params().request_places()) {
    stats.splits = false;
    stats.replies_later = false;
    stats.textures = design.params().texture_sets != 0;
    stats.writes_back = design.params().local == L1Params::Local::write_back;
    stats.prefetch.reported = design.params().prefetches();
    stats.prefetch.victims_known = design.victim(0) != CacheDesign::unsaid;
  }
  /// Accesses may be larger than a line of the address map, and go to the LLC in parts.
  void split_accesses() { stats.splits = true; }
  /// Those who wait for a fill are answered from their MSHR, after it.
  void reply_later() { stats.replies_later = true; }
  void reset(CacheDesign& design) {
    const bool splits = stats.splits, textures = stats.textures, replies_later = stats.replies_later,
               writes_back = stats.writes_back;
    const PrefetchStats prefetch = stats.prefetch;
    design.reset_stats();
    stats.prefetch = prefetch;
    stats.prefetch.reset();
    stats.splits = splits;
    stats.replies_later = replies_later;
    stats.textures = textures;
    stats.writes_back = writes_back;
  }
  /// A store to local memory stays here.
  void count_kept() {
    ++stats.requests;
    ++stats.local_stores;
  }
  /// Dirty sectors of a line go to the LLC: a request that takes a place even where none is left.
  void count_write_back() {
    --room_left;
    ++stats.requests_to_llc;
    ++stats.local_write_backs;
  }
  /// A prefetch makes a request. It needs no place in the miss queue.
  void count_prefetch() { ++stats.requests_to_llc; }
  /// One access makes several requests.
  void count_parts(int parts) {
    const auto more = static_cast<std::uint64_t>(parts - 1);
    stats.more_requests += more;
    stats.requests_to_llc += more;
    room_left -= parts - 1;
  }

  /// A decision that is no stall.
  void count(const Access& access, L1Outcome outcome, Cycle now);
  /// The same of a load that went to the texture cache.
  void count_texture(const Access& access, L1Outcome outcome, Cycle now);
  void count_stall(L1Stall reason, Cycle cycles);
  bool room() const { return room_left > 0; }

  L1Stats& stats;
  FillsInFlight fills;
  int room_left;  // places in the miss queue; an access that has one may take more for its parts
  AccessWatchIf* watch = nullptr;
};

[[gnu::always_inline]] inline void L1Accounts::count(const Access& access, L1Outcome outcome, Cycle now) {
  ++stats.requests;
  if (outcome == L1Outcome::hit || outcome == L1Outcome::miss_merged) {
    ++stats.accesses;
    ++(outcome == L1Outcome::hit ? stats.hits : stats.merges);
    if (watch != nullptr) watch->seen(access, now);
    return;
  }
  --room_left;
  ++stats.requests_to_llc;
  if (outcome == L1Outcome::forward && carries_request_data(access.access_class)) {
    ++(access.access_class == AccessClass::atomic ? stats.atomics : stats.stores);
    return;
  }
  ++stats.accesses;
  ++(outcome == L1Outcome::miss_new ? stats.misses : stats.bypasses);
  if (watch != nullptr) watch->missed(access, now);
}

inline void L1Accounts::count_texture(const Access& access, L1Outcome outcome, Cycle now) {
  if (outcome == L1Outcome::forward) return count(access, outcome, now);
  ++stats.requests;
  ++stats.texture_loads;
  if (outcome != L1Outcome::miss_new) {
    ++(outcome == L1Outcome::hit ? stats.texture_hits : stats.texture_merges);
    return;
  }
  --room_left;
  ++stats.requests_to_llc;
  ++stats.texture_misses;
}

inline void L1Accounts::count_stall(L1Stall reason, Cycle cycles) {
  stats.stall_cycles += cycles;
  if (reason == L1Stall::mshr_full) ++stats.mshr_full_stalls;
  if (reason == L1Stall::merge_limit) ++stats.merge_limit_stalls;
  if (reason == L1Stall::miss_queue) ++stats.miss_queue_stalls;
  if (reason == L1Stall::set_full) ++stats.set_full_stalls;
}

}  // namespace strata
