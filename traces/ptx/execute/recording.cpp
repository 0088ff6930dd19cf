// What is recorded of a warp: compiled once.
#include "traces/ptx/execute/recording.h"

#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint32_t first_records = 256;

OpClass class_in(OpClass op_class, Space space) {
  if (space != Space::shared || op_class == OpClass::shared_load) return op_class;
  const bool load = op_class == OpClass::load || op_class == OpClass::read_only_load;
  return load ? OpClass::shared_load : OpClass::shared_store;
}
/// Addresses of the active lanes as the memory system sees them.
int compact_addresses(const Warp& w, const std::uint64_t* address, std::uint32_t lanes, Space space,
                      std::uint32_t bytes, std::uint64_t* compact) {
  int n = 0;
  const std::uint64_t local_base = GlobalMemory::first_address - (std::uint64_t{1} << 36) +
                                   (w.cta->cta % 4096 * 32 + w.index) * w.cta->kernel->local_bytes * 32;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    std::uint64_t a = address[i];
    if (space ==
        Space::local) {  // words of threads are interleaved: neighbouring lanes touch neighbouring bytes
      if (a >= local_window) a -= local_window;
      a = local_base + a * 32 + static_cast<unsigned>(i) * bytes;
    } else if (space == Space::shared && a >= shared_window) {
      a -= shared_window;
    }
    compact[n++] = a;
  }
  return n;
}
bool strided(const std::uint64_t* address, int n, std::uint64_t stride) {
  if (n > 1 && address[n - 1] - address[0] != stride * static_cast<unsigned>(n - 1))
    return false;  // rows of blocks
  std::uint64_t difference = 0;
  for (int i = 1; i < n; ++i) difference |= address[i] - address[i - 1] - stride;
  return difference == 0;
}
/// A stride when there is one, else a list.
void describe(Warp& w, WarpInstruction& r, const std::uint64_t* compact, int n, Form form) {
  const std::uint64_t stride = n > 1 ? compact[1] - compact[0] : 0;
  if (form == Form::unknown && strided(compact, n, stride) &&
      static_cast<std::int64_t>(stride) == static_cast<std::int32_t>(stride)) {
    r.address = compact[0];
    r.stride = static_cast<std::int32_t>(stride);
  } else {
    r.address_kind = AddressKind::list;
    r.address = w.cta->addresses.size();
    w.cta->addresses.insert(w.cta->addresses.end(), compact, compact + n);
  }
}
bool is_recorded(const Op* op, Space space) {
  return (op->flags & no_record) == 0 && space != Space::constant && space != Space::param;
}
/// Counts an access, and gives its record without addresses; null if none is kept.
[[gnu::always_inline]] inline WarpInstruction* open_record(Warp& w, const Op* op, std::uint32_t lanes,
                                                           Space space, std::uint32_t bytes) {
  if (!is_recorded(op, space)) return nullptr;
  ++w.recorded;
  w.recorded_threads += lanes == all_lanes ? 32 : lanes_in(lanes);
  if (!w.record) return nullptr;
  close_run(w, op);
  w.run_pc = op->pc * 16 + 16;
  WarpInstruction& r = *w.out++ = w.drafts[op->number];
  r.active_mask = lanes;
  r.width = static_cast<std::uint8_t>(bytes);
  if (space == Space::shared && op->space != Space::shared) draft_access(op, space, r);
  return &r;
}
/// Where `out` is, from the first record, in bytes: a warp has no more records than 32 bits tell.
inline std::uint32_t place_of(const Warp& w, const WarpInstruction* out) {
  return static_cast<std::uint32_t>(reinterpret_cast<const char*>(out) -
                                    reinterpret_cast<const char*>(w.out_begin));
}
/// The record before `out` is that of a load whose result nobody has read.
inline void note_load(Warp& w, const Op* op, const WarpInstruction* out) {
  if (op->slot >= 0 && op->op_class != OpClass::store) w.pending[op->slot] = place_of(w, out);
}

}  // namespace

void draft_access(const Op* op, Space space, WarpInstruction& r) {
  r.pc = op->pc * 16;
  r.op = class_in(op->op_class, space);
  r.non_coherent =
      (r.op == OpClass::load || r.op == OpClass::read_only_load) && (op->flags & non_coherent) != 0;
  r.bypass_l1 = (op->flags & bypass) != 0;
  if (op->count > 1 && op->width < 4) r.element = op->width;
  r.address_kind = AddressKind::stride;
}

void flush_run(Warp& w) {
  if (w.run <= 255 || !w.record) return end_run(w);
  count_run(w, w.run);
  while (w.run > 0) {
    WarpInstruction& r = add_record(w);
    r.active_mask = w.run_mask;
    r.pc = w.run_pc;
    r.weight = static_cast<std::uint8_t>(w.run > 255 ? 255 : w.run);
    for (std::size_t k = 0; k < counted_units; ++k) {  // of a part: its share
      r.units[k] = static_cast<std::uint8_t>(std::uint64_t{w.run_units[k]} * r.weight / w.run);
      w.run_units[k] -= r.units[k];
    }
    w.run -= r.weight;
  }
  std::memset(w.run_units, 0, sizeof w.run_units);
}

void begin_record(Warp& w, const Op* op) {
  account(w, op);
  end_run(w);
  w.run_pc = op->pc * 16;
}

void grow(Warp& w) {
  auto& records = w.cta->machine->records_[w.index];
  const std::size_t used = records.empty() ? 0 : static_cast<std::size_t>(w.out - w.out_begin);
  if (used >= (std::size_t{1} << 26))
    fault(w, w.next != nullptr ? w.next : w.code, -1, "more than 67108864 records in one warp");
  records.resize(used == 0 ? first_records : used * 2);
  w.out_begin = records.data();
  w.out = w.out_begin + used;
  w.out_end = w.out_begin + records.size();
  w.cta->record_bytes += (records.size() - used) * sizeof(WarpInstruction);
}

namespace {

/// The record that ends at `place` is that of a load, which the next record reads.
inline void note_reader(const Warp& w, std::uint32_t place) {
  const std::uint32_t distance =
      (place_of(w, w.out) - place) / static_cast<std::uint32_t>(sizeof(WarpInstruction)) + 1;
  auto* const behind = reinterpret_cast<WarpInstruction*>(reinterpret_cast<char*>(w.out_begin) + place);
  behind[-1].first_use = static_cast<std::uint8_t>(distance > 255 ? 255 : distance);
}

}  // namespace

/// Of the loads in these slots, those whose result nobody has read: the next record is that of their reader.
const Op* do_first_use(Warp& w, const Op* op) {
  if (!w.record) return op + 1;
  const Row* const end = op->rows + op->offset;
  const Row* slot = op->rows;
  while (slot != end && w.pending[*slot] == 0) ++slot;
  if (slot == end) return op + 1;
  const std::uint32_t run = run_up_to(w, op);
  if (!fits_one_record(w, run)) {
    close_run(w, op);
  } else if (run != 0) {  // else nothing has happened since the last record
    count_run(w, run);
    w.out = close_short_run(w, op, run);
  }
  w.run_pc = op->pc * 16;
  do {
    std::uint32_t& pending = w.pending[*slot];
    if (pending == 0) continue;
    note_reader(w, pending);
    pending = 0;
  } while (++slot != end);
  return op + 1;
}

const Op* do_emit(Warp& w, const Op* op) {
  ++w.recorded;
  w.recorded_threads += w.lanes;
  if (!w.record) return op + 1;
  account(w, op);
  end_run(w);
  w.run_pc = op->pc * 16 + 16;
  WarpInstruction& r = add_record(w);
  r.op = op->op_class;
  r.pc = op->pc * 16;
  r.active_mask = w.mask;
  return op + 1;
}

void record_access(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes, Space space,
                   std::uint32_t bytes, Form form) {
  WarpInstruction* const opened = open_record(w, op, lanes, space, bytes);
  if (opened == nullptr) return;
  WarpInstruction& r = *opened;
  std::uint64_t compacted[32];
  const bool as_they_are =  // unless lanes are left out, or they lie in a window
      lanes == all_lanes && (space == Space::global || (space == Space::shared && op->space == space));
  const std::uint64_t* const compact = as_they_are ? address : compacted;
  const int n = as_they_are ? 32 : compact_addresses(w, address, lanes, space, bytes, compacted);
  if (w.cta->written != nullptr && r.op == OpClass::load && space == Space::global &&
      w.cta->written->untouched(compact, n))
    r.op = OpClass::read_only_load;
  describe(w, r, compact, n, as_they_are ? form : Form::unknown);
  note_load(w, op, w.out);
}

namespace {

/// Of rows that may be written as lists, or that lie in a window; also behind a run of several records.
[[gnu::noinline]] void record_rare_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t stride,
                                       Space space, std::uint32_t bytes) {
  if (space == Space::local || w.cta->written != nullptr) {
    std::uint64_t address[32];
    for (unsigned i = 0; i < 32; ++i) address[i] = first + static_cast<std::uint64_t>(stride) * i;
    return record_access(w, op, address, all_lanes, space, bytes);
  }
  WarpInstruction& r = *open_record(w, op, all_lanes, space, bytes);
  r.address = space == Space::shared && first >= shared_window ? first - shared_window : first;
  r.stride = static_cast<std::int32_t>(stride);
  note_load(w, op, w.out);
}

}  // namespace

void record_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t stride, Space space,
                std::uint32_t bytes) {
  if (!is_recorded(op, space)) return;
  if (!w.record) {
    ++w.recorded;
    w.recorded_threads += 32;
    return;
  }
  const std::uint32_t run = run_up_to(w, op);
  const bool as_drafted = space == Space::global || (space == Space::shared && op->space == space);
  if (!fits_one_record(w, run) || !as_drafted || w.cta->written != nullptr)
    return record_rare_row(w, op, first, stride, space, bytes);
  count_run(w, run, 32);
  WarpInstruction* const out = close_short_run(w, op, run);
  w.run_pc = op->pc * 16 + 16;
  WarpInstruction& r = *out = w.drafts[op->number];
  w.out = out + 1;
  r.active_mask = all_lanes;
  r.width = static_cast<std::uint8_t>(bytes);
  r.address = first;
  r.stride = static_cast<std::int32_t>(stride);
  note_load(w, op, out + 1);
}

}  // namespace strata::traces::ptx
