#pragma once

#include <cstdint>
#include <vector>

#include "traces/ptx/execute/warp.h"

/// Loops in which lanes poll memory that other threads write: a lock, a flag.
namespace strata::traces::ptx {

/// A warp-collective instruction: lanes that have not arrived are waited for.
struct Collective {
  Handler fn = nullptr;             ///< its normal handler
  std::uint32_t lanes = all_lanes;  ///< lanes that take part
  bool known = false;               ///< `lanes` is exact; else fewer may take part
};

/// A watched instruction: it reads memory that others write, or writes some.
struct Watched {
  std::uint32_t number = 0;  ///< of the operation
  bool reads = false;
  bool clock = false;  ///< reads the time
  enum class Writes : std::uint8_t { never, always, when_equal, exchange } writes = Writes::never;
  std::uint32_t bytes = 4;  ///< bytes of a value
  struct Rows {
    Row row;
    std::uint32_t bytes;
  };
  std::vector<Rows> results;
};

constexpr std::uint64_t first_watch =
    4096;  ///< PTX instructions of a warp without a barrier before it is watched
constexpr std::uint64_t first_count =
    1 << 18;  ///< instructions of a loop that finds nothing new, but whose registers change
constexpr std::uint64_t most_watched = 4096;  ///< instructions of an iteration; longer ones are not polling
constexpr std::uint64_t short_turn = 256;     ///< instructions of a turn; nothing but polling fits in it
constexpr std::uint64_t short_watch = 64;     ///< used instead of first_watch once a polling loop was found
constexpr std::uint32_t rounds_watched = 3;   ///< iterations that find nothing new
constexpr std::uint64_t rounds_kept = 2;      ///< of those iterations that are recorded
constexpr std::uint32_t most_idle_turns = 2;  ///< turns of a warp before its diverged lanes run separately
constexpr std::uint32_t most_idle_rounds =
    6;  ///< rounds of all warps of a thread block before it counts as waiting

struct DecodedKernel;
/// Watched operations of a kernel; empty if it has no loop that could poll.
std::vector<Watched> find_watched(const DecodedKernel& kernel);

const Op* do_meet(Warp& w, const Op* op);
const Op* do_watched(Warp& w, const Op* op);

}  // namespace strata::traces::ptx
