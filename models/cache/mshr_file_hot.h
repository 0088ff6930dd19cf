#pragma once

#include "models/cache/mshr_file.h"

namespace strata {

[[gnu::always_inline]] inline int MshrFile::take(std::uint64_t number, std::uint32_t set) {
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

[[gnu::always_inline]] inline AccessFifo MshrFile::release(int id) {
  Register& given = pool_[index(id)];
  std::uint16_t* link = &buckets_[bucket(given.number)];
  while (*link != id) link = &pool_[*link].next;
  *link = given.next;
  given.next = free_;
  free_ = static_cast<std::uint16_t>(id);
  --in_use_;
  if (given.closed) --closed_;
  return let_go(id);
}

}  // namespace strata
