// The table of prefetchers: a declaration and a row each. The first is the default.
#include "models/cache/prefetcher.h"

namespace strata {

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
