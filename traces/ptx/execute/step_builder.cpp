#include "traces/ptx/execute/step_builder.h"

#include <algorithm>
#include <iterator>

#include "traces/ptx/execute/operations.h"

namespace strata::traces::ptx {
namespace {

OpClass class_in(OpClass op_class, bool shared) {
  if (!shared || op_class == OpClass::shared_load) return op_class;
  const bool load = op_class == OpClass::load || op_class == OpClass::read_only_load;
  return load ? OpClass::shared_load : OpClass::shared_store;
}

/// What is always the same in records of `op` with this tag.
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

/// Count the instructions of the block up to there.
void StepBuilder::account(std::uint32_t seq, const std::uint32_t* units) {
  run_.run += seq - seq_;
  seq_ = seq;
  for (std::size_t k = 0; k < counted_units; ++k) {
    run_.units[k] += units[k] - units_seq_[k];
    units_seq_[k] = units[k];
  }
}

/// What was counted is recorded: of a part its share of the units.
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

/// Of the loads whose results may be first used there, those that nobody has read: the next record reads
/// them.
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
  if (number == begin_cell) {  // behind the barrier that lanes waited at
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

/// The last one ends a block; `begin` is behind the end of another.
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
  // Marks of this block come behind those of the blocks before.
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

}  // namespace strata::traces::ptx
