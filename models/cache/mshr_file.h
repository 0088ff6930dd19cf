#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/common/access.h"

namespace strata {

/// One outstanding fill of a MshrFile.
struct alignas(64) MshrRegister {
  static constexpr std::uint16_t nil = 0xffff;

  std::uint64_t number = 0;  // of the line
  AccessFifo waiters;
  std::uint32_t set = 0;
  std::uint16_t next = nil;  // in the bucket's chain, or in the free list
  std::uint16_t merged = 0;  // accesses that have waited, the first miss included
  std::uint8_t issued = 0;   // sectors; caches without sectors leave it
  bool closed = false;
};

/// Outstanding fills: a fixed pool of registers, found by line number through bucketed chains. Waiters of a
/// fill are linked through the accesses themselves, in order of arrival. Nothing allocates after
/// construction.
class MshrFile {
 public:
  static constexpr int none = -1;

  /// `waiters`: accesses that one register can hold, the first miss included.
  MshrFile(int registers, int waiters);

  int capacity() const { return static_cast<int>(pool_.size()); }
  int in_use() const { return in_use_; }
  bool full() const { return free_ == nil; }
  bool empty() const { return in_use_ == 0; }

  /// The open register of a line, or `none`.
  [[gnu::always_inline]] int find(std::uint64_t number) const { return find(number, false); }
  /// A fetch of the line is in flight that no access may join any more.
  [[gnu::always_inline]] bool has_stale(std::uint64_t number) const {
    return closed_ != 0 && find(number, true) != none;
  }
  void prefetch(int id) const { __builtin_prefetch(&pool_[index(id)]); }
  bool can_merge(int id) const { return pool_[index(id)].merged < limit_; }
  /// The same where each 32 B of the line counts for itself: none of `sectors` has as many waiters as a
  /// register holds. `awaited(access)`: the sectors that a waiter waits for.
  template <class Awaited>
  bool can_merge(int id, std::uint8_t sectors, Awaited awaited) const {
    const AccessFifo& all = pool_[index(id)].waiters;
    std::array<int, 8> waiters{};
    for (const Access* one = all.empty() ? nullptr : &all.front(); one != nullptr; one = one->next)
      for (unsigned both = awaited(*one) & sectors; both != 0; both &= both - 1)
        if (++waiters[static_cast<std::size_t>(__builtin_ctz(both))] == limit_) return false;
    return true;
  }
  /// Take a register for a line that has no open one; `first` becomes its first waiter. Needs `!full()`.
  /// `set`: the caller's own, e.g. the set that the fill will go to.
  int allocate(std::uint64_t number, Access& first, std::uint32_t set = 0) {
    const int id = take(number, set);
    pool_[index(id)].waiters.push(first);
    return id;
  }
  void merge(int id, Access& access) {
    Register& joined = pool_[index(id)];
    joined.waiters.push(access);
    ++joined.merged;
  }
  /// From now on no access merges, and `find` does not see the register; its fill must not be installed.
  void close(int id) {
    pool_[index(id)].closed = true;
    ++closed_;
  }
  /// The same for every register that is in use.
  void make_all_stale();
  bool closed(int id) const { return pool_[index(id)].closed; }
  std::uint64_t number(int id) const { return pool_[index(id)].number; }
  std::uint32_t set(int id) const { return pool_[index(id)].set; }
  /// Those of `sectors` that are not requested yet; they count as requested from now on.
  std::uint8_t issue(int id, std::uint8_t sectors) {
    std::uint8_t& issued = pool_[index(id)].issued;
    const auto fresh = static_cast<std::uint8_t>(sectors & ~issued);
    issued |= sectors;
    return fresh;
  }
  /// What somebody has sent for and is not here yet.
  std::uint8_t under_way(int id) const { return pool_[index(id)].issued; }
  /// Some of it is here. Returns the rest.
  std::uint8_t arrive(int id, std::uint8_t sectors) {
    return pool_[index(id)].issued &= static_cast<std::uint8_t>(~sectors);
  }
  const AccessFifo& waiters(int id) const { return pool_[index(id)].waiters; }
  /// Let the waiters go ahead of the fill, still counted towards the limit; those that are left wait on.
  AccessFifo take_waiters(int id) {
    const AccessFifo waiters = pool_[index(id)].waiters;
    pool_[index(id)].waiters = AccessFifo{};
    return waiters;
  }
  void restore_waiters(int id, const AccessFifo& waiters) { pool_[index(id)].waiters = waiters; }
  /// Registers whose first waiter matches.
  template <class Match>
  int count(Match matches) const {
    int count = 0;
    for (const Register& one : pool_)
      if (!one.waiters.empty() && matches(one.waiters.front())) ++count;
    return count;
  }
  /// The waiter that was born first, for the wait-for graph; null when none waits.
  const Access* oldest() const;
  /// Give the register back; the waiters that are left go to the caller.
  AccessFifo release(int id);
  void reserve_one();    ///< a free register from being taken; it is not among those in use. Needs `!full()`
  void unreserve_one();  ///< one that was kept is free again

 private:
  static constexpr std::uint16_t nil = MshrRegister::nil;
  using Register = MshrRegister;
  [[gnu::always_inline]] int find(std::uint64_t number, bool closed) const {
    for (std::uint16_t i = buckets_[bucket(number)]; i != nil; i = pool_[i].next)
      if (pool_[i].number == number && pool_[i].closed == closed) return i;
    return none;
  }
  int take(std::uint64_t number, std::uint32_t set);
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  std::size_t bucket(std::uint64_t number) const { return (number ^ number >> 7 ^ number >> 17) & mask_; }

  std::uint16_t limit_;
  std::uint16_t free_ = nil;
  std::uint16_t kept_ = nil;
  int in_use_ = 0;
  int closed_ = 0;
  std::uint64_t mask_;
  std::vector<std::uint16_t> buckets_;
  std::vector<Register> pool_;
};

inline int MshrFile::take(std::uint64_t number, std::uint32_t set) {
  assert(!full() && find(number) == none);
  const std::uint16_t id = free_;
  Register& taken = pool_[id];
  free_ = taken.next;
  std::uint16_t& head = buckets_[bucket(number)];
  taken.number = number;
  taken.set = set;
  taken.next = head;
  taken.issued = 0;
  taken.merged = 1;
  taken.closed = false;
  head = id;
  ++in_use_;
  return id;
}

inline AccessFifo MshrFile::release(int id) {
  Register& given = pool_[index(id)];
  std::uint16_t* link = &buckets_[bucket(given.number)];
  while (*link != id) link = &pool_[*link].next;
  *link = given.next;
  given.next = free_;
  free_ = static_cast<std::uint16_t>(id);
  --in_use_;
  if (given.closed) --closed_;
  return take_waiters(id);
}

}  // namespace strata
