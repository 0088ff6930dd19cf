#pragma once

#include <utility>
#include <vector>

#include "models/cache/mshr_register.h"
#include "models/common/ring_queue.h"
#include "models/tlm/direct_loads_if.h"

namespace strata {

/// Loads that wait without a transaction: of each fetch a chain, in order of coming. When its data are here
/// it becomes a group, which leaves behind the access in front of it.
class WaitingLoads {
 public:
  /// The group that leaves: its access has.
  struct Group {
    std::uint16_t next = LoadChain::none;  ///< the first that has not left
    WaitedFor waited;
    const Access* leader = nullptr;
  };

  bool leaving() const { return lead_ == this; }
  /// It is the access in front of the next group.
  bool leads(const Access& access) const { return lead_ == &access; }
  const Group& group() const { return group_; }
  bool full() const { return free_ == LoadChain::none && nodes_.size() == LoadChain::none; }
  std::size_t size() const { return size_; }

  void add(LoadChain& chain, const WaitingLoad& load) {
    if (free_ == LoadChain::none) grow();
    const std::uint16_t number = free_;
    free_ = nodes_[number].next;
    nodes_[number] = {load, LoadChain::none};
    (chain.first == LoadChain::none ? chain.first : nodes_[chain.last].next) = number;
    chain.last = number;
    ++size_;
  }
  /// The data of a chain are here: it leaves behind `leader`, and that behind those of other groups.
  void came(const Access& leader, const LoadChain& chain, const WaitedFor& waited) {
    if (lead_ == nullptr) lead_ = &leader;
    groups_.push({chain.first, waited, &leader});
  }
  /// The access in front of the next group leaves.
  void follow() {
    group_ = groups_.front();
    groups_.pop();
    lead_ = this;
  }
  /// The next of the group leaves.
  WaitingLoad take() {
    const std::uint16_t number = group_.next;
    group_.next = std::exchange(nodes_[number].next, free_);
    free_ = number;
    --size_;
    if (group_.next == LoadChain::none) lead_ = groups_.empty() ? nullptr : groups_.front().leader;
    return nodes_[number].load;
  }

 private:
  struct Node {
    WaitingLoad load;
    std::uint16_t next = LoadChain::none;  // in its chain, or free
  };
  void grow() {
    free_ = static_cast<std::uint16_t>(nodes_.size());
    nodes_.emplace_back();
  }

  // Whoever answers looks: the access in front of the next group, or this object while one leaves.
  const void* lead_ = nullptr;
  Group group_;
  std::uint16_t free_ = LoadChain::none;
  std::size_t size_ = 0;
  std::vector<Node> nodes_;
  RingQueue<Group> groups_;
};

}  // namespace strata
