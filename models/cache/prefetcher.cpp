#include "models/cache/prefetcher.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

/// The lines that follow one that misses, and, so that a sequence goes on, one that a prefetch has brought
/// when it is used first (tagged prefetching: Smith, "Cache Memories", Computing Surveys 1982, section 2.1).
class NextLine final : public Prefetcher {
 public:
  explicit NextLine(const PrefetchParams& params)
      : distance_(static_cast<std::uint64_t>(params.prefetch_distance)), degree_(params.prefetch_degree) {}
  void observe(const PrefetchTrigger& load) override {
    if (load.outcome == PrefetchOutcome::miss || load.outcome == PrefetchOutcome::first_use)
      run_ = LineRun(load.line + distance_, 1, degree_);
  }
  bool next(std::uint64_t& line) override { return run_.take(line); }

 private:
  const std::uint64_t distance_;
  const int degree_;
  LineRun run_;
};

}  // namespace

PrefetcherRow next_line_prefetcher() {
  return {"next_line", "those behind a line that misses or that a prefetch has brought",
          [](const PrefetchParams& params) -> std::unique_ptr<Prefetcher> {
            return std::make_unique<NextLine>(params);
          },
          [](const PrefetchParams&) { return std::uint64_t{0}; }};
}

namespace {

/// Reference prediction table (Baer and Chen, Supercomputing 1991), by warp and PC as a GPU's loads need it
/// (Lee et al., "Many-Thread Aware Prefetching Mechanisms for GPGPU Applications", MICRO 2010): the distance
/// between two lines of a load, and how often it was right.
class Stride final : public Prefetcher {
 public:
  explicit Stride(const PrefetchParams& params)
      : distance_(params.prefetch_distance),
        degree_(params.prefetch_degree),
        loads_(static_cast<std::size_t>(params.prefetch_table)) {}

  void observe(const PrefetchTrigger& load) override {
    Entry& entry = loads_[place_of(load)];
    if (!entry.used || entry.pc != load.pc || entry.sm != load.sm || entry.warp != load.warp) {
      entry = {true, load.pc, load.sm, load.warp, load.line};
      return;
    }
    const auto stride = static_cast<std::int64_t>(load.line - entry.line);
    if (stride == 0) return;
    entry.line = load.line;
    if (stride == entry.stride) {
      entry.confidence = std::min(entry.confidence + 1, most_confident);
    } else if (--entry.confidence <= 0) {
      entry.stride = stride;
      entry.confidence = 1;
    }
    if (entry.confidence < sure || stride != entry.stride) return;
    run_ = LineRun(load.line + static_cast<std::uint64_t>(stride * distance_), stride, degree_);
  }
  bool next(std::uint64_t& line) override { return run_.take(line); }

  static constexpr int most_confident = 3;

 private:
  static constexpr int sure = 2;  // the same distance twice in a row
  struct Entry {
    bool used = false;
    std::uint32_t pc = 0;
    std::uint16_t sm = 0, warp = 0;
    std::uint64_t line = 0;
    std::int64_t stride = 0;
    int confidence = 0;
  };
  std::size_t place_of(const PrefetchTrigger& load) const {
    const std::uint64_t mixed =
        (load.pc ^ std::uint64_t{load.warp} << 16 ^ std::uint64_t{load.sm} << 32) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(mixed >> 32) % loads_.size();
  }

  const std::int64_t distance_;
  const int degree_;
  std::vector<Entry> loads_;
  LineRun run_;
};

}  // namespace

PrefetcherRow stride_prefetcher() {
  return {"stride", "those at the distance that two lines of a load of a warp had twice in a row",
          [](const PrefetchParams& params) -> std::unique_ptr<Prefetcher> {
            return std::make_unique<Stride>(params);
          },
          [](const PrefetchParams& params) {
            constexpr std::uint64_t pc = 32, sm = 10, warp = 6, line = address_bits - 7, stride = 16,
                                    confidence = bits_for(Stride::most_confident + 1);
            return static_cast<std::uint64_t>(params.prefetch_table) *
                   (1 + pc + sm + warp + line + stride + confidence);
          }};
}

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

// The table of prefetchers: a declaration and a row each. The first is the default.
PrefetcherRow next_line_prefetcher();
PrefetcherRow stride_prefetcher();
PrefetcherRow stream_prefetcher();

PolicyTable<PrefetcherRow>& PrefetcherRow::table() {
  static PolicyTable<PrefetcherRow> rows = {
      {"none", "no line", [](const PrefetchParams&) -> std::unique_ptr<Prefetcher> { return nullptr; },
       [](const PrefetchParams&) { return std::uint64_t{0}; }},
      next_line_prefetcher(),
      stride_prefetcher(),
      stream_prefetcher()};
  return rows;
}

}  // namespace strata
