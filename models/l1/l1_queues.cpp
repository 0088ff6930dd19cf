#include "models/l1/l1_queues.h"

#include <algorithm>

namespace strata {

bool SignatureQueues::enter(Access& access) {
  AccessFifo& queue = queues_[queue_of(access)];
  if (queue.size() >= entries_) return false;
  queue.push(access);
  return true;
}

Cycle SignatureQueues::earliest() const {
  Cycle first = never;
  for (const AccessFifo& queue : queues_)
    if (!queue.empty()) first = std::min(first, queue.front().ready);
  return first;
}

// Of queues that are alike the first.
std::size_t SignatureQueues::next(Cycle now) const {
  if (ready(drained_, now)) return drained_;
  std::size_t best = queues_.size();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (!ready(i, now)) continue;
    if (best == queues_.size() || (drain_ == Drain::longest && queues_[i].size() > queues_[best].size()))
      best = i;
  }
  return best;
}

Access& SignatureQueues::take(Cycle now) {
  const std::size_t queue = next(now);
  if (queue != drained_) ++turns_;
  drained_ = queue;
  return queues_[queue].pop();
}

int SignatureQueues::waiting() const {
  int all = 0;
  for (const AccessFifo& queue : queues_) all += queue.size();
  return all;
}

const Access* SignatureQueues::head() const {
  if (!queues_[drained_].empty()) return &queues_[drained_].front();
  const auto at =
      std::find_if(queues_.begin(), queues_.end(), [](const AccessFifo& queue) { return !queue.empty(); });
  return at == queues_.end() ? nullptr : &at->front();
}

}  // namespace strata
