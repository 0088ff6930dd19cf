#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/units.h"
#include "models/dram_channel/dram_channel_params.h"
#include "models/dram_channel/dram_channel_stats.h"
#include "models/dram_channel/dram_checker.h"

namespace strata {

/// A memory image that keeps only written pages; everything else reads as zero.
class SparseMemory {
 public:
  static constexpr std::size_t page_bytes = 4096;
  void read(Address address, unsigned char* to, std::size_t length) const;
  void write(Address address, const unsigned char* from, std::size_t length);
  std::size_t pages() const { return pages_.size(); }

 private:
  using Page = std::unique_ptr<unsigned char[]>;
  std::unordered_map<Address, Page> pages_;  // looked up only, never walked
};

/// One DRAM channel: the rows that are open, the legality of what the controller asks for, and the counts
/// that bandwidth and energy are made of. It decides nothing: a command takes effect in the cycle in which it
/// comes.
class DramChannelCore {
 public:
  explicit DramChannelCore(const DramChannelParams& params);

  /// Execute a command. Returns the cycle after its last data cycle (RD, WR), or `now` (ACT, PRE).
  Cycle execute(DramCommand command, int bank, std::int64_t row, Cycle now);
  /// Count some RD without checking them.
  void read(int bursts) {
    const auto count = static_cast<std::uint64_t>(bursts);
    stats_.commands += count;
    turn_to(DramCommand::rd);
    stats_.read_bursts += count;
    stats_.data_bus_busy += count * static_cast<std::uint64_t>(params_.timing.nBL);
    stats_.bytes_read += count * static_cast<std::uint64_t>(params_.timing.bytes_per_CAS);
  }
  /// What the last command broke, in words; empty when it was legal or checking is off.
  const std::string& fault() const { return checker_.fault(); }

  std::int64_t open_row(int bank) const { return banks_[static_cast<std::size_t>(bank)].row; }
  SparseMemory& memory() { return memory_; }
  const TimingSet& timing() const { return params_.timing; }
  const DramChannelStats& stats() const { return stats_; }
  void settle(Cycle now);
  void reset_stats(Cycle now);

 private:
  struct BankState {
    std::int64_t row = -1;
    Cycle opened = 0;  // or the last settle
  };
  void open(BankState& bank, std::int64_t row, Cycle now);
  void close(BankState& bank, Cycle now);
  void turn_to(DramCommand command) {
    if (last_transfer_ != command && last_transfer_ != DramCommand::act) ++stats_.bus_turnarounds;
    last_transfer_ = command;
  }
  Cycle transfer(DramCommand command, Cycle now);

  DramChannelParams params_;
  DramChecker checker_;
  std::vector<BankState> banks_;
  int open_banks_ = 0;
  Cycle any_open_since_ = 0;
  Cycle base_ = 0;                                // cycle of the last reset of the statistics
  DramCommand last_transfer_ = DramCommand::act;  // none yet
  SparseMemory memory_;
  DramChannelStats stats_;
};

}  // namespace strata
