#pragma once

#include <nlohmann/json_fwd.hpp>

#include "platforms/report/summary.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {

// Parts of stats.json and kernels.json.

/// Adds the figures as `summary`; nothing if there are none.
void add_summary(nlohmann::ordered_json& to, const Summary& summary);
nlohmann::ordered_json histogram_json(const Histogram& histogram);
nlohmann::ordered_json ledger_json(const LedgerTotals& totals, const LedgerPlaces& places);
nlohmann::ordered_json verdict_json(const Verdict& verdict);

}  // namespace strata::platforms
