#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "traces/ptx/execute/path.h"

/// What warps of a kernel recorded from block to block, kept to be known again.
namespace strata::traces::ptx {

/// Between two blocks: what the next records depend on, but for the lanes.
struct RunState {
  std::uint32_t run = 0;                    ///< instructions since the last record
  std::uint32_t units[counted_units] = {};  ///< of these
  std::uint32_t pc = 0;                     ///< where they begin
  std::vector<std::uint32_t> pending;       ///< slots of loads whose results nobody has read, ascending

  friend bool operator<(const RunState& a, const RunState& b);
};

/// A pattern whose loads may be found to be first used somewhere else.
struct UsablePattern : Pattern {
  struct With {
    std::uint32_t record;
    std::uint8_t first_use;
    const UsablePattern* pattern;
  };
  mutable std::vector<With> with;
};

struct KnownState;

/// What is recorded from one state to the next.
struct Step : UsablePattern {
  std::vector<std::uint32_t> tags;  ///< of its cells
  std::uint64_t carry = 0;          ///< counts of blocks without cells before
  struct Place {
    std::uint32_t number, record;  ///< slot; and the record that reads it, or loads it
  };
  std::vector<Place> uses;   ///< of loads of earlier steps
  std::vector<Place> loads;  ///< that nobody has read at its end
  KnownState* next = nullptr;
  bool plain = false;   ///< nothing of these
  bool steady = false;  ///< and it may follow itself, without lists and masks of lanes

  /// Whether the cells from `cell` on are of this step; `listed`: and lists where it had them the first time.
  bool fits(const PathCell* cell, const PathCell* end, bool& listed) const {
    const std::size_t count = tags.size();
    if (static_cast<std::size_t>(end - cell) < count || cell[count - 1].value != carry) return false;
    const std::uint32_t* const expected = tags.data();
    std::uint32_t other = 0;
    for (std::size_t n = 0; n < count; ++n) other |= expected[n] ^ cell[n].tag;
    listed = other == 0;
    return (other & ~listed_cell) == 0;
  }
};

struct KnownState {
  const RunState* content = nullptr;
  std::vector<Step*> steps;
  Step* last = nullptr;  ///< the one that was found last
};

class PathLibrary {
 public:
  /// `local_row`: of accesses to local memory, LocalRows::warps() of the launch.
  explicit PathLibrary(std::uint16_t local_row) : local_row_(local_row), first_(state(RunState())) {}
  std::uint16_t local_row() const { return local_row_; }
  KnownState* first() const { return first_; }
  /// Null when there are too many, or it is not worth keeping.
  KnownState* state(const RunState& content);
  /// Null when none fits.
  static Step* find(KnownState& from, const PathCell* cell, const PathCell* end, bool& listed);
  /// A step that nobody knows yet; null when there are too many.
  Step* add(KnownState& from, const Step& step);
  const UsablePattern* with_use(const UsablePattern& pattern, std::uint32_t record, std::uint8_t first_use);

 private:
  std::map<RunState, KnownState> states_;
  std::deque<Step> steps_;
  std::deque<UsablePattern> used_;
  const std::uint16_t local_row_;
  KnownState* first_;
};

/// Those of a kernel: each machine that records works with one of its own, and leaves it to the next one.
class PathLibraries {
 public:
  std::unique_ptr<PathLibrary> take(std::uint16_t local_row);
  void give_back(std::unique_ptr<PathLibrary> library);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PathLibrary>> free_;
};

}  // namespace strata::traces::ptx
