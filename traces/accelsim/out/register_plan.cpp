#include "traces/accelsim/out/register_plan.h"

#include <algorithm>

namespace strata::traces {
namespace {

/// Registers that the result of an access takes when it is read back: opcode_table.cpp.
unsigned registers_of(const WarpInstruction& load) {
  return std::max(1U, unsigned{load.width} / 4);
}

}  // namespace

void RegisterPlan::begin(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end) {
  cta_ = &cta;
  begin_ = at_ = begin;
  end_ = end;
  loads_.clear();
  next_shared_ = first_shared;
  busy_.reset();
  busy_.set(never_written);
  for (std::uint32_t i = begin; i < end; ++i) {
    const WarpInstruction& instruction = cta.instructions[i];
    for (const std::uint8_t source : instruction.sources)
      if (source != no_register) busy_.set(source);
    if (instruction.destination == no_register || reader_is_counted(instruction)) continue;
    const unsigned last =
        std::min<unsigned>(instruction.destination + instruction.destination_count, no_register);
    for (unsigned r = instruction.destination; r < last; ++r) busy_.set(r);
  }
}

RegisterPlan::Named RegisterPlan::next() {
  const WarpInstruction& instruction = cta_->instructions[at_];
  Named named;
  for (const std::uint8_t source : instruction.sources) {
    const auto end = named.sources.begin() + named.count;
    if (source == no_register || std::find(named.sources.begin(), end, source) != end) continue;
    if (named.count == most_sources)
      ++sources_dropped_;
    else
      named.sources[named.count++] = source;
  }
  add_due(named);
  if (reader_is_counted(instruction))
    named.destination = take(instruction, instruction.first_use);
  else if (instruction.op == OpClass::shared_load && instruction.destination == no_register)
    named.destination = take_in_turn(instruction);
  else
    named.destination = instruction.destination;
  ++at_;
  return named;
}

RegisterPlan::Named RegisterPlan::more() {
  Named named;
  --at_;  // the record before is still the reader
  add_due(named);
  ++at_;
  return named;
}

/// The loads that the present record is the first to read, as many as there is room for: the others are read
/// by the next instruction, which no instruction of the warp can pass.
void RegisterPlan::add_due(Named& named) {
  const auto is_due = [this](const Load& load) { return load.reader <= at_ - begin_; };
  for (auto load = loads_.begin(); load != loads_.end();) {
    if (!is_due(*load)) {
      ++load;
      continue;
    }
    if (named.count == most_sources) {
      ++load;
      continue;
    }
    if (load->reader < at_ - begin_) ++waits_moved_;
    named.sources[named.count++] = load->first;
    for (unsigned r = load->first; r < unsigned{load->first} + load->count; ++r) busy_.reset(r);
    load = loads_.erase(load);
  }
}

/// The lowest registers in a row that are free. When the reader lies behind the end of the warp, a load needs
/// none; an atomic needs one, as it would return nothing without.
std::uint8_t RegisterPlan::take(const WarpInstruction& load, std::uint32_t distance) {
  if (distance >= end_ - at_ && load.op != OpClass::atomic) return no_register;
  const unsigned wanted = registers_of(load);
  unsigned free = 0;
  for (unsigned r = 0; r < no_register; ++r) {
    free = busy_.test(r) ? 0 : free + 1;
    if (free < wanted) continue;
    const unsigned first = r + 1 - wanted;
    for (unsigned used = first; used <= r; ++used) busy_.set(used);
    loads_.push_back(
        {at_ - begin_ + distance, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(wanted)});
    return static_cast<std::uint8_t>(first);
  }
  ++without_register_;
  return no_register;
}

/// The next registers in a row that are free. When all are in use, the first of them: the load may then wait
/// for another.
std::uint8_t RegisterPlan::take_in_turn(const WarpInstruction& load) {
  const unsigned wanted = registers_of(load);
  unsigned free = 0;
  for (unsigned tried = 0; tried < 2 * (end_shared - first_shared) && free < wanted; ++tried) {
    if (next_shared_ == end_shared) {
      next_shared_ = first_shared;
      free = 0;
    }
    free = busy_.test(next_shared_++) ? 0 : free + 1;
  }
  return static_cast<std::uint8_t>(free == wanted ? next_shared_ - wanted : first_shared);
}

}  // namespace strata::traces
