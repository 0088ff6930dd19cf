#include <algorithm>
#include <vector>

#include "models/cache/prefetcher.h"

namespace strata {
namespace {

/// Streams of misses in one direction, each in a region that moves along with it (Palacharla and Kessler,
/// ISCA 1994; regions and directions as in the stream prefetcher of POWER4, IBM J. Res. Dev. 46(1), 2002).
/// Another step in the same direction makes a stream sure.
class Stream final : public Prefetcher {
 public:
  explicit Stream(const PrefetchParams& params)
      : distance_(params.prefetch_distance),
        degree_(params.prefetch_degree),
        window_(static_cast<std::uint64_t>(params.prefetch_window)),
        streams_(static_cast<std::size_t>(params.prefetch_table)) {}

  void observe(const PrefetchTrigger& load) override {
    if (load.outcome != PrefetchOutcome::miss && load.outcome != PrefetchOutcome::first_use) return;
    Entry& entry = stream_of(load.line);
    entry.last_use = ++uses_;
    const int direction = load.line > entry.line ? 1 : load.line < entry.line ? -1 : 0;
    if (direction == 0) return;
    const bool sure = direction == entry.direction;
    entry.line = load.line;
    entry.direction = direction;
    if (sure)
      run_ = LineRun(load.line + static_cast<std::uint64_t>(std::int64_t{direction} * distance_), direction,
                     degree_);
  }
  bool next(std::uint64_t& line) override { return run_.take(line); }

 private:
  struct Entry {
    std::uint64_t line = 0;  // the last one
    std::uint64_t last_use = 0;
    int direction = 0;
  };
  /// The stream nearest to a line, if it is in its window; else the one not used for longest begins anew
  /// there.
  Entry& stream_of(std::uint64_t line) {
    Entry* near = nullptr;
    std::uint64_t least = window_ + 1;
    for (Entry& entry : streams_) {
      const std::uint64_t gap = std::max(entry.line, line) - std::min(entry.line, line);
      if (entry.last_use == 0 || gap >= least) continue;
      near = &entry;
      least = gap;
    }
    if (near != nullptr) return *near;
    Entry& oldest =
        *std::min_element(streams_.begin(), streams_.end(),
                          [](const Entry& one, const Entry& other) { return one.last_use < other.last_use; });
    oldest = {line, 0, 0};
    return oldest;
  }

  const std::int64_t distance_;
  const int degree_;
  const std::uint64_t window_;
  std::vector<Entry> streams_;
  std::uint64_t uses_ = 0;
  LineRun run_;
};

}  // namespace

PrefetcherRow stream_prefetcher() {
  return {"stream", "those ahead of misses near each other that went twice in one direction",
          [](const PrefetchParams& params) -> std::unique_ptr<Prefetcher> {
            return std::make_unique<Stream>(params);
          },
          [](const PrefetchParams& params) {
            const auto streams = static_cast<std::uint64_t>(params.prefetch_table);
            constexpr std::uint64_t line = address_bits - 7, direction = 2;
            return streams * (line + direction + bits_for(streams));
          }};
}

}  // namespace strata
