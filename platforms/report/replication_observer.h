#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/l1/watched_l1.h"
#include "platforms/report/run_observer.h"

namespace strata::platforms {

/// How often L1s hold the same lines (HPCA 2021, figures 1 and 16): which of the loads that an L1 fetches
/// for find all they ask for in another L1, and how many L1s hold a line that any of them holds, looked at
/// once an interval. D: a load that joins a fetch under way is no miss; copies are a mean over time.
class LineCopies {
 public:
  explicit LineCopies(Cycle interval) : interval_(interval), next_(interval) {}
  void watch(const WatchedL1& l1) { l1s_.push_back(&l1); }

  /// A load misses in an L1, which is one of those watched and does not hold it.
  void missed(Address line, std::uint8_t chunks);
  /// It is cycle `now` in an L1: what there is to look at is looked at.
  void pass(Cycle now) {
    if (now >= next_) look(now);
  }

  std::uint64_t misses = 0;
  std::uint64_t replicated = 0;     ///< of these: another L1 holds what is asked for
  std::uint64_t copies_missed = 0;  ///< L1s that hold it, summed over all misses
  std::uint64_t lines = 0;          ///< held by any L1, summed over looks
  std::uint64_t copies = 0;         ///< L1s that hold them, summed likewise
  std::uint64_t most_copies = 0;    ///< of one line at one look
  std::uint64_t looks = 0;

 private:
  void look(Cycle now);
  std::uint64_t holders(Address line, std::uint8_t chunks) const;

  Cycle interval_, next_;
  std::vector<const WatchedL1*> l1s_;
  // Lines that may be held: whoever holds one has missed it.
  struct Candidate {
    std::uint8_t chunks = 0;  // that were missed last
    bool absent = false;      // at the last look
  };
  std::unordered_map<Address, Candidate> candidates_;
};

/// Watches the L1s of a platform.
class ReplicationObserver final : public RunObserver {
 public:
  explicit ReplicationObserver(const Platform& platform, Cycle interval = 10000);
  ReplicationObserver(const ReplicationObserver&) = delete;
  ReplicationObserver& operator=(const ReplicationObserver&) = delete;
  const LineCopies& copies() const { return copies_; }
  std::vector<SummaryRow> figures() override;

 private:
  struct Watch final : AccessWatchIf {
    explicit Watch(LineCopies& to) : copies(to) {}
    void seen(const Access&, Cycle cycle) override { copies.pass(cycle); }
    void missed(const Access& access, Cycle cycle) override {
      copies.missed(access.line, access.chunks);
      copies.pass(cycle);
    }
    LineCopies& copies;
  };
  LineCopies copies_;
  Watch watch_{copies_};
};

/// Names, units and sentences of its figures, values zero.
std::vector<SummaryRow> describe_replication();

}  // namespace strata::platforms
