#include "models/cache/prefetch_stats.h"

namespace strata {

void PrefetchStats::for_each_prefetch_stat(StatVisitor& v) const {
  if (!reported) return;
  v.counter({"prefetch_candidates", "lines", "lines that the prefetcher named"}, candidates);
  v.counter({"prefetches", "lines", "of these: fetched"}, issued);
  v.counter({"prefetch_dropped_there", "lines",
             "of these: not fetched, because they were here, under way or in the prefetch queue, or are no "
             "lines of this cache"},
            dropped_there);
  v.counter({"prefetch_dropped_full", "lines",
             "of these: not fetched, because the prefetch queue was full or a flush emptied it"},
            dropped_full);
  v.counter({"prefetch_useful", "lines", "prefetched lines that an access found before they left"}, useful);
  v.counter({"prefetch_late", "lines", "prefetched lines that an access asked for while they were under way"},
            late);
  v.counter({"prefetch_useless", "lines",
             "prefetched lines that no access used before they were evicted, dropped or flushed"},
            useless);
  if (victims_known)
    v.counter({"prefetch_polluting", "lines",
               "misses of lines that were evicted for a prefetched line that no access had used by then"},
              polluting);
  v.ratio({"prefetch_accuracy", "", "share of the prefetched lines that were used, in time or late"},
          useful + late, issued);
  v.law("prefetch_candidates >= prefetches + prefetch_dropped_there + prefetch_dropped_full");
  v.law("prefetches >= prefetch_useful + prefetch_late + prefetch_useless");
}

void PrefetchStats::reset() {
  const bool was_reported = reported, were_known = victims_known;
  *this = {};
  reported = was_reported;
  victims_known = were_known;
}

}  // namespace strata
