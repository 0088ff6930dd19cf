#include "traces/ptx/execute/path_reader.h"

#include <algorithm>

#include "traces/ptx/execute/step_builder.h"

namespace strata::traces::ptx {

void PathReader::read(const PathCell* cell, const PathCell* end) {
  first_ = path_.stretches.size();
  begin_ = cell;
  records_ = 0;
  state_ = library_.first();
  while (cell != end) {
    Step* step = nullptr;
    if (state_ != nullptr) {
      step = state_->last;
      if (step == nullptr || !step->fits(cell, end)) step = PathLibrary::find(*state_, cell, end);
    }
    if (step == nullptr) {
      cell = read_new(cell, end);
      continue;
    }
    const PathCell* const next = cell + step->tags.size();
    take(*step, *step, cell, next[-1].extra);
    cell = next;
    state_ = step->next;
  }
  path_.warps.push_back({first_, path_.stretches.size(), records_});
}

/// Its records follow; what they say of earlier ones is put there.
inline void PathReader::take(const Step& step, const Pattern& pattern, const PathCell* cell,
                             std::uint32_t mask) {
  const std::size_t stretch = path_.stretches.size();
  path_.stretches.push_back({&pattern, cell, mask});
  for (const Step::Place& one : step.uses) use(loads_[one.number], records_ + one.record);
  for (const Step::Place& one : step.loads)
    loads_[one.number] = {stretch, one.record, records_ + one.record};
  const std::uint64_t before = records_;
  records_ += step.records.size();
  for (const Step::Place& one : step.waited) use_waited(cell[one.number], before + one.record);
}

/// A stretch that is not known, up to its end.
const PathCell* PathReader::read_new(const PathCell* cell, const PathCell* end) {
  const PathCell* next = cell;
  while ((next++->tag & block_end) == 0)
    if (next == end) return end;  // of a warp that was stopped
  StepBuilder builder(kernel_, state_ != nullptr ? *state_->content : run_);
  builder.read(cell, next);
  KnownState* const to = library_.state(builder.run());
  builder.step().next = to;
  const Step* known = nullptr;
  if (state_ != nullptr && to != nullptr && !builder.rare()) known = library_.add(*state_, builder.step());
  if (known != nullptr)
    take(*known, *known, cell, next[-1].extra);
  else
    take(builder.step(), keep(builder.step()), cell, next[-1].extra);
  state_ = to;
  if (to == nullptr) run_ = builder.run();
  return next;
}

/// A pattern of this thread block alone.
Pattern& PathReader::keep(const Pattern& pattern) {
  Pattern& own = path_.own.emplace_back(pattern);
  own.id = 0;
  own.place = static_cast<std::uint32_t>(path_.own.size() - 1);
  return own;
}

/// Record number `reader` is the first that uses what was loaded.
void PathReader::use(const Load& load, std::uint64_t reader) {
  const auto distance = static_cast<std::uint8_t>(std::min<std::uint64_t>(reader - load.number, 255));
  Stretch& stretch = path_.stretches[load.stretch];
  if (stretch.pattern->id != 0) {
    const auto* const pattern = library_.with_use(*static_cast<const UsablePattern*>(stretch.pattern),
                                                  load.record, distance);
    if (pattern != nullptr) {
      stretch.pattern = pattern;
      return;
    }
  }
  Pattern& own = stretch.pattern->id == 0 ? path_.own[stretch.pattern->place] : keep(*stretch.pattern);
  own.records[load.record].first_use = distance;
  stretch.pattern = &own;
}

/// The record before cell number `waited.value` is that of a load.
void PathReader::use_waited(const PathCell& waited, std::uint64_t reader) {
  const PathCell* const behind = begin_ + waited.value;
  const auto stretches = path_.stretches.begin() + static_cast<std::ptrdiff_t>(first_);
  auto found = std::upper_bound(stretches, path_.stretches.end(), behind - 1,
                                [](const PathCell* cell, const Stretch& one) { return cell < one.cells; });
  --found;
  const Pattern& pattern = *found->pattern;
  const auto cell = static_cast<std::uint32_t>(behind - found->cells);
  auto access = std::lower_bound(
      pattern.accesses.begin(), pattern.accesses.end(), cell,
      [](const Pattern::Access& one, std::uint32_t number) { return one.cell < number; });
  if (access == pattern.accesses.begin()) return;
  --access;
  std::uint64_t number = records_;  // of the load: those of the stretches from its own on come behind
  for (auto later = found; later != path_.stretches.end(); ++later) number -= later->pattern->records.size();
  Load load;
  load.stretch = static_cast<std::size_t>(found - path_.stretches.begin());
  load.record = access->record;
  load.number = number + access->record;
  use(load, reader);
}

}  // namespace strata::traces::ptx
