#include "models/cache/mshr_file.h"

namespace strata {

MshrFile::MshrFile(int registers, int waiters)
    : limit_(static_cast<std::uint16_t>(waiters)), pool_(static_cast<std::size_t>(registers)) {
  assert(registers > 0 && registers < nil && waiters > 0 && waiters <= 0xffff);
  std::size_t buckets = 1;
  while (buckets < 2 * pool_.size()) buckets *= 2;  // chains of half an entry in the mean when full
  buckets_.assign(buckets, nil);
  mask_ = buckets - 1;
  for (std::size_t i = pool_.size(); i-- > 0;) {
    pool_[i].next = free_;
    free_ = static_cast<std::uint16_t>(i);
  }
}

void MshrFile::make_all_stale() {
  for (const std::uint16_t head : buckets_)
    for (std::uint16_t id = head; id != nil; id = pool_[id].next) pool_[id].closed = true;
  closed_ = in_use_;
}

void MshrFile::reserve_one() {
  assert(!full());
  const std::uint16_t id = free_;
  free_ = pool_[id].next;
  pool_[id].next = kept_;
  kept_ = id;
}

void MshrFile::unreserve_one() {
  assert(kept_ != nil);
  const std::uint16_t id = kept_;
  kept_ = pool_[id].next;
  pool_[id].next = free_;
  free_ = id;
}

const Access* MshrFile::oldest() const {
  const Access* found = nullptr;
  for (const Register& entry : pool_) {
    const Access* const first = entry.waiters.empty() ? nullptr : &entry.waiters.front();
    if (first != nullptr && (found == nullptr || first->birth < found->birth)) found = first;
  }
  return found;
}

}  // namespace strata
