#include "traces/ptx/execute/path_reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "traces/ptx/execute/operations.h"

namespace strata::traces::ptx {
namespace {

OpClass class_in(OpClass op_class, bool shared) {
  if (!shared || op_class == OpClass::shared_load) return op_class;
  const bool load = op_class == OpClass::load || op_class == OpClass::read_only_load;
  return load ? OpClass::shared_load : OpClass::shared_store;
}

/// The constant parts of records of `op` with this tag.
void draft_access(const Op& op, std::uint32_t tag, WarpInstruction& r) {
  r.pc = op.pc * 16;
  r.op = class_in((tag & read_only_cell) != 0 ? OpClass::read_only_load : op.op_class,
                  op.space == Space::shared || (tag & other_shared) != 0);
  r.non_coherent =
      (r.op == OpClass::load || r.op == OpClass::read_only_load) && (op.flags & non_coherent) != 0;
  r.bypass_l1 = (op.flags & bypass) != 0;
  r.local = (tag & local_cell) != 0;
  r.async = op.async;
  r.bulk = op.bulk;
  if (op.count > 1 && op.width < 4) r.element = op.width & 3U;
  r.width = static_cast<std::uint8_t>(1u << (tag >> width_shift & 7));
  r.address_kind = (tag & listed_cell) != 0 ? AddressKind::list : AddressKind::stride;
}

}  // namespace

WarpInstruction& StepBuilder::add() {
  return step_.records.emplace_back();
}

/// Counts the instructions of the block up to `seq`.
void StepBuilder::account(std::uint32_t seq, const std::uint32_t* units) {
  run_.run += seq - seq_;
  seq_ = seq;
  for (std::size_t k = 0; k < counted_units; ++k) {
    run_.units[k] += units[k] - units_seq_[k];
    units_seq_[k] = units[k];
  }
}

/// Records the run of counted instructions; a part of a block gets its share of the units.
void StepBuilder::end_run() {
  while (run_.run > 0) {
    WarpInstruction& r = add();
    r.pc = run_.pc;
    r.weight = static_cast<std::uint8_t>(std::min(run_.run, 255u));
    for (std::size_t k = 0; k < counted_units; ++k) {
      r.units[k] = static_cast<std::uint8_t>(std::uint64_t{run_.units[k]} * r.weight / run_.run);
      run_.units[k] -= r.units[k];
    }
    run_.run -= r.weight;
  }
  std::fill_n(run_.units, counted_units, 0u);
}

/// The next record reads those loads of the mark whose results are unread.
void StepBuilder::first_use(const Mark& mark) {
  bool found = false;
  for (const std::uint32_t slot : mark.slots) {
    const auto pending = std::lower_bound(run_.pending.begin(), run_.pending.end(), slot);
    if (pending == run_.pending.end() || *pending != slot) continue;
    run_.pending.erase(pending);
    if (!found) {
      account(mark.seq, mark.units_seq);
      end_run();
      run_.pc = mark.pc * 16;
      found = true;
    }
    const auto load = std::find_if(step_.loads.begin(), step_.loads.end(),
                                   [&](const Step::Place& one) { return one.number == slot; });
    if (load == step_.loads.end()) {
      step_.uses.push_back({slot, next_record()});
      continue;
    }
    step_.records[load->record].first_use =
        static_cast<std::uint8_t>(std::min(next_record() - load->record, 255u));
    step_.loads.erase(load);
  }
}

void StepBuilder::pass_marks(std::uint32_t up_to) {
  for (; mark_ != kernel_.marks.end() && mark_->op <= up_to; ++mark_) {
    if (!mark_->emits) {
      first_use(*mark_);
      continue;
    }
    account(mark_->seq, mark_->units_seq);
    end_run();
    run_.pc = mark_->pc * 16 + 16;
    WarpInstruction& r = add();
    r.op = mark_->op_class;
    r.pc = mark_->pc * 16;
    r.sync = mark_->sync;
    r.operand = mark_->operand;
  }
}

void StepBuilder::read_access(const Op& op, const PathCell* cell, std::uint32_t at) {
  account(op.seq + op.weight, op.units_seq);
  end_run();
  run_.pc = op.pc * 16 + 16;
  const bool masked = (cell->tag & own_mask) != 0;
  const std::uint32_t record = next_record();
  WarpInstruction& r = add();
  if (operand_) {
    r.sync = op.sync;
    r.operand = *operand_;
    operand_.reset();
  }
  if (op.op_class == OpClass::exit || op.op_class == OpClass::barrier) {
    r.op = op.op_class;
    r.pc = op.pc * 16;
    if (masked) step_.accesses.push_back({record, at, masked, false});
  } else {
    draft_access(op, cell->tag, r);
    if (r.local) r.operand = local_row_;
    step_.accesses.push_back({record, at, masked, (cell->tag & listed_cell) != 0});
  }
  step_.own_masks = step_.own_masks || masked;
  if (op.slot < 0 || op.op_class == OpClass::store) return;
  const auto slot = static_cast<std::uint32_t>(op.slot);
  const auto pending = std::lower_bound(run_.pending.begin(), run_.pending.end(), slot);
  if (pending == run_.pending.end() || *pending != slot) run_.pending.insert(pending, slot);
  const auto load = std::find_if(step_.loads.begin(), step_.loads.end(),
                                 [&](const Step::Place& one) { return one.number == slot; });
  if (load == step_.loads.end())
    step_.loads.push_back({slot, record});
  else
    load->record = record;
}

void StepBuilder::read_cell(const PathCell* cell, std::uint32_t at) {
  const std::uint32_t number = number_of(*cell);
  if (number == mask_cell || number == counts_cell) return;
  if (number >= operand_cell && number - operand_cell <= most_operand) {
    operand_ = static_cast<std::uint16_t>(number - operand_cell);
    return;
  }
  if (number == begin_cell) {  // behind the barrier at which lanes waited
    const Op& op = kernel_.ops[cell->value];
    rare_ = true;
    run_.pc = op.pc * 16 + 16;
    seq_ = op.seq + op.weight;
    std::copy_n(op.units_seq, counted_units, units_seq_);
    mark_ = std::upper_bound(kernel_.marks.begin(), kernel_.marks.end(), cell->value,
                             [](std::uint64_t op_number, const Mark& mark) { return op_number < mark.op; });
    return;
  }
  const Op& op = kernel_.ops[number];
  pass_marks(number);
  read_access(op, cell, at);
}

void StepBuilder::end_block(const PathCell* end) {
  const std::uint32_t number = number_of(*end);
  if (number != no_block) {
    const Op& op = kernel_.ops[number];
    pass_marks(number);
    if ((end->tag & block_cut) == 0) account(op.seq + op.weight, op.units_seq);
  }
  if ((end->tag & run_ends) != 0) end_run();
}

/// `end` ends a block; `begin` is just behind the end of another.
void StepBuilder::read(const PathCell* begin, const PathCell* end) {
  const PathCell& last = end[-1];
  const auto carried = static_cast<std::uint32_t>(last.value);
  std::uint32_t units[counted_units];
  for (std::size_t k = 0; k < counted_units; ++k)
    units[k] = static_cast<std::uint32_t>(last.value >> (32 + 8 * k)) & 0xff;
  if ((last.tag & long_carry) != 0) {
    rare_ = true;
    const PathCell& more = end[-2];
    units[0] = static_cast<std::uint32_t>(more.value);
    units[1] = static_cast<std::uint32_t>(more.value >> 32);
    units[2] = more.extra;
    units[3] = static_cast<std::uint32_t>(last.value >> 32);
  }
  run_.run += carried;
  for (std::size_t k = 0; k < counted_units; ++k) run_.units[k] += units[k];
  // Marks of this block come after those of earlier blocks.
  const PathCell* first = begin;
  while (number_of(*first) >= operand_cell && first != end - 1) ++first;
  const std::uint32_t somewhere = number_of(*first);
  const std::uint32_t block =
      somewhere == no_block
          ? 0
          : *std::prev(std::upper_bound(kernel_.blocks.begin(), kernel_.blocks.end(), somewhere));
  mark_ = std::lower_bound(kernel_.marks.begin(), kernel_.marks.end(), block,
                           [](const Mark& mark, std::uint32_t op_number) { return mark.op < op_number; });
  std::uint32_t at = 0;
  for (const PathCell* cell = begin; cell != end - 1; ++cell) read_cell(cell, at++);
  end_block(&last);
  for (const PathCell* cell = begin; cell != end; ++cell) step_.tags.push_back(cell->tag);
  step_.carry = last.value;
  step_.cells = at + 1;
}

void PathReader::read(const PathCell* cell, const PathCell* end) {
  const std::size_t first = path_.segments.size();
  records_ = 0;
  state_ = library_.first();
  while (cell != end) {
    Step* step = nullptr;
    bool listed = false;  // the cells match a known step
    if (state_ != nullptr) {
      step = state_->last;
      if (step == nullptr || !step->fits(cell, end, listed))
        step = PathLibrary::find(*state_, cell, end, listed);
    }
    if (step == nullptr) {
      cell = read_new(cell, end);
      continue;
    }
    PathSegment segment{step, cell, cell[step->cells - 1].extra, 0, listed};
    if (step->steady && listed) segment.repeats = repeats(*step, cell, end);
    take(*step, segment);
    cell += std::size_t{step->cells} * (segment.repeats + 1);
    state_ = step->next;
  }
  path_.warps.push_back({first, path_.segments.size(), records_});
}

/// How many more times the step repeats, each cell at the same distance from the one before.
std::uint32_t PathReader::repeats(const Step& step, const PathCell* cell, const PathCell* end) {
  typedef std::uint64_t Pair __attribute__((vector_size(16)));  // value; stride and tag
  static_assert(sizeof(Pair) == sizeof(PathCell), "one cell");
  const auto pair = [](const PathCell& from) {
    Pair made;
    std::memcpy(&made, &from, sizeof made);
    return made;
  };
  const std::size_t count = step.cells;
  const auto most = static_cast<std::size_t>(end - cell) / count - 1;
  if (most == 0 || cell[count - 1].tag != cell[2 * count - 1].tag) return 0;
  if (steps_.size() < count) steps_.resize(count);
  for (std::size_t n = 0; n < count; ++n) {
    const PathCell &now = cell[n], &next = cell[n + count];
    if (now.extra != next.extra || now.tag != next.tag) return 0;
    steps_[n].value = next.value - now.value;
  }
  if (steps_[count - 1].value != 0) return 0;  // counts of blocks between
  std::size_t times = 1;
  for (; times < most; ++times) {
    const PathCell *const before = cell + times * count, *const next = before + count;
    Pair other = {0, 0};
    for (std::size_t n = 0; n < count; ++n) other |= (pair(next[n]) - pair(before[n])) ^ pair(steps_[n]);
    if ((other[0] | other[1]) != 0) break;
  }
  return static_cast<std::uint32_t>(times);
}

/// Appends the step's records, and sets first uses in earlier records.
inline void PathReader::take(const Step& step, const PathSegment& segment) {
  path_.segments.push_back(segment);
  const std::size_t count = step.records.size();
  const std::uint64_t before = records_;
  records_ += count * (segment.repeats + std::uint64_t{1});
  if (step.plain) return;
  const std::size_t here = path_.segments.size() - 1;
  for (const Step::Place& one : step.uses) use(loads_[one.number], before + one.record);
  for (const Step::Place& one : step.loads) loads_[one.number] = {here, one.record, before + one.record};
}

/// Reads an unknown step up to its end.
const PathCell* PathReader::read_new(const PathCell* cell, const PathCell* end) {
  const PathCell* next = cell;
  while ((next++->tag & block_end) == 0)
    if (next == end) return end;  // the warp was stopped
  StepBuilder builder(kernel_, state_ != nullptr ? *state_->content : run_, library_.local_row());
  builder.read(cell, next);
  KnownState* const to = library_.state(builder.run());
  Step& made = builder.step();
  made.next = to;
  made.plain = made.uses.empty() && made.loads.empty();
  made.steady = made.plain && to == state_ && !made.own_masks;
  for (const Pattern::Access& access : made.accesses) made.steady = made.steady && !access.listed;
  const Step* known = nullptr;
  if (state_ != nullptr && to != nullptr && !builder.rare()) known = library_.add(*state_, made);
  const Pattern& pattern = known != nullptr ? static_cast<const Pattern&>(*known) : keep(made);
  take(known != nullptr ? *known : made, PathSegment{&pattern, cell, next[-1].extra, 0, true});
  state_ = to;
  if (to == nullptr) run_ = builder.run();
  return next;
}

/// A pattern that only this thread block has.
Pattern& PathReader::keep(const Pattern& pattern) {
  Pattern& own = path_.own.emplace_back(pattern);
  own.id = 0;
  own.place = static_cast<std::uint32_t>(path_.own.size() - 1);
  return own;
}

/// Record number `reader` is the first that uses the loaded value.
void PathReader::use(const Load& load, std::uint64_t reader) {
  const auto distance = static_cast<std::uint8_t>(std::min<std::uint64_t>(reader - load.number, 255));
  PathSegment& segment = path_.segments[load.segment];
  if (segment.pattern->id != 0) {
    const auto* const pattern =
        library_.with_use(*static_cast<const UsablePattern*>(segment.pattern), load.record, distance);
    if (pattern != nullptr) {
      segment.pattern = pattern;
      return;
    }
  }
  Pattern& own = segment.pattern->id == 0 ? path_.own[segment.pattern->place] : keep(*segment.pattern);
  own.records[load.record].first_use = distance;
  segment.pattern = &own;
}

}  // namespace strata::traces::ptx
