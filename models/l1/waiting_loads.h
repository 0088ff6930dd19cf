#pragma once

#include <vector>

#include "models/cache/mshr_register.h"
#include "models/common/ring_queue.h"
#include "models/tlm/direct_loads_if.h"

namespace strata {

/// Loads that wait without a transaction: of each fetch a chain, in order of coming. When its data are here
/// it becomes a group, which leaves behind the access in front of it.
class WaitingLoads {
 public:
  bool full() const { return free_ == LoadChain::none && loads_.size() == LoadChain::none; }
  std::size_t size() const { return size_; }
  void add(LoadChain& chain, const WaitingLoad& load) {
    if (free_ == LoadChain::none) grow();
    const std::uint16_t number = free_;
    free_ = loads_[number].next;
    loads_[number] = load;
    (chain.first == LoadChain::none ? chain.first : loads_[chain.last].next) = number;
    chain.last = number;
    ++size_;
  }
  /// The data of a chain are here; its access lies behind those of other groups.
  void came(const LoadChain& chain, const AnsweredLoads& answered) { groups_.push({chain, answered}); }
  /// The access in front of the next group leaves, and the group does: `leave(answered)`.
  template <class Leave>
  void follow(Leave leave) {
    Group& group = groups_.front();
    group.answered.loads = loads_.data();
    group.answered.first = group.chain.first;
    size_ -= leave(group.answered);
    loads_[group.chain.last].next = free_;
    free_ = group.chain.first;
    groups_.pop();
  }

 private:
  static_assert(LoadChain::none == WaitingLoad::none);
  struct Group {
    LoadChain chain;
    AnsweredLoads answered;
  };
  void grow() {
    free_ = static_cast<std::uint16_t>(loads_.size());
    loads_.emplace_back();
  }

  std::uint16_t free_ = LoadChain::none;
  std::size_t size_ = 0;
  std::vector<WaitingLoad> loads_;
  RingQueue<Group> groups_;
};

}  // namespace strata
