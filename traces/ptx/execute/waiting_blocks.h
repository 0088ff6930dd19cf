#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace strata::traces::ptx {

class Machine;

constexpr std::size_t most_resident = 8192;  ///< thread blocks: more than any GPU holds at once

/// Looks at a thread block, whether its registers, its shared memory and the places of its warps are what
/// they were before: a loop that another thread block ends, or nothing.
struct Stillness {
  static constexpr std::uint64_t first_look = 1 << 18;  ///< instructions of the warps of the thread block
  std::uint64_t next_look = first_look;                 ///< when it has executed so many
  std::uint64_t looks = 0, seen = 0;                    ///< how often, and what it was like at one of them
  std::uint64_t seen_round = 0, same_round = 0;         ///< when that was, and when it was the same again
  bool same = false;                                    ///< at the last look
};

/// Thread blocks that run in turns with one that waits for them.
struct PendingBlocks {
  static constexpr std::uint64_t short_turn = 1 << 8;  ///< who waits in a loop shall not go round for long
  std::vector<std::unique_ptr<Machine>> machines;      ///< of thread blocks `first` to `next` - 1
  std::vector<Machine*> running;                       ///< with the one that waits
  std::uint64_t first = 0, next = 0;
  std::uint64_t round = 0;
};

}  // namespace strata::traces::ptx
