#pragma once

#include <cstdint>

#include "models/common/instruction_source.h"
#include "traces/ptx/module.h"

/// The decoded form and the state of a running warp. Files that are compiled once per instruction set include
/// this header and nothing with inline functions of the standard library: the linker keeps one copy of those.
namespace strata::traces::ptx {

struct Op;
struct Warp;
/// Executes one operation and returns the next; nullptr: the warp stops (barrier, end, its turn is over).
using Handler = const Op* (*)(Warp&, const Op*);

/// A row of 32 values: bit 0 chooses the warp's registers (0) or the kernel's constants (1), the rest is a
/// byte offset. Predicates are one 32-bit word.
using Row = std::uint32_t;
constexpr Row no_row = ~Row{0} & ~Row{3};
constexpr std::uint32_t all_lanes = 0xffffffff;
constexpr std::uint32_t no_op = 0xffffffff;

// Windows of generic addresses.
constexpr std::uint64_t shared_window = 0x7e0000000000, local_window = 0x7d0000000000,
                        param_window = 0x7c0000000000, window_bytes = 0x10000000000;

struct Op {
  Handler fn = nullptr;
  Handler inner = nullptr;  ///< behind a guard
  Row d = no_row, a = no_row, b = no_row, c = no_row;
  std::int64_t offset = 0;       ///< of an address; also a code of the operation
  std::uint32_t target = no_op;  ///< of a branch
  std::uint32_t join = no_op;    ///< where a branch's lanes meet again
  const Row* rows = nullptr;     ///< of `count` elements; of a first use: the slots
  std::uint32_t pc = 0;          ///< instruction of the kernel, from 0
  std::uint32_t seq = 0;         ///< counted instructions of the block before this one
  std::uint32_t executed = 0;    ///< of a block's last operation: PTX instructions of the block
  Row guard = no_row;
  std::int32_t slot = -1;  ///< where a load notes that its result is not yet read
  std::uint8_t count = 1;  ///< elements of a vector
  std::uint8_t width = 0;  ///< bytes an element
  Space space = Space::generic;
  OpClass op_class = OpClass::alu;
  std::uint8_t flags = 0;
  std::uint8_t code = 0;           ///< boolean of setp, kind of an atomic, rounding...
  std::uint8_t weight = 1;         ///< machine instructions that it counts for
  std::uint8_t address_bytes = 8;  ///< of the row `a` of a memory operation
  Row d2 = no_row;
};

// Op::flags
constexpr std::uint8_t negate_guard = 1, negate_c = 2, non_coherent = 4, bypass = 8, no_record = 16,
                       negate_a = 32, negate_b = 64, never_written = 128;


/// What one instruction's lanes touch, after the checks.
struct Target {
  std::uint8_t* data = nullptr;  ///< lane i's bytes are at data + address[i]
  std::uint32_t lanes = 0;       ///< those that this target serves
  Space space = Space::global;
};

struct CtaState;
struct LaneStack;

struct alignas(64) Warp {
  std::int32_t lane_mask[32];  ///< -1 where the lane is active
  std::uint8_t* base[2];       ///< registers, constants
  std::uint32_t mask = 0, alive = 0;
  std::uint32_t join = no_op;  ///< where the top of the stack ends
  const Op* code = nullptr;
  const Op* next = nullptr;  ///< where to go on
  CtaState* cta = nullptr;
  LaneStack* stack = nullptr;  ///< lanes that wait until those that run reach `join`
  std::uint32_t index = 0;
  // What is recorded.
  WarpInstruction* out = nullptr;  ///< next record
  WarpInstruction* out_begin = nullptr;
  WarpInstruction* out_end = nullptr;
  std::uint32_t* pending = nullptr;  ///< per slot: record that loaded it, plus 1; 0 = read
  std::uint32_t run = 0, run_seq = 0, run_mask = 0, run_pc = 0;
  bool record = false;
  std::uint64_t executed = 0, executed_threads = 0, recorded = 0, recorded_threads = 0;
  std::uint64_t budget = 0;  ///< PTX instructions until the warp yields
  std::uint64_t since_barrier = 0;
  enum class State : std::uint8_t { ready, barrier, done } state = State::ready;
  const Op* waiting = nullptr;
  std::uint32_t barrier = 0, barrier_threads = 0;
};

// Slow paths and control flow; compiled once.
const Op* do_branch(Warp& w, const Op* op);
const Op* do_jump(Warp& w, const Op* op);
const Op* do_join(Warp& w, const Op* op);
const Op* do_exit(Warp& w, const Op* op);
const Op* do_indirect(Warp& w, const Op* op);
const Op* do_guard(Warp& w, const Op* op);
const Op* do_first_use(Warp& w, const Op* op);
const Op* do_emit(Warp& w, const Op* op);
const Op* do_barrier(Warp& w, const Op* op);
const Op* do_trap(Warp& w, const Op* op);
const Op* do_assert(Warp& w, const Op* op);
const Op* do_nothing(Warp& w, const Op* op);
void set_mask(Warp& w, std::uint32_t mask);
void flush_run(Warp& w);
void grow(Warp& w);
/// Space, allocation and checks of the lanes `lanes`; `address` becomes relative to Target::data.
Target resolve(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes,
               bool store);
/// Record a memory instruction of `lanes`.
void record_access(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes, Space space,
                   std::uint32_t bytes);
[[noreturn]] void fault(const Warp& w, const Op* op, int lane, const char* message, std::uint64_t value = 0,
                        bool with_value = false);

inline std::uint8_t* row(const Warp& w, Row r) {
  return w.base[r & 1] + (r & ~Row{1});
}
template <class T>
inline T* row_of(const Warp& w, Row r) {
  return reinterpret_cast<T*>(row(w, r));
}

}  // namespace strata::traces::ptx
