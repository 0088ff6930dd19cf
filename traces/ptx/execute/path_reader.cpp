#include "traces/ptx/execute/path_reader.h"

#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/step_builder.h"

namespace strata::traces::ptx {

void PathReader::read(const PathCell* cell, const PathCell* end) {
  const std::size_t first = path_.stretches.size();
  records_ = 0;
  state_ = library_.first();
  while (cell != end) {
    Step* step = nullptr;
    bool listed = false;  // as it is known
    if (state_ != nullptr) {
      step = state_->last;
      if (step == nullptr || !step->fits(cell, end, listed))
        step = PathLibrary::find(*state_, cell, end, listed);
    }
    if (step == nullptr) {
      cell = read_new(cell, end);
      continue;
    }
    Stretch stretch{step, cell, cell[step->cells - 1].extra, 0, listed};
    if (step->steady && listed) stretch.repeats = repeats(*step, cell, end);
    take(*step, stretch);
    cell += std::size_t{step->cells} * (stretch.repeats + 1);
    state_ = step->next;
  }
  path_.warps.push_back({first, path_.stretches.size(), records_});
}

/// How often more it comes, each cell as far from the one of the time before.
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

/// Its records follow; what they say of earlier ones is put there.
inline void PathReader::take(const Step& step, const Stretch& stretch) {
  path_.stretches.push_back(stretch);
  const std::size_t count = step.records.size();
  const std::uint64_t before = records_;
  records_ += count * (stretch.repeats + std::uint64_t{1});
  if (step.plain) return;
  const std::size_t here = path_.stretches.size() - 1;
  for (const Step::Place& one : step.uses) use(loads_[one.number], before + one.record);
  for (const Step::Place& one : step.loads) loads_[one.number] = {here, one.record, before + one.record};
}

/// A stretch that is not known, up to its end.
const PathCell* PathReader::read_new(const PathCell* cell, const PathCell* end) {
  const PathCell* next = cell;
  while ((next++->tag & block_end) == 0)
    if (next == end) return end;  // of a warp that was stopped
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
  take(known != nullptr ? *known : made, Stretch{&pattern, cell, next[-1].extra, 0, true});
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
    const auto* const pattern =
        library_.with_use(*static_cast<const UsablePattern*>(stretch.pattern), load.record, distance);
    if (pattern != nullptr) {
      stretch.pattern = pattern;
      return;
    }
  }
  Pattern& own = stretch.pattern->id == 0 ? path_.own[stretch.pattern->place] : keep(*stretch.pattern);
  own.records[load.record].first_use = distance;
  stretch.pattern = &own;
}

}  // namespace strata::traces::ptx
