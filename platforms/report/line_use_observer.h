#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "models/common/access_watch_if.h"
#include "platforms/report/run_observer.h"

namespace strata::platforms {

/// The use of lines that an L1 fetches (ICS 2016, figure 1): which of their 32 B sectors are used before
/// eviction, and which are used again, by an access after the one that fetched the line. A line counts as
/// evicted when the same L1 misses it again, or at the end. D: for L1s of whole lines; others fetch parts of
/// a line that is present.
class LineUse {
 public:
  void missed(Address line, std::uint8_t sectors);
  void seen(Address line, std::uint8_t sectors);
  /// Counts the remaining lines.
  void finish();

  std::uint64_t lines = 0;         ///< fetched and evicted
  std::uint64_t used_sectors = 0;  ///< used 32 B sectors of these lines, including those of the first access
  std::uint64_t reused_sectors = 0;    ///< sectors of these lines that later accesses use
  std::uint64_t reused_lines[9] = {};  ///< by the number of reused sectors

 private:
  struct Line {
    std::uint8_t used = 0, reused = 0;
  };
  void count(const Line& line);
  std::unordered_map<Address, Line> lines_;
};

/// Watches each L1 of a platform separately.
class LineUseObserver final : public RunObserver {
 public:
  explicit LineUseObserver(const Platform& platform);
  LineUseObserver(const LineUseObserver&) = delete;
  LineUseObserver& operator=(const LineUseObserver&) = delete;
  std::vector<SummaryRow> figures() override;

 private:
  struct Watch final : AccessWatchIf {
    void seen(const Access& access, Cycle) override { use.seen(access.line, access.sectors); }
    void missed(const Access& access, Cycle) override { use.missed(access.line, access.sectors); }
    LineUse use;
  };
  std::deque<Watch> watches_;
};

std::vector<SummaryRow> describe_line_use();

}  // namespace strata::platforms
