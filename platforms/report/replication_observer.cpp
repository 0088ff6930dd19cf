#include "platforms/report/replication_observer.h"

#include <algorithm>

namespace strata::platforms {
namespace {

std::vector<SummaryRow> figures_of(const LineCopies& copies) {
  return {
      observed("l1_watched_misses", "accesses", "loads that missed in L1s or bypassed their tags",
               copies.misses),
      observed("l1_replicated_misses", "accesses", "of these: loads whose data another L1 held completely",
               copies.replicated),
      observed("l1_copies_at_misses", "lines", "L1s that held it, summed over these loads",
               copies.copies_missed),
      observed("l1_looks", "events", "samples of all L1s, one per 10 000 cycles", copies.looks),
      observed("l1_held_lines", "lines", "different lines that L1s held, summed over the samples",
               copies.lines),
      observed("l1_held_copies", "lines", "L1s that held them, summed over lines and samples", copies.copies),
      observed("l1_most_copies", "lines", "maximum of L1s that held one line in a sample",
               copies.most_copies)};
}

}  // namespace

std::uint64_t LineCopies::holders(Address line, std::uint8_t sectors) const {
  return static_cast<std::uint64_t>(
      std::count_if(l1s_.begin(), l1s_.end(), [=](const WatchedL1* l1) { return l1->holds(line, sectors); }));
}

void LineCopies::missed(Address line, std::uint8_t sectors) {
  const std::uint64_t held = holders(line, sectors);
  ++misses;
  copies_missed += held;
  if (held != 0) ++replicated;
  candidates_[line] = {sectors, false};
}

// A line that two consecutive looks do not find was evicted: a fill takes less than an interval.
void LineCopies::look(Cycle now) {
  next_ = (now / interval_ + 1) * interval_;
  ++looks;
  for (auto at = candidates_.begin(); at != candidates_.end();) {
    const std::uint64_t held = holders(at->first, at->second.sectors);
    copies += held;
    if (held != 0) ++lines;
    most_copies = std::max(most_copies, held);
    const bool gone = held == 0 && at->second.absent;
    at->second.absent = held == 0;
    at = gone ? candidates_.erase(at) : std::next(at);
  }
}

ReplicationObserver::ReplicationObserver(const Platform& platform, Cycle interval) : copies_(interval) {
  for (const PlatformInstance& instance : platform.instances()) {
    auto* const l1 = dynamic_cast<WatchedL1*>(instance.block);
    if (l1 == nullptr) continue;
    copies_.watch(*l1);
    l1->watch_accesses(&watch_);
  }
}

std::vector<SummaryRow> ReplicationObserver::figures() {
  return figures_of(copies_);
}

std::vector<SummaryRow> describe_replication() {
  return figures_of(LineCopies(1));
}

}  // namespace strata::platforms
