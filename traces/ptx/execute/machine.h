#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/local_memory.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/execute/path_library.h"
#include "traces/ptx/execute/spinning.h"
#include "traces/ptx/execute/warp.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/provenance/provenance.h"
#include "traces/ptx/ptx.h"

namespace strata::traces::ptx {

/// A call that has not returned.
struct CallFrame {
  std::size_t depth = 0;  ///< depth of the lane stack at which the callers' lanes are
  std::uint64_t frame[32], top[32];
  std::uint32_t body = 0;
  std::vector<std::uint8_t> registers;  ///< saved registers of the function, if the call is recursive
};

/// Lanes of a warp that wait to be popped from the stack.
struct WaitingLanes {
  std::uint32_t mask, pc, join;  ///< resume at `pc` and run to `join`
};

/// Lanes of a warp that have diverged from the others, with their stack and calls.
struct DivergedLanes {
  enum class Why : std::uint8_t {
    barrier,     ///< at a barrier of the thread block
    spins,       ///< in a loop that polls memory
    collective,  ///< at a warp-collective instruction with lanes that have not arrived
    joins,       ///< at a reconvergence point with lanes that have not arrived
  } why = Why::barrier;
  std::uint32_t lanes = 0, join = no_op;
  std::uint32_t alive = 0;      ///< these lanes and those of their stack
  const Op* waiting = nullptr;  ///< barrier at which they wait
  const Op* next = nullptr;     ///< where they resume, if not at a barrier
  std::uint64_t tried = 0;      ///< turn of the warp in which they last polled without success
  std::uint32_t barrier = 0, barrier_threads = 0;
  bool released = false;
  std::vector<WaitingLanes> entries;
  std::vector<CallFrame> calls;
};

/// The current lanes wait at a barrier and the other lanes of the warp run.
const Op* diverge_at_barrier(Warp& w);
/// The current lanes have ended or wait at a barrier: resumes diverged lanes. Null if none can run.
const Op* resume_diverged(Warp& w);

// Diverged lanes that do not wait at a barrier (control_flow.cpp).
/// The current lanes and their stack.
DivergedLanes current_lanes(const Warp& w);
void make_current(Warp& w, DivergedLanes lanes);
/// Diverged lanes of the warp that do not wait at a barrier of the thread block.
std::uint32_t diverged_lanes(const Warp& w);
/// The current lanes poll: lanes that wait for them run on their own.
void split_lanes(Warp& w);
/// The current lanes wait at `op` until the lanes `others` have arrived there.
const Op* suspend_lanes(Warp& w, const Op* op, DivergedLanes::Why why, std::uint32_t others);
/// Resumes the next diverged lanes that are not at a barrier. There must be some, and no current lanes.
const Op* resume_lanes(Warp& w);
/// The current lanes have polled without success: switches to other lanes. False if none can run.
bool switch_lanes(Warp& w);

class Machine;

constexpr std::size_t most_resident = 8192;  ///< thread blocks; more than any GPU holds at once

/// Detects a thread block whose registers, shared memory and program counters repeat: its loops can end only
/// if another thread block acts.
struct DeadlockWatch {
  static constexpr std::uint64_t first_look =
      1 << 18;                           ///< instructions of the thread block before the first check
  std::uint64_t next_look = first_look;  ///< instruction count of the next check
  std::uint64_t looks = 0, seen = 0;     ///< number of checks; state at one of them
  std::uint64_t seen_round = 0,
                same_round = 0;  ///< round in which that state was seen, and in which it was seen again
  bool same = false;             ///< result of the last check
};

/// Thread blocks that run in turns with an earlier block that waits for them.
struct PendingBlocks {
  static constexpr std::uint64_t short_turn = 1 << 8;  ///< keeps a polling block from spending a whole turn
  std::vector<std::unique_ptr<Machine>> machines;      ///< of thread blocks `first` to `next` - 1
  std::vector<Machine*> running;                       ///< these and the block that waits
  std::uint64_t first = 0, next = 0;
  std::uint64_t round = 0;
};

/// Lines of device memory that a launch writes, and their previous contents. With `read_only: oracle` the
/// launch runs once to find them and memory is restored.
class StoreJournal {
 public:
  static constexpr std::uint64_t line_bytes =
      128;  ///< line size of the caches (docs/blocks/llc-slice.md); allocations are aligned to it

  explicit StoreJournal(GlobalMemory& memory) : memory_(memory), written_(memory.allocations().size()) {}
  /// Called before the line of byte `first` of an allocation changes.
  void before_store(const GlobalMemory::Allocation& allocation, std::uint64_t first);
  /// Restores memory. The set of written lines is kept.
  void restore();
  /// True if no lane's line is written. Addresses outside every allocation count as written.
  bool untouched(const std::uint64_t* address, int count) const;
  std::uint64_t lines() const { return lines_; }

 private:
  struct Saved {
    std::size_t allocation;
    std::uint64_t line;
    std::uint64_t set[line_bytes / 64];
    std::uint8_t bytes[line_bytes];
  };
  bool written(std::size_t allocation, std::uint64_t line) const {
    const auto& bits = written_[allocation];
    return !bits.empty() && (bits[line / 64] >> (line % 64) & 1) != 0;
  }

  GlobalMemory& memory_;
  std::vector<std::vector<std::uint64_t>>
      written_;  ///< one bit per line of each allocation; empty if none is written
  std::vector<Saved> saved_;
  std::unordered_map<std::size_t, std::uint64_t> unset_before_;
  std::uint64_t lines_ = 0;
};

class Machine;

/// Lanes of a warp that wait, the next to resume last.
struct LaneStack {
  std::vector<WaitingLanes> entries;
  std::vector<CallFrame> calls;         ///< calls that have not returned
  std::vector<DivergedLanes> diverged;  ///< diverged lanes
};

/// Requests of a launch's threads to the CUDA device runtime.
struct DeviceCalls {
  struct Configuration {
    std::uint64_t function = 0;
    Dim3 grid, block;
    std::uint32_t shared = 0;
  };
  std::map<Address, Configuration> buffers;  ///< parameter buffers until they are launched
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> errors;  ///< last error by CTA and thread
  std::uint64_t made = 0;  ///< number of streams and events made
};

/// State that the warps of the running CTA share.
struct CtaState {
  Machine* machine = nullptr;
  const DecodedKernel* kernel = nullptr;
  GlobalMemory* memory = nullptr;
  std::vector<std::uint8_t> shared;
  std::vector<std::uint8_t> local;  ///< indexed by warp, lane, byte
  std::vector<std::uint8_t> parameters;
  std::vector<GlobalMemory::Allocation*> hints;  ///< the allocation that each operation accessed last
  std::vector<CheckedRange> checked_ranges;
  std::vector<Address> addresses;  ///< address pool of the records
  std::uint64_t record_bytes = 0;  ///< reserved bytes
  PtxOptions::Memcheck memcheck = PtxOptions::Memcheck::strict;
  const std::function<void(const std::string&)>*print = nullptr, *assertion = nullptr;
  std::vector<std::uint8_t> read_only;    ///< per allocation: this launch has been declared not to write it
  StoreJournal* journal = nullptr;        ///< records which lines are written
  const StoreJournal* written = nullptr;  ///< lines that the launch will have written at its end
  std::array<std::uint8_t, 64> out_of_range{};  ///< read by lanes outside of all memory
  std::vector<std::uint8_t> bulk;               ///< data loaded by a bulk copy
  std::array<std::uint32_t, 32> bulk_lanes{};   ///< its bytes by lane
  std::vector<std::uint8_t> group_operands;     ///< operands read by a wgmma: rows of a, columns of b
  DeviceCalls device_calls;
  std::uint32_t arrived[16] = {};  ///< by barrier: warps that arrived without waiting
  std::vector<CtaState*> peers;    ///< thread blocks of the cluster, by rank
  std::uint32_t rank = 0;          ///< rank in the cluster
  bool ended = false;
  std::uint64_t cta = 0;
  Dim3 grid, block, index;
};

/// Layout of the launch's local memory.
inline LocalRows local_rows(const CtaState& cta) {
  return LocalRows(cta.grid.count(), (static_cast<std::uint32_t>(cta.block.count()) + 31) / 32);
}

using ReportedOnce = std::set<std::pair<std::ptrdiff_t, const char*>>;  ///< operation and message

/// Runs the CTAs of one launch.
class Machine {
 public:
  Machine(const PtxLaunch& launch, GlobalMemory& memory, const PtxOptions& options);
  ~Machine();
  void run(std::uint64_t cta, CtaTrace* trace);  ///< executes CTA `cta`; records it if `trace` is given
  void run(std::uint64_t cta, CtaPath& path);    ///< records into `path`, valid until the next CTA runs
  const KernelInfo& info() const { return info_; }
  const PtxLaunch& launch() const { return launch_; }
  const PtxOptions& options() const { return options_; }
  PtxStats stats;

  /// A warp has executed a block with this Op::gaps.
  void count_gaps(std::uint16_t gaps) { ++gap_runs_[gaps - 1U]; }

  /// Called once lanes of a warp diverge.
  void watch_collectives();
  const Collective& collective(const Op* op) const { return collectives_[collective_of_[op->number]]; }
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
  bool only_polls(Warp& warp, std::uint64_t most);
  bool reads_new_value(Warp& warp);
  bool may_split(const Warp& warp) const;
  bool wait_for_host(const std::vector<Machine*>& all);
  [[noreturn]] void fail_deadlocked(const std::vector<Machine*>& all) const;
  std::uint64_t digest() const;
  std::uint64_t digest_of(const Warp& warp) const;  ///< registers and program counter
  bool is_waiting(Warp& warp, const std::uint64_t* states);
  void clear_checked_ranges();
  bool go_on();
  const Machine& execute(std::uint64_t cta, bool record);
  void count();
  const Machine& run_cooperative(std::uint64_t cta, bool record);
  void start_cooperative(bool record);
  std::unique_ptr<Machine> start_block(std::uint64_t cta, bool record);
  const Machine& adopt(std::unique_ptr<Machine> from);
  bool is_deadlocked(std::uint64_t round);
  void take_turns(bool record);
  const Machine& run_cluster(std::uint64_t cta, bool record);
  std::vector<std::uint64_t> cluster_of(std::uint64_t cta) const;
  static void form_cluster(const std::vector<Machine*>& machines);
  std::vector<Machine*> start_cluster(std::uint64_t cta, bool record);
  void run_turns(std::vector<Machine*> running, const std::function<std::vector<Machine*>()>& more);
  bool release_cluster();
  const Machine& run_with_pending(bool record);
  const Machine& end_pending(std::uint64_t cta, bool record);
  void charge(const Warp& warp, std::uint64_t executed);
  void check_records(const Warp& warp) const;
  bool release_barriers();

  std::shared_ptr<const PtxProgram> program_;
  std::shared_ptr<const DecodedKernel> kernel_;
  std::vector<Op> ops_;  ///< specialized for this launch
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
  std::uint64_t turn_ = 1 << 16;  ///< PTX instructions of a warp's turn
  Address workspace_ = 0;         ///< where the thread blocks of a cooperative launch synchronize
  std::vector<std::unique_ptr<Machine>>
      cooperative_;  ///< one machine per thread block of a cooperative launch
  std::map<std::uint64_t, std::unique_ptr<Machine>>
      in_cluster_;                              ///< ended thread blocks of the cluster, by number
  std::vector<std::unique_ptr<Machine>> idle_;  ///< reused by the next cluster
  bool blocked_ = false;  ///< it only waited for other blocks of its cluster in its last turn
  PendingBlocks pending_;
  std::unique_ptr<Machine> ended_;  ///< the block that was requested last
  std::uint64_t barriers_ = 0;      ///< barriers that this CTA has passed
  // PTX instructions of all warps.
  std::uint64_t executed_ = 0;           ///< in the launch
  std::uint64_t executed_cta_ = 0;       ///< in this CTA
  std::uint64_t since_release_ = 0;      ///< since the CTA passed a barrier or one of its warps ended
  std::uint64_t progress_reported_ = 0;  ///< when progress was last reported
  DeadlockWatch deadlock_watch_;
  std::vector<std::uint32_t> watched_of_, collective_of_;  ///< by operation
  std::vector<Handler> watched_fn_;                        ///< handlers used while the operation is watched
  std::vector<std::uint64_t> gap_runs_;                    ///< by DecodedKernel::gaps, not yet in `stats`
  std::vector<Collective> collectives_;                    ///< empty until lanes diverge
  std::uint32_t idle_rounds_ = 0;                          ///< rounds in which all warps waited
  bool yielded_ = false;                                   ///< a waiting warp let others run
  std::uint64_t last_digest_ = 0;                          ///< state of the thread block at that time
  std::uint64_t last_state_ = 0, asked_ = 0;               ///< of a launch that waits
  bool counts_rounds_ = false;  ///< found a loop that waits and counts its iterations
  bool abandoned_ = false;      ///< the condition can never hold, and the options allow that
  std::uint64_t most_instructions_ = 0, most_bytes_ = 0;
  std::shared_ptr<ReportedOnce> reported_ = std::make_shared<ReportedOnce>();
  friend void ptx::grow(Warp& w);
  friend void ptx::report_error(Warp& w, const Op* op, int lane, const char* message, std::uint64_t address);
};

KernelInfo kernel_info(const PtxLaunch& launch);
/// File and line, kernel, thread block, thread and instruction.
std::string place_of(const Warp& w, const Op* op, int lane);
/// A store or load contradicts the analysis of the launch.
[[noreturn]] void check_failed(Warp& w, const Op* op, int lane, std::uint64_t address, bool store);

}  // namespace strata::traces::ptx
