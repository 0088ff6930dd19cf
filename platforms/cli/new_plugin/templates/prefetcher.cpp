// After two misses in a row of a warp, the lines behind the second at the distance of the two.
#include "models/cache/prefetcher.h"

#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::Prefetcher {
 public:
  explicit MyPlugin(int degree) : degree_(degree), last_(64) {}
  void observe(const strata::PrefetchTrigger& load) override {
    if (load.outcome == strata::PrefetchOutcome::hit) return;
    std::uint64_t& last = last_[load.warp % last_.size()];
    const auto step = static_cast<std::int64_t>(load.line - last);
    if (last != 0) run_ = strata::LineRun(load.line + static_cast<std::uint64_t>(step), step, degree_);
    last = load.line;
  }
  bool next(std::uint64_t& line) override { return run_.take(line); }

 private:
  int degree_;
  std::vector<std::uint64_t> last_;  // line, by warp
  strata::LineRun run_;
};

std::unique_ptr<strata::Prefetcher> make(const strata::PrefetchParams& params) {
  return std::make_unique<MyPlugin>(params.prefetch_degree);
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::PrefetcherRow{"my_plugin", "those at the distance of a warp's last two misses", make,
                                 [](const strata::PrefetchParams&) { return std::uint64_t{64 * 40}; }});
}
