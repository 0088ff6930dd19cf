#include "platforms/report/launch_counts.h"

#include <algorithm>
#include <string_view>

namespace strata::platforms {
namespace {

constexpr std::uint64_t sector_bytes = 32;

bool has(const std::vector<InstanceStats>& tables, Role role, std::string_view counter) {
  return std::any_of(tables.begin(), tables.end(), [&](const InstanceStats& table) {
    return table.role == role && table.counter(counter) != nullptr;
  });
}

/// All of `whole` except `missing`, of which `other` are no part of `whole`.
CountedShare rest(const std::vector<InstanceStats>& tables, Role role, std::string_view whole,
                  std::string_view missing, std::string_view other = {}) {
  if (!has(tables, role, missing)) return {};
  const std::uint64_t all = sum_of(tables, role, whole);
  const std::uint64_t beside = other.empty() ? 0 : sum_of(tables, role, other);
  return {all - std::min(all, sum_of(tables, role, missing) - beside), all};
}

}  // namespace

LaunchCounts launch_counts(const std::vector<InstanceStats>& tables) {
  LaunchCounts counts;
  counts.warp_instructions = sum_of(tables, Role::sm, "warp_instructions");
  counts.thread_instructions = sum_of(tables, Role::sm, "thread_instructions");
  counts.l1_hits = has(tables, Role::l1, "asked_sectors")
                       ? rest(tables, Role::l1, "asked_sectors", "missed_sectors")
                       : CountedShare{sum_of(tables, Role::l1, "hits"), sum_of(tables, Role::l1, "accesses")};
  if (has(tables, Role::llc, "read_hits"))
    counts.llc_read_hits = {sum_of(tables, Role::llc, "read_hits"), sum_of(tables, Role::llc, "reads")};
  counts.llc_hits = has(tables, Role::llc, "asked_sectors")
                        ? rest(tables, Role::llc, "asked_sectors", "fetched_sectors")
                        : rest(tables, Role::llc, "accesses", "fetches", "prefetches");
  counts.dram_is_known = has(tables, Role::channel, "bytes_read");
  counts.dram_read = sum_of(tables, Role::channel, "bytes_read") / sector_bytes;
  counts.dram_written = sum_of(tables, Role::channel, "bytes_written") / sector_bytes;
  return counts;
}

}  // namespace strata::platforms
