#pragma once

#include <vector>

#include "models/common/access.h"
#include "models/common/storage.h"
#include "models/l1/l1_params.h"
#include "models/l1/l1_stats.h"

namespace strata {

enum class L1Outcome : std::uint8_t {
  hit,
  miss_new,     // the access waits for a fetch that the shell makes now: number `fetch`, of `sectors`
  miss_merged,  // the access waits for a fetch under way: number `fetch`
  forward,      // store, atomic or bypassing load: the shell sends the access itself on
  kept,         // store to local memory: it stays here
  stall,        // nothing has changed; the pipeline looks again after a fill, or a departure if miss_queue
};

enum class L1Stall : std::uint8_t {
  none,
  mshr_full,
  merge_limit,
  miss_queue,
  set_full,  // all that the access could have is reserved for what is under way
};

struct L1Decision {
  L1Outcome outcome;
  L1Stall stall = L1Stall::none;
  std::uint8_t sectors = 0;
  std::int16_t fetch = -1;
  std::uint8_t more_cycles = 0;  // for which the port is busy beyond the usual
  PartMask parts = 0;            // miss_new: of 8 B, where it asks for no more of `sectors` than these
};

/// A load that goes to the texture cache, where there is one.
inline bool takes_texture_path(const Access& access) {
  return access.non_coherent && !access.bypass_l1 && !carries_request_data(access.access_class);
}

/// Who wrote a line of local memory last.
struct LocalWriter {
  std::uint16_t sm = 0, cluster = 0, warp = 0;
  std::uint8_t application = 0;
  std::uint32_t cta = 0, kernel = 0, pc = 0;
};

/// Dirty sectors of a line of local memory that go to the LLC.
struct L1WriteBack {
  Address line;  ///< of its first byte
  std::uint8_t sectors;
  LocalWriter writer;
};

class MshrFile;

/// What is special to one kind of L1 or DC-L1 node: all its state and every decision, without time and
/// sockets, which are those of L1Pipeline and of DC-L1 nodes. A new design derives from CacheDesignOf and has
/// lookup(), fill(), flush() and contains(), a constructor from its parameters (and from a seed where it
/// draws numbers), and a static function `storage(params)` that gives its bits by field.
///
/// The life of an access:
///   lookup()  once, or again and again while it stalls. Where it waits, it belongs to the design from here
///             on, linked into one of its queues. A miss may ask for any sectors of the line, and an access
///             may wait for several fill requests: the last one it asked for is the one to name.
///   fill()    the data of a fill request is here: the accesses that now have all their data leave, in the
///             order in which they arrived. Each request ends so exactly once, in any order; its number is
///             free again.
///   flush()   at any time: no line is kept, and none that is being fetched now will be. Those that wait for
///             it are served all the same.
///
/// The pipeline counts what follows from decisions, see L1Stats; what happens inside (evictions, dropped
/// fills) the design counts itself. A design with queues in front of its tags is a QueuedAccessesIf as well.
class CacheDesign {
 public:
  static constexpr bool queues_accesses = false;  ///< it is a QueuedAccessesIf
  /// Fill requests have numbers below `fetches`.
  explicit CacheDesign(int fetches) : fetch_count_(fetches) {}
  virtual ~CacheDesign() = default;

  /// `room`: a request may enter the miss queue now. Without it whatever needs one stalls.
  virtual L1Decision lookup(Access& access, Cycle now, bool room) = 0;
  virtual AccessFifo fill(int fetch) = 0;
  virtual void flush() = 0;
  /// All sectors of an access would hit. Changes nothing.
  virtual bool contains(Address line, std::uint8_t sectors = 0xf) const = 0;

  // The data sheet: CacheDesignOf has these.
  virtual const L1Params& params() const = 0;
  virtual L1Stats& stats() = 0;
  virtual void reset_stats() = 0;
  int fetches() const { return fetch_count_; }

  /// The reply of a fill request is here, and fill(fetch) follows. For the speed of the simulation alone: a
  /// design may ask its host for the memory that fill() will read. Changes nothing.
  virtual void expect_fill(Address /*line*/, int /*fetch*/) const {}

  /// lookup() of a plain load of these sectors, if it hits: then all is done that lookup() would do. Else
  /// false, and nothing has changed. For designs whose hits depend on nothing but line and sectors, see
  /// FastHits.
  virtual bool hit(Address /*line*/, std::uint8_t /*sectors*/) { return false; }

  // What few designs have.
  /// Where parts of sectors are fetched: some part of these sectors is there.
  virtual bool contains_some(Address line, std::uint8_t sectors) const { return contains(line, sectors); }
  /// The line that leaves, whole, where one gets the way now that belongs to `line`; no_line: none leaves.
  /// Changes nothing. A design that does not say has no figure `prefetch_polluting`.
  virtual Address victim(Address /*line*/) const { return unsaid; }
  static constexpr Address no_line = ~Address{0}, unsaid = no_line - 1;
  /// Its MSHRs, for a node that keeps one from being taken until those who waited for a fill are answered.
  /// Null: it has none that can be kept.
  virtual MshrFile* mshrs() { return nullptr; }
  /// The CTAs of the kernel that begins take so much shared memory, which is a part of this memory in some.
  virtual void share(std::uint64_t /*shared_bytes*/) {}
  /// After lookup(), fill() and write_back_all() of a design that keeps stores to local memory (L1WithLocal):
  /// what has left it dirty, one line after the other, until it says false. Each takes a place in the miss
  /// queue then, whether or not there is one.
  virtual bool take_write_back(L1WriteBack& /*out*/) { return false; }
  /// All that is dirty leaves, to be written: flush() would lose it.
  virtual void write_back_all() {}

 protected:
  int fetch_count_;
};

/// The same with its parameters and counters. `Params`: derived from L1Params, with a `line`; `Stats`:
/// L1Stats or derived from it.
template <class ParamsOf, class StatsOf>
class CacheDesignOf : public CacheDesign {
 public:
  using Params = ParamsOf;
  using Stats = StatsOf;
  CacheDesignOf(const Params& params, int fetches) : CacheDesign(fetches), params_(params) {}
  const Params& params() const override { return params_; }
  Stats& stats() override { return stats_; }
  void reset_stats() override { stats_ = {}; }

 protected:
  Params params_;
  Stats stats_;
};

}  // namespace strata
