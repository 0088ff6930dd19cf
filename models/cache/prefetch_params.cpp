#include "models/cache/prefetch_params.h"

#include "models/cache/prefetcher.h"

namespace strata {

void PrefetchParams::for_each_prefetch_param(ParamVisitor& v) {
  const std::string sentence =
      "lines that the cache fetches before an access asks for them: " + PrefetcherRow::table().sentences();
  PrefetcherRow::table().param(v, {"prefetcher", "", sentence}, prefetcher);
  v.integer({"prefetch_degree", "lines", "that the prefetcher names after an access"}, prefetch_degree,
            {1, 64});
  v.integer({"prefetch_distance", "lines",
             "from an access to the first line that the prefetcher names (stride: in strides)"},
            prefetch_distance, {1, 256});
  v.integer({"prefetch_table", "entries",
             "of the prefetcher's table: loads of a warp (stride) or streams (stream)"},
            prefetch_table, {1, 4096});
  v.integer({"prefetch_window", "lines", "between two accesses of a stream at most (prefetcher: stream)"},
            prefetch_window, {1, 4096});
  v.integer({"prefetch_queue", "lines", "that wait until no other access needs the tags or the miss queue"},
            prefetch_queue, {1, 256});
  v.integer({"prefetch_mshrs", "registers", "MSHRs that prefetches may hold at the same time"},
            prefetch_mshrs, {1, 4096});
}

void PrefetchParams::append_prefetch_storage(StorageFields& fields) const {
  if (!prefetches()) return;
  const std::uint64_t bits = PrefetcherRow::table().at(prefetcher).bits(*this);
  if (bits != 0) fields.push_back({"prefetcher", 1, bits});
  fields.push_back({"prefetch queue: line and sectors", static_cast<std::uint64_t>(prefetch_queue),
                    address_bits - bits_for(sector_bytes)});
}

void PrefetchParams::append_prefetch_fault(Faults& faults, const char* why) const {
  if (prefetches())
    faults.push_back(param_fault("prefetcher", "is " +
                                                   std::string(PrefetcherRow::table().at(prefetcher).name) +
                                                   ", but " + why + "; allowed: none"));
}

}  // namespace strata
