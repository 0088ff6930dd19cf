#include "traces/ptx/execute/path_library.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <tuple>

namespace strata::traces::ptx {
namespace {

// Limits of a few megabytes. Kernels whose paths keep differing are recorded without a library.
constexpr std::size_t most_states = 8192, most_steps = 16384, most_steps_of_state = 64, most_used = 16384;
constexpr std::uint32_t longest_run = 4096;

std::uint32_t new_id() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

}  // namespace

bool operator<(const RunState& a, const RunState& b) {
  if (std::tie(a.run, a.pc) != std::tie(b.run, b.pc)) return std::tie(a.run, a.pc) < std::tie(b.run, b.pc);
  const auto units = std::mismatch(std::begin(a.units), std::end(a.units), std::begin(b.units));
  return units.first != std::end(a.units) ? *units.first < *units.second : a.pending < b.pending;
}

KnownState* PathLibrary::state(const RunState& content) {
  if (content.run > longest_run) return nullptr;
  const auto found = states_.find(content);
  if (found != states_.end()) return &found->second;
  if (states_.size() >= most_states) return nullptr;
  const auto made = states_.emplace(content, KnownState()).first;
  made->second.content = &made->first;
  return &made->second;
}

Step* PathLibrary::find(KnownState& from, const PathCell* cell, const PathCell* end, bool& listed) {
  for (Step* const step : from.steps)
    if (step->fits(cell, end, listed)) return from.last = step;
  return nullptr;
}

Step* PathLibrary::add(KnownState& from, const Step& step) {
  if (steps_.size() >= most_steps || from.steps.size() >= most_steps_of_state) return nullptr;
  steps_.push_back(step);
  Step& kept = steps_.back();
  kept.id = new_id();
  from.steps.push_back(&kept);
  return from.last = &kept;
}

const UsablePattern* PathLibrary::with_use(const UsablePattern& pattern, std::uint32_t record,
                                           std::uint8_t first_use) {
  for (const UsablePattern::With& one : pattern.with)
    if (one.record == record && one.first_use == first_use) return one.pattern;
  if (used_.size() >= most_used) return nullptr;
  UsablePattern& made = used_.emplace_back();
  static_cast<Pattern&>(made) = pattern;
  made.id = new_id();
  made.records[record].first_use = first_use;
  pattern.with.push_back({record, first_use, &made});
  return &made;
}

std::unique_ptr<PathLibrary> PathLibraries::take(std::uint16_t local_row) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(free_.rbegin(), free_.rend(),
                                  [&](const auto& library) { return library->local_row() == local_row; });
  if (found == free_.rend()) return std::make_unique<PathLibrary>(local_row);
  std::unique_ptr<PathLibrary> library = std::move(*found);
  free_.erase(std::next(found).base());
  return library;
}

void PathLibraries::give_back(std::unique_ptr<PathLibrary> library) {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(std::move(library));
}

}  // namespace strata::traces::ptx
