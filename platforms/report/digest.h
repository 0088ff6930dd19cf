#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "platforms/report/application_figures.h"
#include "platforms/report/fnv_hash.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// 64-bit FNV-1a hash over the names and values of all counters and histograms in instance order, over the
/// ledger, and for several applications over their figures. Equal simulations have equal digests on every
/// machine; facts about the host (time, memory) are not part of it.
std::uint64_t digest(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger,
                     const LedgerPlaces& places, const std::vector<ApplicationFigures>& applications = {});

/// The ledger's part of the digest, for one group. Rows of machines with one place per role are identified by
/// their order, so these machines keep the digests they had before places had names; all other rows with
/// cycles add their names.
void add_cycles(const std::vector<std::pair<std::string, std::uint64_t>>& rows, FnvHash& hash);

/// The same hash over a text: identifies files and configurations.
std::uint64_t text_digest(std::string_view text);

/// 16 hexadecimal digits.
std::string digest_text(std::uint64_t digest);

}  // namespace strata::platforms
