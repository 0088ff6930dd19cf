#pragma once

#include <cstdint>

#include "traces/ptx/execute/warp.h"

/// Operations that are compiled once: control flow, recording, and address checks for the load and store
/// handlers.
namespace strata::traces::ptx {

/// Memory that the lanes of one instruction access, after the checks.
struct Target {
  std::uint8_t* data = nullptr;  ///< lane i's bytes are at data + address[i]
  std::uint32_t lanes = 0;       ///< lanes that this target serves
  Space space = Space::global;
};

const Op* do_branch(Warp& w, const Op* op);
const Op* do_jump(Warp& w, const Op* op);
const Op* do_join(Warp& w, const Op* op);
const Op* do_exit(Warp& w, const Op* op);
const Op* do_indirect(Warp& w, const Op* op);
const Op* do_guard(Warp& w, const Op* op);
/// Runs in place of a marked instruction that is recorded but not executed.
const Op* do_emit(Warp& w, const Op* op);
const Op* do_barrier(Warp& w, const Op* op);
const Op* do_cluster_barrier(Warp& w, const Op* op);
const Op* do_trap(Warp& w, const Op* op);
const Op* do_assert(Warp& w, const Op* op);
const Op* do_print(Warp& w, const Op* op);
const Op* do_device_call(Warp& w, const Op* op);
constexpr std::uint64_t no_place = 0xfffff;  ///< row of a result that is not used
const Op* do_call(Warp& w, const Op* op);
const Op* do_call_pointer(Warp& w, const Op* op);
const Op* do_return(Warp& w, const Op* op);
const Op* do_alloca(Warp& w, const Op* op);
const Op* do_stack_save(Warp& w, const Op* op);
const Op* do_stack_restore(Warp& w, const Op* op);
const Op* do_nothing(Warp& w, const Op* op);
void set_mask(Warp& w, std::uint32_t mask);
/// Finds the space and allocation of `lanes` and checks their accesses. `address` becomes relative to
/// Target::data.
Target resolve(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes,
               bool store);
/// Like resolve() for all 32 lanes with lane i at `first + i * stride`. False if lanes must be resolved one
/// by one. In Target::data the lanes are at `relative`; local memory has its own `stride`.
bool resolve_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t& stride, std::uint32_t bytes,
                 bool store, Target& target, std::uint64_t& relative);
/// Whether the addresses of all 32 lanes have one stride.
enum class Form : std::uint8_t { unknown, strided, other };
/// Records a memory instruction of `lanes`.
void record_access(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes, Space space,
                   std::uint32_t bytes, Form form = Form::unknown);
/// Records a synchronizing instruction on barriers in shared memory, with the operand of its Sync.
void record_sync(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes,
                 std::uint32_t bytes, std::uint64_t operand);
/// Records all 32 lanes, with lane i at `first + i * stride`.
void record_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t stride, Space space,
                std::uint32_t bytes);
/// Operands that the last wgmma.read of this warp's thread block has read: rows of a, then b column by
/// column.
const std::uint8_t* group_operands(const Warp& w);
/// An access that a GPU would not report: a fault, a message once per instruction, or nothing, as the options
/// say.
void report_error(Warp& w, const Op* op, int lane, const char* message, std::uint64_t address);
[[noreturn]] void fault(const Warp& w, const Op* op, int lane, const char* message, std::uint64_t value = 0,
                        bool with_value = false);

// Stacks of waiting lanes, for operations that split and join lanes.

/// Counts the block that ends with this operation.
void end_of_block(Warp& w, const Op* op);
void push_lanes(Warp& w, std::uint32_t mask, std::uint32_t pc, std::uint32_t join);
/// Makes `mask` the running lanes.
void change_lanes(Warp& w, std::uint32_t mask);
/// Resumes the lanes on top of the stack; null if there are none.
const Op* pop_lanes(Warp& w);
/// Ends the call whose lanes were just popped.
void end_call(Warp& w);

}  // namespace strata::traces::ptx
