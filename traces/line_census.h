#pragma once

#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata::traces {

/// Every 128 B line seen, with its sectors and the clusters that touched it: an open-addressing table.
class LineCensus {
 public:
  struct Line {
    Address number = free_number;
    std::uint64_t clusters = 0;
    std::uint8_t sectors = 0;
    bool used() const { return number != free_number; }
  };

  LineCensus() : table_(1024) {}
  void touch(Address line, std::uint8_t sectors, int cluster) {
    if (2 * (used_ + 1) > table_.size()) grow();
    Line& entry = find(table_, line / 128);
    if (!entry.used()) {
      entry.number = line / 128;
      ++used_;
    }
    entry.sectors = static_cast<std::uint8_t>(entry.sectors | sectors);
    entry.clusters |= std::uint64_t{1} << cluster;
  }
  std::uint64_t lines() const { return used_; }
  const std::vector<Line>& table() const { return table_; }  ///< with unused entries

 private:
  static constexpr Address free_number = ~Address{0};
  static Line& find(std::vector<Line>& table, Address number) {
    const std::size_t mask = table.size() - 1;
    std::size_t at = static_cast<std::size_t>(number * 0x9e3779b97f4a7c15 >> 20) & mask;
    while (table[at].used() && table[at].number != number) at = (at + 1) & mask;
    return table[at];
  }
  void grow() {
    std::vector<Line> larger(table_.size() * 2);
    for (const Line& line : table_)
      if (line.used()) find(larger, line.number) = line;
    table_.swap(larger);
  }

  std::vector<Line> table_;
  std::size_t used_ = 0;
};

}  // namespace strata::traces
