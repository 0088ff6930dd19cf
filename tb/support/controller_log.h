#pragma once

#include <string>
#include <vector>

#include "models/memory_controller/memory_controller_core.h"

namespace strata::tb {

// Default timing: gddr5_isca19 with nRCD 12, nRP 12, nRAS 28, nCL 12, nCWL 4, nBL 1, nRTP 2, nWR 12, nCCDL 2,
// nRTW 11.

inline DramRequest request(bool write, int bank, std::int64_t row, int column, std::uint64_t id = 0) {
  DramRequest r;
  r.write = write;
  r.bank = static_cast<std::uint8_t>(bank);
  r.row = row;
  r.column = column;
  r.id = id;
  return r;
}

using Log = std::vector<std::string>;

/// "1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "29 PRE b0": cycle, command, bank, row, column, request.
inline std::string to_text(const IssuedCommand& c, Cycle now) {
  const bool row = is_column(c.command) || c.command == DramCommand::act;
  return std::to_string(now) + " " + std::string(to_text(c.command)) + " b" + std::to_string(c.bank) +
         (row ? " r" + std::to_string(c.row) : "") +
         (is_column(c.command) ? " c" + std::to_string(c.column) : "") +
         (c.request == nullptr ? "" : " #" + std::to_string(c.request->id));
}

/// Runs a core until it has nothing to do before `end` and writes down its commands.
inline Log run(MemoryControllerCore& core, Cycle end = 100000) {
  Log log;
  while (core.next_action() < end) {
    const Cycle now = core.next_action();
    std::array<IssuedCommand, 2> out{};
    const int count = core.advance(now, out);
    for (int i = 0; i < count; ++i) log.push_back(to_text(out[static_cast<std::size_t>(i)], now));
  }
  return log;
}

/// Likewise, with the refreshes that an idle core owes until then; without rows and columns.
inline Log run_and_catch_up(MemoryControllerCore& core, Cycle end) {
  Log log;
  while (std::min(core.next_action(), core.owed()) < end) {
    const Cycle now = std::min(core.next_action(), core.owed());
    std::array<IssuedCommand, 2> out{};
    const int count = core.advance(now, out);
    for (int i = 0; i < count; ++i) {
      const IssuedCommand& c = out[static_cast<std::size_t>(i)];
      log.push_back(std::to_string(now) + " " + std::string(to_text(c.command)) + " b" +
                    std::to_string(c.bank) +
                    (c.request == nullptr ? "" : " #" + std::to_string(c.request->id)));
    }
  }
  return log;
}

}  // namespace strata::tb
