#pragma once

#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata::traces {

/// Every 128 B line seen, with its sectors and the clusters that touched it, in all and in one launch: an
/// open-addressing table.
class LineCensus {
 public:
  struct Line {
    Address number = free_number;
    std::uint64_t clusters = 0;
    std::uint64_t launch_clusters = 0;  ///< in the last launch that touched it
    std::uint32_t launch = 0;           ///< which that is
    std::uint8_t sectors = 0;
    bool written = false;  ///< in that launch
    bool used() const { return number != free_number; }
    bool shared() const { return (clusters & (clusters - 1)) != 0; }
    bool launch_shared() const { return (launch_clusters & (launch_clusters - 1)) != 0; }
  };

  LineCensus() : table_(1024) {}
  /// Launches come one after the other.
  void touch(Address line, std::uint8_t sectors, int cluster, std::uint32_t launch, bool writes) {
    if (2 * (used_ + 1) > table_.size()) grow();
    Line& entry = find(table_, line / 128);
    if (!entry.used()) {
      entry.number = line / 128;
      ++used_;
    }
    entry.sectors = static_cast<std::uint8_t>(entry.sectors | sectors);
    entry.clusters |= std::uint64_t{1} << cluster;
    if (entry.launch != launch) {
      count_launch(entry);
      entry.launch = launch;
      entry.launch_clusters = 0;
      entry.written = false;
    }
    entry.launch_clusters |= std::uint64_t{1} << cluster;
    entry.written |= writes;
  }
  /// After the last touch: each line counts for the launch that touched it last, too.
  void finish() {
    for (const Line& line : table_) count_launch(line);
  }
  std::uint64_t lines() const { return used_; }
  /// Lines that several clusters touch within a launch, counted in each such launch.
  std::uint64_t launch_shared_lines() const { return launch_shared_; }
  std::uint64_t launch_shared_read_only_lines() const { return launch_shared_read_only_; }
  const std::vector<Line>& table() const { return table_; }  ///< with unused entries

 private:
  static constexpr Address free_number = ~Address{0};
  static Line& find(std::vector<Line>& table, Address number) {
    const std::size_t mask = table.size() - 1;
    std::size_t at = static_cast<std::size_t>(number * 0x9e3779b97f4a7c15 >> 20) & mask;
    while (table[at].used() && table[at].number != number) at = (at + 1) & mask;
    return table[at];
  }
  void count_launch(const Line& line) {
    launch_shared_ += line.launch_shared() ? 1 : 0;
    launch_shared_read_only_ += line.launch_shared() && !line.written ? 1 : 0;
  }
  void grow() {
    std::vector<Line> larger(table_.size() * 2);
    for (const Line& line : table_)
      if (line.used()) find(larger, line.number) = line;
    table_.swap(larger);
  }

  std::vector<Line> table_;
  std::size_t used_ = 0;
  std::uint64_t launch_shared_ = 0, launch_shared_read_only_ = 0;
};

}  // namespace strata::traces
