#pragma once

#include <cstdint>

#include "traces/ptx/execute/warp.h"

/// What is compiled once: control flow, recording, and the memory that the handlers of loads and stores
/// touch.
namespace strata::traces::ptx {

/// What one instruction's lanes touch, after the checks.
struct Target {
  std::uint8_t* data = nullptr;  ///< lane i's bytes are at data + address[i]
  std::uint32_t lanes = 0;       ///< those that this target serves
  Space space = Space::global;
};

const Op* do_branch(Warp& w, const Op* op);
const Op* do_jump(Warp& w, const Op* op);
const Op* do_join(Warp& w, const Op* op);
const Op* do_exit(Warp& w, const Op* op);
const Op* do_indirect(Warp& w, const Op* op);
const Op* do_guard(Warp& w, const Op* op);
/// In the place of what is recorded there: it has a mark, and is not executed.
const Op* do_emit(Warp& w, const Op* op);
const Op* do_barrier(Warp& w, const Op* op);
const Op* do_cluster_barrier(Warp& w, const Op* op);
const Op* do_trap(Warp& w, const Op* op);
const Op* do_assert(Warp& w, const Op* op);
const Op* do_print(Warp& w, const Op* op);
const Op* do_device_call(Warp& w, const Op* op);
constexpr std::uint64_t no_place = 0xfffff;  ///< of a result that nobody wants
const Op* do_nothing(Warp& w, const Op* op);
void set_mask(Warp& w, std::uint32_t mask);
/// Space, allocation and checks of the lanes `lanes`; `address` becomes relative to Target::data.
Target resolve(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes,
               bool store);
/// The same of all 32 lanes, lane i at `first + i * stride`: false when they have to be looked at one by one.
/// In Target::data they are at `relative` and, of local memory, another `stride`.
bool resolve_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t& stride, std::uint32_t bytes,
                 bool store, Target& target, std::uint64_t& relative);
/// Whether the addresses of all 32 lanes are one stride apart.
enum class Form : std::uint8_t { unknown, strided, other };
/// Record a memory instruction of `lanes`.
void record_access(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes, Space space,
                   std::uint32_t bytes, Form form = Form::unknown);
/// Record an instruction that orders the warp, at barriers in shared memory, with the operand of its Sync.
void record_sync(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes,
                 std::uint32_t bytes, std::uint64_t operand);
/// Of all 32 lanes, lane i at `first + i * stride`.
void record_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t stride, Space space,
                std::uint32_t bytes);
/// What the last wgmma.read of this warp's thread block has read: its rows of a, then b column by column.
const std::uint8_t* group_operands(const Warp& w);
/// What a GPU would not notice: a fault, or by the options told once for an instruction, or nothing.
void complain(Warp& w, const Op* op, int lane, const char* message, std::uint64_t address);
[[noreturn]] void fault(const Warp& w, const Op* op, int lane, const char* message, std::uint64_t value = 0,
                        bool with_value = false);

}  // namespace strata::traces::ptx
