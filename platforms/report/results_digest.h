#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace strata::platforms {

/// The digest of the contents of results; empty if `stats` is not a stats.json.
std::optional<std::string> digest_of(const nlohmann::ordered_json& stats);

/// True if `digest` matches the counters, histograms, ledger and applications in the results
/// (platforms/report/digest.h). False also if `stats` is not a stats.json.
bool holds_its_digest(const nlohmann::ordered_json& stats);

}  // namespace strata::platforms
