#pragma once

#include <cstdint>
#include <vector>

#include "traces/ptx/execute/warp.h"

/// Loops in which lanes wait for what others do: a lock, a flag.
namespace strata::traces::ptx {

/// An instruction that other lanes take part in: those that are elsewhere are waited for.
struct Meeting {
  Handler fn = nullptr;             ///< what it does
  std::uint32_t lanes = all_lanes;  ///< that take part
  bool known = false;               ///< these are all; else they may be fewer
};

/// An instruction that is watched: it reads memory that others write, or writes some.
struct Watched {
  std::uint32_t number = 0;  ///< of the operation
  bool reads = false;
  bool clock = false;  ///< reads the time
  enum class Writes : std::uint8_t { never, always, when_equal, exchange } writes = Writes::never;
  std::uint32_t bytes = 4;  ///< of a value
  struct Rows {
    Row row;
    std::uint32_t bytes;
  };
  std::vector<Rows> results;
};

constexpr std::uint64_t first_watch = 4096;  ///< PTX instructions of a warp without a barrier
constexpr std::uint64_t first_count =
    1 << 18;  ///< of a loop that finds nothing new, but whose registers change
constexpr std::uint64_t most_watched = 4096;  ///< instructions: longer rounds are no waiting
constexpr std::uint64_t short_turn = 256;     ///< in which nothing but waiting can have been done
constexpr std::uint64_t short_watch = 64;     ///< instead, where a loop was found that waits
constexpr std::uint32_t rounds_watched = 3;   ///< that find nothing new
constexpr std::uint64_t rounds_kept = 2;      ///< of those that find nothing new: they are recorded
constexpr std::uint32_t turns_still = 2;      ///< of a warp, until lanes go on without those they wait for
constexpr std::uint32_t rounds_still = 6;     ///< of all warps of a thread block, until it is taken to wait

struct DecodedKernel;
/// Of the operations of a kernel; none when it has no loop that could wait.
std::vector<Watched> find_watched(const DecodedKernel& kernel);

const Op* do_meet(Warp& w, const Op* op);
const Op* do_watched(Warp& w, const Op* op);

}  // namespace strata::traces::ptx
