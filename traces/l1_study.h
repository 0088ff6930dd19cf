#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// Parameters of SMs with private L1s, for a functional study.
struct L1Machine {
  std::string name;
  int sms = 80;
  std::uint32_t threads = 2048, ctas = 32, registers = 65536, shared_bytes = 65536;  ///< per SM
  std::uint64_t l1_bytes = 48 << 10;
  int ways = 6;
  bool flushed = true;  ///< between launches
};

/// The machine of a paper, by its name under `suite` in workload files; null if there is none.
const L1Machine* find_l1_machine(const std::string& paper);

/// Loads of global memory in the L1s. Accesses and misses count lines, or sectors of 32 B where the name says
/// so.
struct L1Figures {
  std::uint64_t loads = 0;               ///< warp instructions
  std::uint64_t accesses = 0;            ///< lines of 128 B
  std::uint64_t sectors = 0;             ///< of these
  std::uint64_t misses = 0;              ///< in private L1s
  std::uint64_t replicated = 0;          ///< misses whose line is in another L1
  std::uint64_t large_misses = 0;        ///< with L1s of 16 times the size
  std::uint64_t fine_misses = 0;         ///< sectors, with lines of 32 B
  std::uint64_t common_misses = 0;       ///< with a single L1 of the size of all
  std::uint64_t lines_left = 0;          ///< evicted, overwritten, flushed, or there at the end
  std::uint64_t sectors_used = 0;        ///< of these lines, before they were removed
  double copies = 0;                     ///< number of L1s that hold a line: mean over time
  std::uint64_t instructions = 0;        ///< thread instructions of the executed CTAs
  std::uint64_t memory = 0, others = 0;  ///< their warp instructions with and without global memory

  double miss_rate() const { return share(misses, accesses); }
  double replication() const { return share(replicated, misses); }
  double large_miss_rate() const { return share(large_misses, accesses); }
  double fine_miss_rate() const { return share(fine_misses, sectors); }
  double bytes_used() const { return 32 * share(sectors_used, lines_left); }

 private:
  static double share(std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
};

/// Runs a stream through functional L1s without timing. Launch by launch, CTAs go to SMs round robin until
/// none has space, then to each SM that has space again. In each turn the next warp of every SM, round robin,
/// makes its next access to global memory. Loads allocate, LRU, hashed sets; stores and atomics invalidate
/// the line (write-evict). Barriers do not wait. No CTA starts after `window` thread instructions.
L1Figures study_l1(InstructionSource& source, const L1Machine& machine, std::uint64_t window);

}  // namespace strata::traces
