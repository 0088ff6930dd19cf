#pragma once

#include <cstdint>
#include <vector>

#include "models/common/ring_queue.h"
#include "models/sm_cluster/load_store_unit.h"
#include "models/sm_cluster/sm_cluster_params.h"

namespace strata {

/// The engine of an SM that executes bulk copies (TMA). A warp hands a copy over and goes on; the engine
/// breaks it into line accesses, which leave past the load/store unit in the order of the copies, and says
/// when all of a copy has landed.
class CopyEngine {
 public:
  /// `load_slot` of the accesses of transfer n: first_slot + n. The table of loads ends before it, and
  /// no_load_slot lies behind the last.
  static constexpr std::uint8_t first_slot = 64;
  static constexpr int most_transfers = 128;

  explicit CopyEngine(const SmClusterParams& params);

  /// A part of the warp's present copy, of so many lines; false when too many copies are under way.
  bool add(MemoryOp op, unsigned lines, Cycle now);
  /// The warp's present copy is whole and reports to the barrier at `address`. True when it has landed
  /// already.
  bool close_for_barrier(int warp, std::uint8_t cta_place, std::uint32_t address, std::int64_t bytes);
  /// Before close_for_barrier(), with how many instructions the warp has left: lines of the copy that
  /// reports. A copy that several barriers get reports in instructions that follow each other; 0: no copy
  /// does.
  unsigned lines_reported(int warp, std::uint32_t instructions_left);
  /// The warp's copies since the last call form a group.
  void close_for_group(int warp);
  /// All groups of the warp but the newest `groups_left` have landed.
  bool groups_landed(int warp, unsigned groups_left) const;
  /// No line of the warp's copies is under way.
  bool idle(int warp) const;
  /// The warp ends, its copies have landed.
  void forget(int warp);

  bool any_waiting() const { return !queue_.empty(); }
  /// A line may leave in this cycle: start latency, rate and lines in flight allow it.
  bool line_waiting(Cycle now) const {
    return any_waiting() && next_line_ <= now && lines_in_flight_ < most_in_flight_ && queue_.has_turn(now);
  }
  /// First cycle in which the next line may leave unless an answer must come first; never when there is none.
  Cycle next_turn(Cycle now) const;
  const LoadStoreUnit& queue() const { return queue_; }
  void line_sent(Cycle now);

  struct Report {
    std::uint32_t address = 0;
    std::int64_t bytes = 0;
  };
  struct Landed {
    bool whole = false;  ///< the last line of a closed copy
    int warp = 0;
    std::uint8_t cta_place = 0;
    std::vector<Report> reports;  ///< to barriers
  };
  /// A line of the transfer in `slot` is here.
  Landed answered(std::uint8_t slot);

 private:
  struct Transfer {
    bool used = false, closed = false;
    std::uint32_t lines = 0;       // in all
    std::uint32_t lines_left = 0;  // not answered
    std::uint32_t group = 0;       // of its warp's groups, 0: reports to a barrier
    Landed report;
  };
  int open_of(int warp);

  const Cycle start_latency_;
  const unsigned most_in_flight_;
  const Cycle cycles_per_line_;
  LoadStoreUnit queue_;
  std::vector<Transfer> transfers_;
  std::vector<std::int16_t> open_;     // by warp slot: its copy that is not whole, or -1
  std::vector<std::int16_t> last_;     // by warp slot: its last copy that reports to a barrier, or -1
  std::vector<std::uint32_t> groups_;  // by warp slot: groups committed so far
  struct Reported {
    unsigned lines = 0;
    std::uint32_t instructions_left = 0;
  };
  std::vector<Reported> reported_;  // by warp slot: the last report
  Cycle next_line_ = 0;
  unsigned lines_in_flight_ = 0;
};

}  // namespace strata
