#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "platforms/report/application_figures.h"
#include "platforms/report/fnv_hash.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// 64-bit FNV-1a hash over the names and values of all counters and histograms in instance order, and over
/// the ledger, and of several applications over their figures. Two runs that simulated the same have the same
/// digest on every machine; facts about the host (time, memory) are not part of it.
std::uint64_t digest(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger,
                     const LedgerPlaces& places, const std::vector<ApplicationFigures>& applications = {});

/// The ledger's part of it, of one group. Rows of machines with one place for each role are known by their
/// order, so such a machine has the digest that it had before places had names; all other rows that have
/// cycles add their names.
void add_cycles(const std::vector<std::pair<std::string, std::uint64_t>>& rows, FnvHash& hash);

/// The same hash of a text: tells files and configurations apart.
std::uint64_t text_digest(std::string_view text);

/// 16 hexadecimal digits.
std::string digest_text(std::uint64_t digest);

}  // namespace strata::platforms
