#include <algorithm>
#include <vector>

#include "models/cache/prefetcher.h"

namespace strata {
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

}  // namespace strata
