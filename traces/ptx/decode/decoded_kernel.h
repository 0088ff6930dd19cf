#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "traces/instruction_effect.h"
#include "traces/ptx/decode/op.h"
#include "traces/ptx/execute/spinning.h"
#include "traces/ptx/text/module.h"

namespace strata::traces::ptx {

struct PtxOpcode {
  std::string_view name;  ///< up to the first dot
  InstructionEffect effect;
};

/// All instructions of the PTX ISA 9.0 (NVIDIA, "Parallel Thread Execution ISA", chapter "Instruction Set"),
/// sorted by name.
const std::vector<PtxOpcode>& ptx_opcodes();

/// Which part of an instruction's effect on time or traffic is not modelled; empty: none.
std::string_view gap_of(const Instruction& instruction);

/// A constant whose value is known only at launch.
struct Patch {
  enum class Kind : std::uint8_t {
    parameter,  // at `value`, of `index` bytes
    symbol,     // address of the module's variable `index`, plus `value`
    ntid,       // of axis `value`, as the next two
    nctaid,
    ctaid,
    warps,  // of a CTA
    dynamic_shared_bytes,
    all_shared_bytes,
    dynamic_shared,  // address in shared memory, plus `value`
    grid_low,        // workspace address of a cooperative launch; 0 for other launches
    grid_high,
    cluster_ctaid,  // of axis `value`, like the next three
    cluster_nctaid,
    clusterid,
    nclusterid,
    cluster_ctarank,
    cluster_nctarank,
    explicit_cluster,  // a predicate
  } kind;
  std::uint64_t value = 0;
  std::uint32_t index = 0;
  std::uint32_t offset = 0;  ///< of the row
  std::uint32_t bytes = 4;   ///< of an element
};

/// An operation with its control and data flow, before blocks are laid out.
struct Flow {
  Op op;
  std::vector<std::uint32_t> reads, writes;  ///< registers
  std::vector<std::uint32_t> targets;        ///< labels: positions in the list
  bool ends_block = false;
  bool falls_through = true;
  bool barrier = false;  ///< nothing moves across it
  enum class Memory : std::uint8_t { none, load, store } memory = Memory::none;
  bool hoistable = false;  ///< a load that may be moved up
  bool conditional = false;
};

/// A function that is called, not inlined: through a pointer, or recursively.
struct Body {
  const Function* function = nullptr;
  std::uint32_t flow = 0;           ///< position of its first operation
  std::uint32_t entry = 0;          ///< the same in the final list of operations
  std::uint32_t frame_bytes = 0;    ///< local memory for results, parameters and variables
  Row first_row = 0, rows_end = 0;  ///< its registers
};

/// A call of CUDA's device runtime, with the offsets of its arguments and result in local memory.
struct DeviceCall {
  enum class Kind : std::uint8_t {
    parameter_buffer,  // kernel, grid, block, bytes of shared memory -> address
    launch,            // address, stream -> error
    create,            // address of a stream or event to make, flags -> error
    accept,            // no effect: everything runs in order
    last_error,
    set_last_error,
    device,         // address of its number -> error
    device_count,   // the same
    set_condition,  // handle, value; no result
  } kind = Kind::accept;
  std::uint32_t arguments[4] = {};
  std::uint32_t result = 0;
};

/// A record that belongs to the place just before an operation.
struct Mark {
  std::uint32_t op = 0, pc = 0;
  std::uint32_t seq = 0, units_seq[counted_units] = {};  ///< of the block, before this place
  bool emits = false;                                    ///< makes a record of this class
  OpClass op_class = OpClass::alu;
  Sync sync = Sync::none;
  std::uint16_t operand = 0;         ///< of `sync`
  std::vector<std::uint32_t> slots;  ///< loads whose results are first used here
};

struct DecodedKernel;
class PathLibraries;

/// Layouts of a kernel, by number of hoisted loads. Shared by threads.
struct Layouts {
  std::mutex mutex;
  std::map<int, std::shared_ptr<const DecodedKernel>> by_cap;
};

/// A kernel ready to run. Its functions are inlined, except for the bodies.
struct DecodedKernel {
  const Module* module = nullptr;
  const Function* function = nullptr;
  std::vector<const Instruction*> code;  ///< by Op::pc
  std::vector<Op> ops;                   ///< in PTX order
  std::vector<Mark> marks;               ///< in the order of their operations
  /// Reasons why a block's instructions are not fully modelled; each list once.
  std::vector<std::vector<std::string_view>> gaps;
  std::vector<std::uint32_t> blocks;  ///< first operation of each block
  std::vector<Watched> watched;       ///< watched operations
  std::vector<Flow> flow;             ///< kept until the layout, to hoist loads
  std::vector<std::uint8_t> words;    ///< 32-bit registers of each register
  std::vector<Row> register_rows;
  std::deque<std::vector<Row>> lists;  ///< target of Op::rows
  std::uint32_t register_bytes = 0;
  std::vector<std::uint8_t> constants;  ///< rows of constants; a copy is patched for each launch
  std::vector<Patch> patches;
  std::uint32_t shared_bytes = 0, local_bytes = 0, parameter_bytes = 0;
  std::uint32_t pressure = 0;  ///< most 32-bit registers live at once
  std::uint32_t load_slots = 0;
  std::vector<std::uint32_t> parameter_offsets;
  std::vector<Body> bodies;
  std::vector<DeviceCall> device_calls;      ///< by Op::offset
  Row frame_row = no_row, top_row = no_row;  ///< registers with begin and end of a function's frame
  std::uint32_t stack_begin = 0;             ///< offset of the stack in local memory
  bool uses_cluster_barrier = false;         ///< uses barrier.cluster
  bool uses_heap = false;                    ///< calls malloc or free, or launches kernels
  std::shared_ptr<Layouts> layouts;          ///< of this kernel, whose own operations are in PTX order
  std::shared_ptr<PathLibraries> libraries;  ///< recorded paths of earlier launches
};

/// Names of the instructions that kernels may have, up to the first dot; sorted.
std::vector<std::string> interpreted_instructions();

std::unique_ptr<DecodedKernel> decode_kernel(const Module& module, const Function& kernel);

/// Turns `flow` into operations and marks: blocks, immediate post-dominators, first uses, order of
/// instructions. At most `cap` loads of a block are hoisted above their first use; 0 keeps the order.
void lay_out(DecodedKernel& kernel, std::vector<Flow> flow, const std::vector<std::uint8_t>& register_words,
             int cap);

/// `kernel` with its operations laid out for `cap`. Made once, since a large kernel takes longer than most
/// launches.
std::shared_ptr<const DecodedKernel> laid_out(const DecodedKernel& kernel, int cap);

/// The order of flow[begin, end) with loads hoisted.
std::vector<std::uint32_t> hoist(const std::vector<Flow>& flow, std::uint32_t begin, std::uint32_t end,
                                 int cap);

}  // namespace strata::traces::ptx
