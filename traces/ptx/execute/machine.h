#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "traces/local_memory.h"
#include "traces/ptx/execute/calls.h"
#include "traces/ptx/execute/lanes_apart.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/execute/path_library.h"
#include "traces/ptx/execute/spinning.h"
#include "traces/ptx/execute/store_journal.h"
#include "traces/ptx/execute/waiting_blocks.h"
#include "traces/ptx/provenance/provenance.h"
#include "traces/ptx/ptx.h"

namespace strata::traces::ptx {

class Machine;

/// Lanes of a warp that wait, the next ones last.
struct LaneStack {
  std::vector<WaitingLanes> entries;
  std::vector<CallFrame> calls;   ///< that have not returned
  std::vector<LanesApart> apart;  ///< at a barrier, without the others
};

/// What the threads of a launch have asked of the device runtime.
struct DeviceCalls {
  struct Configuration {
    std::uint64_t function = 0;
    Dim3 grid, block;
    std::uint32_t shared = 0;
  };
  std::map<Address, Configuration> buffers;  ///< of parameters, until they are launched
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> errors;  ///< CTA, thread: its last error
  std::uint64_t made = 0;                                                   ///< streams and events
};

/// What the warps of the running CTA share.
struct CtaState {
  Machine* machine = nullptr;
  const DecodedKernel* kernel = nullptr;
  GlobalMemory* memory = nullptr;
  std::vector<std::uint8_t> shared;
  std::vector<std::uint8_t> local;  ///< warp, lane, byte
  std::vector<std::uint8_t> parameters;
  std::vector<GlobalMemory::Allocation*> hints;  ///< per operation: the allocation of the last time
  std::vector<Ground> grounds;
  std::vector<Address> addresses;  ///< pool of the records
  std::uint64_t record_bytes = 0;  ///< that there is room for
  PtxOptions::Memcheck memcheck = PtxOptions::Memcheck::strict;
  const std::function<void(const std::string&)>*print = nullptr, *assertion = nullptr;
  std::vector<std::uint8_t> read_only;    ///< per allocation: this launch was told that nothing writes it
  StoreJournal* journal = nullptr;        ///< notes what is written
  const StoreJournal* written = nullptr;  ///< what the launch will have written at its end
  std::array<std::uint8_t, 64> out_of_range{};  ///< what lanes outside of all memory see
  std::vector<std::uint8_t> bulk;               ///< what a bulk copy has loaded
  std::array<std::uint32_t, 32> bulk_lanes{};   ///< bytes of it, by lane
  std::vector<std::uint8_t> group_operands;     ///< what a wgmma has read: rows of a, columns of b
  DeviceCalls device_calls;
  std::uint32_t arrived[16] = {};  ///< by barrier: warps that did not wait there
  std::vector<CtaState*> mates;    ///< the thread blocks of its cluster, by rank
  std::uint32_t rank = 0;          ///< its own
  bool ended = false;
  std::uint64_t cta = 0;
  Dim3 grid, block, index;
};

/// Of the launch that it belongs to.
inline LocalRows local_rows(const CtaState& cta) {
  return LocalRows(cta.grid.count(), (static_cast<std::uint32_t>(cta.block.count()) + 31) / 32);
}

using ReportedOnce =
    std::set<std::pair<std::ptrdiff_t, const char*>>;  ///< operations, and what was said of them

/// Runs the CTAs of one launch.
class Machine {
 public:
  Machine(const PtxLaunch& launch, GlobalMemory& memory, const PtxOptions& options);
  ~Machine();
  void run(std::uint64_t cta, CtaTrace* trace);  ///< execute CTA `cta`; with `trace`, record it
  void run(std::uint64_t cta, CtaPath& path);    ///< the same; it lies here until the next one runs
  const KernelInfo& info() const { return info_; }
  const PtxLaunch& launch() const { return launch_; }
  const PtxOptions& options() const { return options_; }
  PtxStats stats;

  /// A warp has executed a block with this Op::gaps.
  void count_gaps(std::uint16_t gaps) { ++gap_runs_[gaps - 1U]; }

  /// Lanes of a warp have gone on without each other.
  void watch_meetings();
  const Meeting& meeting(const Op* op) const { return meetings_[meeting_of_[op->number]]; }
  const Watched& watched(const Op* op) const { return kernel_->watched[watched_of_[op->number]]; }
  Handler watched_fn(const Op* op) const { return watched_fn_[watched_of_[op->number]]; }

 private:
  void check(const PtxLaunch& launch, const PtxKernel& kernel) const;
  void patch(const PtxLaunch& launch);
  void set_up_warps();
  void mark_loads();
  void prove_loads(bool all);
  bool reach(OriginSet origins, const Provenance& found, std::vector<std::uint8_t>& into) const;
  void find_written_lines();
  void start_cta(std::uint64_t cta, bool record);
  void run_warp(Warp& warp);
  void run_watched(Warp& warp);
  static void run_ops(Warp& warp);
  void watch(bool on);
  bool goes_round(Warp& warp, std::uint64_t most);
  bool finds_news(Warp& warp);
  bool may_split(const Warp& warp) const;
  bool wait_outside(const std::vector<Machine*>& all);
  [[noreturn]] void wait_for_ever(const std::vector<Machine*>& all) const;
  std::uint64_t digest() const;
  std::uint64_t digest_of(const Warp& warp) const;  ///< registers, and where it is
  bool is_waiting(Warp& warp, const std::uint64_t* states);
  void forget_places();
  bool go_on();
  const Machine& execute(std::uint64_t cta, bool record);
  void count();
  const Machine& run_together(std::uint64_t cta, bool record);
  void start_together(bool record);
  std::unique_ptr<Machine> start_other(std::uint64_t cta, bool record);
  const Machine& hand_over(std::unique_ptr<Machine> from);
  bool is_deadlocked(std::uint64_t round);
  void take_turns(bool record);
  const Machine& run_cluster(std::uint64_t cta, bool record);
  std::vector<std::uint64_t> cluster_of(std::uint64_t cta) const;
  static void form_cluster(const std::vector<Machine*>& machines);
  std::vector<Machine*> start_cluster(std::uint64_t cta, bool record);
  void run_turns(std::vector<Machine*> running, const std::function<std::vector<Machine*>()>& more);
  bool release_cluster();
  const Machine& run_beside(bool record);
  const Machine& end_beside(std::uint64_t cta, bool record);
  void charge(const Warp& warp, std::uint64_t executed);
  void check_records(const Warp& warp) const;
  bool release_barriers();

  std::shared_ptr<const PtxProgram> program_;
  std::shared_ptr<const DecodedKernel> kernel_;
  std::vector<Op> ops_;  ///< with what is known of this launch
  PtxLaunch launch_;
  PtxOptions options_;
  KernelInfo info_;
  CtaState state_;
  std::vector<std::uint8_t> constants_;
  std::vector<std::uint8_t> registers_;  ///< of all warps
  std::uint8_t* first_register_ = nullptr;
  std::vector<Warp> warps_;
  std::vector<LaneStack> stacks_;
  std::vector<std::vector<PathCell>> cells_;  ///< by warp
  std::unique_ptr<PathLibrary> library_;      ///< taken when the first thread block is recorded
  CtaPath path_;
  std::unique_ptr<StoreJournal> lines_;
  std::uint64_t turn_ = 1 << 16;                    ///< PTX instructions until another warp gets its turn
  Address workspace_ = 0;                           ///< where the thread blocks of a cooperative launch meet
  std::vector<std::unique_ptr<Machine>> together_;  ///< of such a launch: one for each thread block
  std::map<std::uint64_t, std::unique_ptr<Machine>> in_cluster_;  ///< that have ended, by thread block
  std::vector<std::unique_ptr<Machine>> idle_;                    ///< for the next cluster
  bool blocked_ = false;  ///< in its last turn it has only waited for others of its cluster
  PendingBlocks beside_;
  std::unique_ptr<Machine> ended_;  ///< the one that was asked for last
  std::uint64_t barriers_ = 0;      ///< that this CTA has passed
  // PTX instructions of all warps:
  std::uint64_t executed_ = 0;       ///< in the launch
  std::uint64_t executed_cta_ = 0;   ///< in this CTA
  std::uint64_t since_release_ = 0;  ///< since it passed a barrier or a warp ended
  std::uint64_t progress_told_ = 0;  ///< when progress was told the last time
  Stillness still_;
  std::vector<std::uint32_t> watched_of_, meeting_of_;  ///< by operation
  std::vector<Handler> watched_fn_;                     ///< what they do, while they are watched
  std::vector<std::uint64_t> gap_runs_;                 ///< by DecodedKernel::gaps, not in `stats` yet
  std::vector<Meeting> meetings_;                       ///< none: no lanes have gone on without others
  std::uint32_t rounds_in_vain_ = 0;                    ///< in which all warps waited
  bool yielded_ = false;                                ///< a warp let others run where it waits
  std::uint64_t last_digest_ = 0;                       ///< then: what the thread block was like
  std::uint64_t last_state_ = 0, asked_ = 0;            ///< of a launch that waits
  bool counts_rounds_ = false;                          ///< a loop was found that waits and counts
  bool abandoned_ = false;                              ///< what is waited for never comes, and nobody minds
  std::uint64_t most_instructions_ = 0, most_bytes_ = 0;
  std::shared_ptr<ReportedOnce> reported_ = std::make_shared<ReportedOnce>();
  friend void ptx::grow(Warp& w);
  friend void ptx::complain(Warp& w, const Op* op, int lane, const char* message, std::uint64_t address);
};

KernelInfo kernel_info(const PtxLaunch& launch);
/// File and line, kernel, thread block, thread and instruction.
std::string place_of(const Warp& w, const Op* op, int lane);
/// A store or load that contradicts the analysis of the launch.
[[noreturn]] void check_failed(Warp& w, const Op* op, int lane, std::uint64_t address, bool store);

}  // namespace strata::traces::ptx
