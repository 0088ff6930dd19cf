#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "models/cache/prefetch_params.h"
#include "models/common/policy_table.h"

namespace strata {

enum class PrefetchOutcome : std::uint8_t {
  hit,
  first_use,  // of a line that a prefetch has brought, or is bringing
  merge,      // it waits for a fetch under way, which no prefetch has made
  miss,
};

/// A load that its cache has decided.
struct PrefetchTrigger {
  std::uint64_t line;  ///< its number: consecutive lines of the cache have consecutive numbers
  std::uint32_t pc = 0;
  std::uint16_t sm = 0;
  std::uint16_t warp = 0;  ///< of the SM
  PrefetchOutcome outcome = PrefetchOutcome::miss;
};

/// Policy: which lines a cache fetches before they are asked for. It sees the loads of the cache, and names
/// lines; whether they are there, have room in the queue and are fetched is not its concern (PrefetchUnit).
class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  virtual void observe(const PrefetchTrigger& load) = 0;
  /// The next line to fetch; false: none. The cache asks after observe() until there is none.
  virtual bool next(std::uint64_t& line) = 0;
};

/// Lines at equal distances, as most prefetchers name them: for next().
class LineRun {
 public:
  LineRun() = default;
  /// `count` lines from `first` on.
  LineRun(std::uint64_t first, std::int64_t step, int count) : next_(first), step_(step), left_(count) {}
  bool take(std::uint64_t& line) {
    if (left_ == 0) return false;
    --left_;
    line = next_;
    next_ += static_cast<std::uint64_t>(step_);
    return true;
  }

 private:
  std::uint64_t next_ = 0;
  std::int64_t step_ = 0;
  int left_ = 0;
};

/// A row of the table of prefetchers.
struct PrefetcherRow {
  std::string_view name;
  std::string_view sentence;  ///< which lines it names
  std::unique_ptr<Prefetcher> (*make)(const PrefetchParams& params);
  std::uint64_t (*bits)(const PrefetchParams& params);  ///< its storage

  static constexpr std::string_view kind = "prefetcher";
  static PolicyTable<PrefetcherRow>& table();
};

}  // namespace strata
