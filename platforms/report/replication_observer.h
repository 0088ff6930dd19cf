#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/l1/watched_l1.h"
#include "platforms/report/run_observer.h"

namespace strata::platforms {

/// Replication of lines across L1s (HPCA 2021, figures 1 and 16): which of the loads that miss in an L1 could
/// find all their data in another L1, and how many L1s hold a line that any of them holds, sampled once per
/// interval. D: a load that merges with a fill in flight is no miss; copies are a mean over time.
class LineCopies {
 public:
  explicit LineCopies(Cycle interval) : interval_(interval), next_(interval) {}
  void watch(const WatchedL1& l1) { l1s_.push_back(&l1); }

  /// Reports a load that misses in a watched L1 that does not hold it.
  void missed(Address line, std::uint8_t sectors);
  /// Reports that an L1 has reached cycle `now`: takes the samples that are due.
  void pass(Cycle now) {
    if (now >= next_) look(now);
  }

  std::uint64_t misses = 0;
  std::uint64_t replicated = 0;     ///< of these: another L1 holds the requested data
  std::uint64_t copies_missed = 0;  ///< L1s that hold the line, summed over all misses
  std::uint64_t lines = 0;          ///< lines held by any L1, summed over samples
  std::uint64_t copies = 0;         ///< L1s that hold them, summed over samples
  std::uint64_t most_copies = 0;    ///< maximum of one line in one sample
  std::uint64_t looks = 0;

 private:
  void look(Cycle now);
  std::uint64_t holders(Address line, std::uint8_t sectors) const;

  Cycle interval_, next_;
  std::vector<const WatchedL1*> l1s_;
  // Lines that an L1 may hold: an L1 that holds a line missed it before.
  struct Candidate {
    std::uint8_t sectors = 0;  // sectors that were missed last
    bool absent = false;       // absent in the last sample
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
      copies.missed(access.line, access.sectors);
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
