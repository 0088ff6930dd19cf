#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/sm_cluster/unit_timing.h"

namespace strata {

/// Which instructions of a warp wait for which, found once from the registers that they name.
///
/// A warp issues in order. So for a result only the first instruction matters that reads one of its
/// registers, or writes one again: when that one has issued, the result is there for all the others. And a
/// result of fixed latency matters only for instructions that are not further away than it takes: at most one
/// of a warp issues in a cycle.
///
/// Asynchronous copies name no register: the first Sync::copy_wait waits that their group must have ended
/// for.
class Dependences {
 public:
  explicit Dependences(const SmClusterParams& params);

  /// Replaces what was found: of the instructions [begin, end) of `cta`, one warp's.
  void find(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end);
  /// The same for accesses to shared memory of other CTAs than the one of this rank in the cluster, whose
  /// results come when they come; after find().
  void find_remote(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, unsigned rank);
  /// Of the i-th instruction of the warp: how many instructions later the first one comes that waits for its
  /// result, 0 for none. Of loads whose distance the trace tells, that distance.
  std::uint32_t first_use(std::size_t i) const { return found_[i] & ~waits_bit; }
  /// It is the first to wait for a result of fixed latency.
  bool waits(std::size_t i) const { return (found_[i] & waits_bit) != 0; }

 private:
  static constexpr std::uint32_t waits_bit = 1U << 31;
  struct Writer {
    std::uint32_t instruction;
    std::uint32_t until;  // instructions from here on need not wait for it
  };

  void touch(const WarpInstruction* warp, unsigned reg, std::uint32_t reader);
  void touch_all(const WarpInstruction* warp, std::uint32_t reader);
  void write(const WarpInstruction& instruction, Writer writer);
  void wait_for_copies(std::uint32_t waiter, std::size_t groups_left);
  std::uint32_t reach(const WarpInstruction& instruction) const;
  std::uint32_t reach_of_run(const WarpInstruction& instruction) const;

  const UnitTimings timings_;
  std::array<Writer, 256> writers_{};  // by register; no_register has none
  bool written_ = false;               // any of them
  std::vector<std::uint32_t> found_;
  // Asynchronous copies that nothing waits for so far, in the order of issue, and how many of them lie before
  // the end of each group, oldest first.
  std::vector<std::uint32_t> copies_;
  std::vector<std::size_t> groups_;
};

/// The instruction gets an entry in its warp's table of loads.
constexpr bool awaits_reply(const WarpInstruction& i) {
  return i.op == OpClass::load || i.op == OpClass::read_only_load ||
         (i.op == OpClass::atomic && (i.destination != no_register || i.first_use != unknown_distance));
}

}  // namespace strata
