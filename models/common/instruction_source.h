#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/code_lines.h"
#include "models/common/units.h"

/// The only thing that models know of traces: kernels -> CTAs -> warps -> instructions.
namespace strata {

enum class OpClass : std::uint8_t {
  alu,
  sfu,
  load,            // global, local or generic load through the L1
  read_only_load,  // load of data that no store of the kernel can reach
  store,
  atomic,       // executed at the LLC; returns a value when it has a destination register
  shared_load,  // shared memory (scratchpad)
  shared_store,
  barrier,  // all warps of the CTA
  exit,     // retires the lanes in the mask
  other,    // no effect on the memory system (branches, fences, predicates): issue slot only
  count_
};

constexpr bool touches_global_memory(OpClass op) {
  return op >= OpClass::load && op <= OpClass::atomic;
}
constexpr bool touches_shared_memory(OpClass op) {
  return op == OpClass::shared_load || op == OpClass::shared_store;
}

/// What executes an instruction: a class of units that SMs have.
enum class Unit : std::uint8_t {
  integer,
  sp,      // single and half precision
  dp,      // double precision
  tensor,  // products of matrices
  branch,  // control flow
  sfu,     // special functions, conversions
  shared,  // shared memory
  none,    // it only takes an issue slot
  count_
};

enum class AddressKind : std::uint8_t {
  none,
  stride,  // `address` = first active lane, each further active lane adds `stride`
  list,    // one address per active lane, ascending lane, at CtaTrace::addresses[address]
};

/// Units that WarpInstruction::units counts: sp to branch.
constexpr std::size_t counted_units = 4;
constexpr bool is_counted(Unit unit) {
  return unit >= Unit::sp && unit <= Unit::branch;
}
constexpr std::size_t counted_place(Unit unit) {
  return static_cast<std::size_t>(unit) - static_cast<std::size_t>(Unit::sp);
}

constexpr std::uint8_t no_register = 255;
constexpr std::uint8_t unknown_distance = 0;

/// How an instruction orders a warp against its copies or against other warps. WarpInstruction::operand holds
/// the number that the comment names. Barriers in shared memory lie at the lanes' addresses; from bit 24 on
/// these have 1 + the rank of another thread block of the cluster, whose barrier is meant.
enum class Sync : std::uint8_t {
  none,            ///< of a barrier: all warps of the CTA meet at barrier 0
  barrier_sync,    ///< arrives at a barrier and waits: see barrier_operand()
  barrier_arrive,  ///< arrives at a barrier and goes on
  copy_commit,     ///< the warp's asynchronous copies since the last commit form a group
  copy_wait,       ///< waits until at most `operand` of the warp's newest groups are incomplete
  bulk_commit,     ///< the same two for bulk copies to global memory
  bulk_wait,
  mbarrier_init,    ///< barrier in shared memory at the lanes' addresses: expects `operand` arrivals a phase
  mbarrier_arrive,  ///< `operand` arrivals a lane
  mbarrier_expect,  ///< one arrival a lane; the phase also waits for `operand` * 16 bytes of bulk copies;
                    ///< expect_alone: without the arrival
  mbarrier_wait,    ///< waits until the phase of parity `operand` has ended
  mbarrier_copies,  ///< one arrival a lane when the warp's asynchronous copies so far have landed; operand 0:
                    ///< one more than the barrier was made for
  bulk_arrive,      ///< the bulk copy before reports `operand` * 16 bytes to the barrier at the address
  cluster_arrive,   ///< arrives at the barrier of the cluster and goes on
  cluster_wait,     ///< waits for all threads of the cluster
  mbarrier_phase,   ///< waits until `operand` phases of the barrier have ended since its start
  count_
};

/// Of mbarrier_expect: the bytes without the arrival.
constexpr std::uint16_t expect_alone = 1U << 15;

/// Barrier 0 to 15 of a CTA, and how many warps meet there; 0: all.
constexpr std::uint16_t barrier_operand(unsigned barrier, unsigned warps) {
  return static_cast<std::uint16_t>(barrier | warps << 4);
}
constexpr unsigned barrier_of(std::uint16_t operand) {
  return operand & 15U;
}
constexpr unsigned barrier_warps(std::uint16_t operand) {
  return operand >> 4U;
}

/// One dynamic instruction of a warp: 40 bytes, no allocation. All bytes from `pc` on are compared as bytes.
struct WarpInstruction {
  WarpInstruction()
      : non_coherent(false),
        bypass_l1(false),
        local(false),
        async(false),
        bulk(false),
        element(0),
        unused(0) {}

  std::uint64_t address = 0;
  std::int32_t stride = 0;
  std::uint32_t active_mask = 0;  ///< bit i = lane i executes
  std::uint32_t pc = 0;           ///< byte offset in the kernel
  OpClass op = OpClass::alu;
  AddressKind address_kind = AddressKind::none;
  std::uint8_t width = 0;  ///< bytes per lane: 1, 2, 4, 8 or 16
  std::uint8_t first_use =
      unknown_distance;   ///< loads: instructions until the first reader; 0 = see registers
  bool non_coherent : 1;  ///< ld.global.nc
  bool bypass_l1 : 1;     ///< .STRONG.GPU and the like
  bool local : 1;  ///< of local memory: the address is physical, words of neighbouring threads side by side
  bool async : 1;  ///< load into shared memory that nothing waits for but a Sync; of OpClass::other: an order
                   ///< that the source does not hold
  bool bulk : 1;   ///< copy of the SM's copy engine, not of its load/store unit; of OpClass::other: one whose
                   ///< addresses the source does not hold
  std::uint8_t element : 2;  ///< of vectors of elements of 1 or 2 B: their bytes; 0: others
  std::uint8_t unused : 1;
  std::uint8_t destination = no_register;
  std::uint8_t destination_count = 1;  ///< consecutive registers written
  std::array<std::uint8_t, 5> sources = {no_register, no_register, no_register, no_register, no_register};
  std::uint8_t weight = 1;  ///< instructions that this record stands for (compressed runs of ALU work)
  /// Of these: how many execute on sp, dp, tensor and branch, in this order. Of arithmetic the others are
  /// integer, of `other` they only take an issue slot.
  std::array<std::uint8_t, counted_units> units{};
  Sync sync = Sync::none;
  std::uint16_t operand =
      0;  ///< of `sync`; of a local access: warps of which the same words lie side by side

  /// Bytes of what a lane accesses at once: of a vector, its elements.
  unsigned element_bytes() const { return element != 0 ? element : width; }
  /// Most masks are full, and the builtin is a library call on plain x86-64.
  int active_lanes() const { return active_mask == ~0U ? 32 : __builtin_popcount(active_mask); }
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// One kernel launch, in program order.
struct KernelInfo {
  std::string name;
  std::uint32_t id = 0;  ///< position in the source, from 0
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;  ///< static + dynamic, per CTA
  std::uint32_t registers = 16;    ///< per thread
  std::uint32_t application = 0;
  std::uint64_t stream = 0;          ///< launches of one stream follow each other
  std::int32_t priority = 0;         ///< of the stream: the higher, the sooner
  std::vector<std::uint32_t> after;  ///< ids of kernels of other streams that must have ended
  Dim3 cluster;                      ///< CTAs that start together, on SMs of one cluster of SMs
  /// Null: not known. That of a trace grows while its instructions are read.
  std::shared_ptr<const CodeLines> lines;
  std::uint64_t ctas() const { return grid.count(); }
  std::uint32_t threads_per_cta() const { return static_cast<std::uint32_t>(block.count()); }
  std::uint32_t warps_per_cta() const { return (threads_per_cta() + 31) / 32; }
};

/// Host-to-device copy listed between kernels.
struct MemcpyInfo {
  Address address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t before_kernel = 0;  ///< happens before this kernel
};

/// All instructions of one CTA: fetched when the CTA starts, freed when it ends.
struct CtaTrace {
  std::uint64_t index = 0;                    ///< position in launch order, from 0
  std::vector<WarpInstruction> instructions;  ///< warp after warp
  std::vector<std::uint32_t> warp_begin;      ///< warp w owns [warp_begin[w], warp_begin[w + 1])
  std::vector<Address> addresses;             ///< pool of AddressKind::list

  std::size_t warps() const { return warp_begin.empty() ? 0 : warp_begin.size() - 1; }
};

/// Instructions whose effect on time or traffic is not modelled.
struct SourceGap {
  std::uint32_t kernel = 0;  ///< id
  std::string reason;        ///< `fences: a warp does not ...`: what they are, and what they can change
  std::uint64_t count = 0;   ///< warp instructions
};

/// A stream of kernels. Implementations: record file, Accel-Sim traces, PTX interpreter, synthetic
/// generators. Every function may throw TraceError. Not thread-safe.
class InstructionSource {
 public:
  virtual ~InstructionSource() = default;
  /// All launches in program order.
  virtual const std::vector<KernelInfo>& kernels() const = 0;
  virtual const std::vector<MemcpyInfo>& copies() const = 0;
  /// Fetch CTA `cta` (in launch order, from 0) of kernel `kernel`. Callers ask in any order; ascending is
  /// fastest.
  virtual std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) = 0;
  /// Where the stream came from, for the results' provenance.
  virtual std::string description() const = 0;
  /// Warp instructions in all, when known without reading everything; 0 = unknown. For progress and ETA.
  virtual std::uint64_t warp_instructions() const { return 0; }
  /// What was fetched so far and is not modelled, each kernel and reason once, in the order of both. Records
  /// that are marked themselves (Sync::none of OpClass::other with `async` or `bulk`) are not among it.
  virtual std::vector<SourceGap> gaps() const { return {}; }
};

}  // namespace strata
