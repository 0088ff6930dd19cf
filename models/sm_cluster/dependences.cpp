#include "models/sm_cluster/dependences.h"

#include <algorithm>
#include <cstring>

#include "models/sm_cluster/remote_access.h"
#include "models/sm_cluster/unit_mix.h"

namespace strata {
namespace {

constexpr std::uint32_t most_conflict_cycles = 32 * 5;  // five words of each lane in one bank

// It reads a register that `load` writes, or writes one again.
bool names_register_of(const WarpInstruction& instruction, const WarpInstruction& load) {
  const unsigned first = load.destination, last = first + std::max<unsigned>(load.destination_count, 1);
  const auto is_written = [&](unsigned reg) { return reg != no_register && reg >= first && reg < last; };
  if (std::any_of(instruction.sources.begin(), instruction.sources.end(), is_written)) return true;
  for (unsigned r = 0; r < std::max<unsigned>(instruction.destination_count, 1); ++r)
    if (instruction.destination != no_register && is_written(instruction.destination + r)) return true;
  return false;
}

}  // namespace

Dependences::Dependences(const SmClusterParams& params) : timings_(params) {}

std::uint32_t Dependences::reach_of_run(const WarpInstruction& instruction) const {
  Cycle most = 0;
  UnitMix(instruction).for_each([&](Unit unit, unsigned count) {
    const UnitTiming& timing = timings_[unit];
    most = std::max(most, timing.latency + (timing.can_be_busy() ? (count - 1) * timing.interval : 0));
  });
  return static_cast<std::uint32_t>(most);
}

// Cycles from when another instruction can follow until the result can be read: instructions that many
// further on issue late enough by themselves.
inline std::uint32_t Dependences::reach(const WarpInstruction& instruction) const {
  if (touches_shared_memory(instruction.op))
    return static_cast<std::uint32_t>(timings_[Unit::shared].latency) + most_conflict_cycles;
  if (instruction.weight <= 1) return static_cast<std::uint32_t>(timings_[unit_of(instruction)].latency);
  return reach_of_run(instruction);
}

[[gnu::always_inline]] inline void Dependences::touch(const WarpInstruction* warp, unsigned reg,
                                                      std::uint32_t reader) {
  Writer& writer = writers_[reg];
  if (writer.until <= reader) return;
  writer.until = 0;
  std::uint32_t& found = found_[writer.instruction];
  if ((found & ~waits_bit) != 0) return;  // through another of its registers
  found |= reader - writer.instruction;
  if (!touches_global_memory(warp[writer.instruction].op)) found_[reader] |= waits_bit;
}

[[gnu::always_inline]] inline void Dependences::touch_all(const WarpInstruction* warp, std::uint32_t reader) {
  constexpr std::uint32_t none_of_four = ~std::uint32_t{0};  // four times no_register
  const WarpInstruction& instruction = warp[reader];
  touch(warp, instruction.sources[0], reader);
  std::uint32_t others;
  std::memcpy(&others, &instruction.sources[1], sizeof others);
  if (others != none_of_four)  // a load has one source, most arithmetic two
    for (std::size_t s = 1; s < instruction.sources.size(); ++s) touch(warp, instruction.sources[s], reader);
  touch(warp, instruction.destination, reader);
  if (instruction.destination_count <= 1) return;
  const unsigned last =
      std::min<unsigned>(instruction.destination + instruction.destination_count, no_register);
  for (unsigned r = instruction.destination + 1U; r < last; ++r) touch(warp, r, reader);
}

[[gnu::always_inline]] inline void Dependences::write(const WarpInstruction& instruction, Writer writer) {
  written_ = true;
  const std::size_t first = instruction.destination;
  if (instruction.destination_count == 1) {
    writers_[first] = writer;
    return;
  }
  const std::size_t last = std::min<std::size_t>(first + instruction.destination_count, no_register);
  for (std::size_t r = first; r < last; ++r) writers_[r] = writer;
}

// All groups but the newest `groups_left` must have ended.
void Dependences::wait_for_copies(std::uint32_t waiter, std::size_t groups_left) {
  if (groups_.size() <= groups_left) return;
  const std::size_t ended = groups_.size() - groups_left;
  const std::size_t copies = groups_[ended - 1];
  for (std::size_t i = 0; i < copies; ++i) found_[copies_[i]] |= waiter - copies_[i];
  copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(copies));
  groups_.erase(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(ended));
  for (std::size_t& end : groups_) end -= copies;
}

void Dependences::find(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end) {
  const WarpInstruction* const warp = cta.instructions.data() + begin;
  const std::uint32_t count = end - begin;
  found_.assign(count, 0);
  if (written_) writers_ = {};
  written_ = false;
  copies_.clear();
  groups_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const WarpInstruction& instruction = warp[i];
    if (written_) touch_all(warp, i);
    if (instruction.sync == Sync::copy_commit)
      groups_.push_back(copies_.size());
    else if (instruction.sync == Sync::copy_wait)
      wait_for_copies(i, instruction.operand);
    std::uint32_t until = count;
    if (!touches_global_memory(instruction.op)) {
      until = std::min(count, i + reach(instruction));
    } else if (!awaits_reply(instruction)) {
      continue;
    } else if (instruction.async) {
      if (!instruction.bulk) copies_.push_back(i);
      continue;
    } else if (instruction.first_use != unknown_distance) {
      found_[i] |= instruction.first_use;
      continue;
    }
    if (instruction.destination != no_register) write(instruction, {i, until});
  }
}

void Dependences::find_remote(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, unsigned rank) {
  const WarpInstruction* const warp = cta.instructions.data() + begin;
  const std::uint32_t count = end - begin;
  for (std::uint32_t i = 0; i < count; ++i) {
    const WarpInstruction& access = warp[i];
    if (access.sync != Sync::none || !names_other_cta(access, cta, rank)) continue;
    std::uint32_t distance = access.first_use;
    if (distance == unknown_distance && access.destination != no_register) {
      std::uint32_t next = i + 1;
      while (next < count && !names_register_of(warp[next], access)) ++next;
      if (next < count) distance = next - i;
    }
    found_[i] = (found_[i] & waits_bit) | distance;
  }
}

}  // namespace strata
