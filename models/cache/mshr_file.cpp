#include "models/cache/mshr_file.h"

namespace strata {

MshrFile::MshrFile(int registers, int waiters) : limit_(waiters), pool_(static_cast<std::size_t>(registers)) {
  assert(registers > 0 && registers < nil && waiters > 0);
  std::size_t buckets = 1;
  while (buckets < 2 * pool_.size()) buckets *= 2;  // chains of half an entry in the mean when full
  buckets_.assign(buckets, nil);
  mask_ = buckets - 1;
  for (std::size_t i = pool_.size(); i-- > 0;) {
    pool_[i].next = free_;
    free_ = static_cast<std::uint16_t>(i);
  }
}

int MshrFile::allocate(std::uint64_t number, Access& first, std::uint32_t set) {
  assert(!full() && find(number) == none);
  const std::uint16_t id = free_;
  Register& taken = pool_[id];
  free_ = taken.next;
  std::uint16_t& head = buckets_[bucket(number)];
  taken.number = number;
  taken.set = set;
  taken.next = head;
  taken.asked = first.chunks;
  taken.closed = false;
  taken.waiters.push(first);
  head = id;
  ++in_use_;
  return id;
}

AccessFifo MshrFile::release(int id) {
  Register& given = pool_[index(id)];
  std::uint16_t* link = &buckets_[bucket(given.number)];
  while (*link != id) link = &pool_[*link].next;
  *link = given.next;
  given.next = free_;
  free_ = static_cast<std::uint16_t>(id);
  --in_use_;
  if (given.closed) --closed_;
  const AccessFifo waiters = given.waiters;
  given.waiters = AccessFifo{};
  return waiters;
}

const Access* MshrFile::oldest() const {
  const Access* found = nullptr;
  for (const Register& entry : pool_) {
    if (entry.waiters.empty()) continue;
    const Access& first = entry.waiters.front();
    if (found == nullptr || first.birth < found->birth) found = &first;
  }
  return found;
}

}  // namespace strata
