#pragma once

#include <vector>

#include "models/common/access.h"

namespace strata {

/// Queues in front of a cache, one for each signature of accesses: a few of them take turns, so that a cache
/// sees the accesses of one warp, or CTA, together (MRPB; Jia, Shaw and Martonosi, HPCA 2014). Accesses of a
/// signature stay in their order. The queue that is drained stays so until it is empty.
class SignatureQueues {
 public:
  enum class Signature : int { warp, cta };
  enum class Drain : int { lowest, longest };

  /// `entries`: of each queue.
  SignatureQueues(int queues, int entries, Signature signature, Drain drain)
      : queues_(static_cast<std::size_t>(queues)), entries_(entries), signature_(signature), drain_(drain) {}

  /// False when the queue of its signature is full: nothing has changed.
  bool enter(Access& access);
  /// When an access may leave: from its cycle `ready` on, at best at once; never when there is none.
  Cycle earliest() const;
  /// The one whose turn it is in cycle `now`, out of its queue. Needs earliest() <= now.
  Access& take(Cycle now);
  /// The last one taken waits on, at the head of its queue, and is the next.
  void put_back(Access& access) { queues_[drained_].push_front(access); }

  int waiting() const;
  int capacity() const { return static_cast<int>(queues_.size()) * entries_; }
  /// The head of the queue whose turn it is; null when all are empty.
  const Access* head() const;
  /// How often another queue's turn came.
  std::uint64_t turns() const { return turns_; }

 private:
  std::size_t queue_of(const Access& access) const {
    return (signature_ == Signature::warp ? access.warp : access.cta) % queues_.size();
  }
  bool ready(std::size_t queue, Cycle now) const {
    return !queues_[queue].empty() && queues_[queue].front().ready <= now;
  }
  std::size_t next(Cycle now) const;

  std::vector<AccessFifo> queues_;
  int entries_;
  Signature signature_;
  Drain drain_;
  std::size_t drained_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace strata
