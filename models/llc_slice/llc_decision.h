#pragma once

#include <cstdint>

#include "models/cache/mshr_file.h"
#include "models/common/access.h"

namespace strata {

enum class LlcOutcome : std::uint8_t {
  hit,          // answer it after the rest of the latency
  done,         // a store that needs no fetch: the same, with a write to memory if `write` says so
  miss_new,     // fetch `sectors` of the line: MSHR `mshr` waits for them
  miss_merged,  // waits for a fetch under way
  stall,        // nothing changed
};

enum class LlcStall : std::uint8_t { none, mshr_full, merge_limit, set_full, write_queue, reply_queue };

/// A write that memory must get: what is dirty of a line, or what a store wrote.
struct MemoryWrite {
  Address line = 0;
  std::uint8_t sectors = 0;      // 0 = none
  std::uint8_t application = 0;  // whose line it is
  explicit operator bool() const { return sectors != 0; }
};

struct LlcDecision {
  LlcOutcome outcome;
  LlcStall stall = LlcStall::none;
  int mshr = MshrFile::none;
  MemoryWrite write = {};  // of a store that passes, or of a line that is evicted at once
  std::uint8_t sectors = 0;
};

struct LlcFilled {
  AccessFifo waiters;   // those that have all they waited for, in order of arrival
  MemoryWrite victim;   // dirty line that is evicted
  MemoryWrite through;  // what atomics changed (write: through)
};

/// What an access finds.
struct LlcFound {
  std::uint64_t number;
  std::uint32_t set;
  int way;               // of its line
  std::uint8_t asked;    // sectors
  std::uint8_t missing;  // of its sectors
};

/// Who leaves with a fill, and what they did.
struct LlcServed {
  AccessFifo waiters;
  std::uint8_t sectors;      // that are here now
  std::uint8_t changed = 0;  // by stores and atomics
  bool read_only = false;
  void note(const Access& waiter, std::uint8_t asked) {
    if (waiter.access_class == AccessClass::read_only_load) read_only = true;
    if (carries_request_data(waiter.access_class)) changed |= asked;
  }
};

}  // namespace strata
