#pragma once

#include "models/common/stats.h"

namespace strata {

/// What a DRAM channel reports; also all that an energy model needs.
struct DramChannelStats final : StatSet {
  std::uint64_t cycles = 0;  ///< since the last reset
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t read_bursts = 0;
  std::uint64_t write_bursts = 0;
  std::uint64_t refreshes = 0;       ///< of all banks
  std::uint64_t bank_refreshes = 0;  ///< of one bank
  std::uint64_t commands = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t data_bus_busy = 0;  ///< cycles
  std::uint64_t bus_turnarounds = 0;
  std::uint64_t open_bank_cycles = 0;  ///< sum over banks
  std::uint64_t any_open_cycles = 0;
  std::uint64_t open_at_reset = 0;
  std::uint64_t open_now = 0;
  std::uint64_t illegal_commands = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
