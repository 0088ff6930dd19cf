#include "models/cache/prefetcher.h"

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

}  // namespace strata
