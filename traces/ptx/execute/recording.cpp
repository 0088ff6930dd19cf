// Recording the path of a warp.
#include <algorithm>

#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint32_t first_cells = 256;

/// Addresses of the active lanes, as the memory system sees them.
void compact_addresses(const Warp& w, const std::uint64_t* address, std::uint32_t lanes, Space space,
                       std::uint64_t* compact) {
  static_assert(local_memory_base < GlobalMemory::first_address);
  const LocalRows rows = local_rows(*w.cta);
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    std::uint64_t a = address[i];
    if (space == Space::local) {
      if (a >= local_window) a -= local_window;
      a = rows.address(w.cta->cta, w.index, static_cast<unsigned>(i), a);
    } else if (space == Space::shared && a >= shared_window) {
      a -= shared_window;
    }
    *compact++ = a;
  }
}
bool strided(const std::uint64_t* address, int n, std::uint64_t stride) {
  if (n > 1 && address[n - 1] - address[0] != stride * static_cast<unsigned>(n - 1))
    return false;  // rows of blocks
  std::uint64_t difference = 0;
  for (int i = 1; i < n; ++i) difference |= address[i] - address[i - 1] - stride;
  return difference == 0;
}
/// Stores the addresses as a stride if they have one, else as a list.
void describe(Warp& w, PathCell& cell, const std::uint64_t* compact, int n, Form form) {
  const std::uint64_t stride = n > 1 ? compact[1] - compact[0] : 0;
  if (form == Form::unknown && strided(compact, n, stride) &&
      static_cast<std::int64_t>(stride) == static_cast<std::int32_t>(stride)) {
    cell.value = compact[0];
    cell.extra = static_cast<std::uint32_t>(stride);
  } else {
    cell.tag |= listed_cell;
    cell.value = w.cta->addresses.size();
    cell.extra = 0;
    w.cta->addresses.insert(w.cta->addresses.end(), compact, compact + n);
  }
}
/// Counts an access; false if it is not recorded.
inline bool count_access(Warp& w, const Op* op, std::uint32_t lanes, Space space) {
  if (!is_counted(op, space)) return false;
  ++w.recorded;
  w.recorded_threads += lanes == all_lanes ? 32 : lanes_in(lanes);
  return w.record;
}
inline std::uint64_t unit_bytes(const std::uint32_t* units) {
  std::uint64_t all = 0;
  for (std::size_t k = 0; k < counted_units; ++k) all |= std::uint64_t{units[k]} << (8 * k);
  return all;
}

/// The cells since the last end form one step, with the counts before it.
void add_end(Warp& w, std::uint32_t tag) {
  if (w.run > 255) {
    PathCell& more = add_cell(w);
    more = {w.run_units[0] | std::uint64_t{w.run_units[1]} << 32, w.run_units[2], counts_cell};
    add_cell(w) = {w.run | std::uint64_t{w.run_units[3]} << 32, w.mask, tag | long_carry};
  } else {
    add_cell(w) = {w.run | unit_bytes(w.run_units) << 32, w.mask, tag};
  }
  w.block = w.out;
  w.run = 0;
  for (std::uint32_t& units : w.run_units) units = 0;
}

}  // namespace

void grow(Warp& w) {
  auto& cells = w.cta->machine->cells_[w.index];
  const std::size_t used = cells.empty() ? 0 : static_cast<std::size_t>(w.out - w.out_begin);
  const std::ptrdiff_t block = cells.empty() ? 0 : w.block - w.out_begin;
  if (used >= (std::size_t{1} << 26))
    fault(w, w.next != nullptr ? w.next : w.code, -1, "more than 67108864 records in one warp");
  cells.resize(used == 0 ? first_cells : used * 2);
  w.out_begin = cells.data();
  w.out = w.out_begin + used;
  w.out_end = w.out_begin + cells.size();
  w.block = w.out_begin + block;
  w.cta->record_bytes += (cells.size() - used) * sizeof(WarpInstruction);
}

void note_block(Warp& w, const Op* op) {
  if (w.out != w.block || op->marked) {
    if (w.run == 0 && w.out != w.out_end) {  // the common case
      *w.out++ = {0, w.mask, op->number | block_end};
      w.block = w.out;
      return;
    }
    return add_end(w, op->number | block_end);
  }
  w.run += op->seq + op->weight;
  for (std::size_t k = 0; k < counted_units; ++k) w.run_units[k] += op->units_seq[k];
}

void end_run(Warp& w) {
  if (w.run != 0)
    add_end(w, no_block | block_end | run_ends);
  else if (w.out != w.out_begin)
    w.out[-1].tag |= run_ends;
}

void note_cut(Warp& w, const Op* op) {
  add_end(w, op->number | block_end | block_cut | run_ends);
}
void note_part(Warp& w, const Op* op) {
  add_end(w, op->number | block_end | run_ends);
}
void note_begin(Warp& w, const Op* op) {
  add_cell(w) = {op->number, 0, begin_cell};
}

void note_exit(Warp& w, const Op* op, std::uint32_t lanes) {
  if (!count_access(w, op, lanes, Space::global)) return;
  add_cell(w) = {0, 0, op->number | (lanes != w.mask ? own_mask : 0)};
  if (lanes != w.mask) add_cell(w) = {lanes, 0, mask_cell};
}

void note_barrier(Warp& w, const Op* op, std::uint32_t operand) {
  if (!count_access(w, op, w.mask, Space::global)) return;
  if (operand != 0) add_cell(w) = {0, 0, operand_cell + operand};
  const bool own = w.mask != w.block_mask;
  add_cell(w) = {0, 0, op->number | (own ? own_mask : 0)};
  if (own) add_cell(w) = {w.mask, 0, mask_cell};
}

namespace {

/// Records an access of `n` lanes whose addresses are consecutive here.
void note_access(Warp& w, const Op* op, const std::uint64_t* compact, int n, std::uint32_t lanes, Space space,
                 std::uint32_t bytes, Form form) {
  PathCell cell;
  cell.tag = access_tag(op, space, bytes);
  if (w.cta->written != nullptr && op->op_class == OpClass::load && space == Space::global &&
      w.cta->written->untouched(compact, n))
    cell.tag |= read_only_cell;
  describe(w, cell, compact, n, form);
  if (lanes != w.block_mask) cell.tag |= own_mask;
  add_cell(w) = cell;
  if (lanes != w.block_mask) add_cell(w) = {lanes, 0, mask_cell};
}

}  // namespace

void record_access(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes, Space space,
                   std::uint32_t bytes, Form form) {
  if (!count_access(w, op, lanes, space)) return;
  const int first = __builtin_ctz(lanes), n = lanes == all_lanes ? 32 : static_cast<int>(lanes_in(lanes));
  const bool in_no_window = space == Space::global || (space == Space::shared && op->space == space);
  const std::uint32_t side_by_side = lanes >> first;
  if (in_no_window && (side_by_side & (side_by_side + 1)) == 0)
    return note_access(w, op, address + first, n, lanes, space, bytes, n == 32 ? form : Form::unknown);
  std::uint64_t compacted[32];
  compact_addresses(w, address, lanes, space, compacted);
  note_access(w, op, compacted, n, lanes, space, bytes, Form::unknown);
}

void record_sync(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes,
                 std::uint32_t bytes, std::uint64_t operand) {
  if (lanes == 0 || !count_access(w, op, lanes, Space::shared)) return;
  add_cell(w) = {0, 0,
                 operand_cell + static_cast<std::uint32_t>(std::min<std::uint64_t>(operand, most_operand))};
  std::uint64_t compacted[32];
  compact_addresses(w, address, lanes, Space::shared, compacted);
  note_access(w, op, compacted, static_cast<int>(lanes_in(lanes)), lanes, Space::shared, bytes,
              Form::unknown);
}

void record_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t stride, Space space,
                std::uint32_t bytes) {
  if (space == Space::local || (w.record && !w.record_rows)) {  // they may become address lists
    std::uint64_t address[32];
    for (unsigned i = 0; i < 32; ++i) address[i] = first + static_cast<std::uint64_t>(stride) * i;
    return record_access(w, op, address, all_lanes, space, bytes);
  }
  if (!count_access(w, op, all_lanes, space)) return;
  PathCell& cell = add_cell(w);
  cell.value = space == Space::shared && first >= shared_window ? first - shared_window : first;
  cell.extra = static_cast<std::uint32_t>(stride);
  cell.tag = access_tag(op, space, bytes);
}

}  // namespace strata::traces::ptx
