#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "models/cache/prefetch_stats.h"
#include "models/cache/prefetcher.h"
#include "models/common/access.h"
#include "models/common/ring_queue.h"

namespace strata {

/// What a prefetch unit asks its cache. Nothing changes.
class PrefetchedCache {
 public:
  /// Some of these sectors are here.
  virtual bool holds_some(Address line, std::uint8_t sectors) const = 0;
  /// All of them are, or a fetch of the line is under way.
  virtual bool has_or_fetches(Address line, std::uint8_t sectors) const = 0;
  /// The number of a line of this cache, for the prefetcher.
  virtual std::uint64_t number_of(Address line) const = 0;
  /// The line of that number among those that the cache holds with `like`; false: there is none.
  virtual bool line_of(std::uint64_t number, Address like, Address& line) const = 0;

 protected:
  ~PrefetchedCache() = default;
};

/// A line that waits for its prefetch, and the access that it follows from.
struct PrefetchRequest {
  Address line = 0;
  std::uint8_t sectors = 0;  ///< as the load that it was named for asked
  std::uint8_t application = 0;
  std::uint16_t sm = 0, cluster = 0, warp = 0;
  std::uint32_t cta = 0, kernel = 0, pc = 0;
  bool local = false;

  /// An access that its cache makes for it. It is its own cause; no other access is.
  void identify(Access& access) const;
};

/// The access is a prefetch of the cache that holds it: no SM waits for its reply.
inline bool is_own_prefetch(const Access& access) {
  return access.cause == &access;
}

/// A prefetcher beside a cache: its queue, and what became of the lines that it named. The cache looks
/// requests up, sends them and tells what happens; time is the cache's.
///
/// The order for an access: expect(), the cache's lookup, observe(). For a prefetch: front(), the lookup,
/// then drop(), or issued() or joined() and later arrived().
class PrefetchUnit {
 public:
  PrefetchUnit(const PrefetchParams& params, const PrefetchedCache& cache, PrefetchStats& stats);
  /// Null where there is no prefetcher.
  static std::unique_ptr<PrefetchUnit> make(const PrefetchParams& params, const PrefetchedCache& cache,
                                            PrefetchStats& stats);

  /// An access to this line will be looked up.
  void expect(Address line);
  /// It was, and did not stall: it asks for `sectors` of the line. `trains`: it is a load that the prefetcher
  /// sees.
  void observe(const Access& access, Address line, std::uint8_t sectors, PrefetchOutcome outcome,
               bool trains);

  /// A prefetch may be looked up.
  bool wants() const { return !queue_.empty() && under_way_ < most_under_way_; }
  const PrefetchRequest& front() const { return queue_.front(); }
  /// The front needs no fetch.
  void drop();
  /// The front waits for a fetch under way, and ends with it.
  void joined();
  /// The front is fetched: these sectors.
  void issued(std::uint8_t sectors);
  /// The prefetch of this line is over; it asked for these sectors.
  void arrived(Address line, std::uint8_t sectors);
  /// `line` was evicted for the prefetch of `by`.
  void displaced(Address line, Address by);
  /// No line is here any more, and none that is under way will be.
  void flush();
  /// The counters are as of now.
  void settle();
  /// The same from 0. Lines prefetched so far count as others from now on.
  void reset();

  int waiting() const { return static_cast<int>(queue_.size()); }
  int under_way() const { return under_way_; }
  /// What does not add up; empty: nothing.
  std::string imbalance() const;

 private:
  /// A line that was prefetched, in sectors perhaps, and that no access has used.
  struct Line {
    std::uint8_t sectors = 0;
    std::uint8_t arrived = 0;  // of these
    int prefetches = 0;
  };
  using Lines = std::map<Address, Line>;
  void propose(std::uint64_t number, const PrefetchRequest& load);
  bool is_queued(Address line) const;
  bool is_gone(const Lines::value_type& line) const {
    return line.second.arrived == line.second.sectors && !cache_.holds_some(line.first, line.second.sectors);
  }
  /// An access is the first to ask for what was prefetched of a line.
  bool is_first_use(Address line, std::uint8_t sectors, PrefetchOutcome outcome);
  /// It is counted, and not one of the unused any more. Returns the next one.
  Lines::iterator end(Lines::iterator line, std::uint64_t& counter);
  Address& displaced_at(Address line) { return displaced_[(line >> 7 ^ line >> 15) % displaced_.size()]; }

  const PrefetchedCache& cache_;
  PrefetchStats& stats_;
  const std::unique_ptr<Prefetcher> prefetcher_;
  const std::uint32_t queue_places_;
  const int most_under_way_;
  int under_way_ = 0;
  RingQueue<PrefetchRequest> queue_;
  Lines unused_;
  std::uint64_t unused_count_ = 0;      // in prefetches
  std::size_t settle_at_ = 1024;        // lines, so that those that have left do not pile up
  std::array<Address, 256> displaced_;  // by prefetches that no access has used; for `polluting` only
};

}  // namespace strata
