#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace strata::platforms {

/// The digest of what results hold; nothing for what is no contents of a stats.json.
std::optional<std::string> digest_of(const nlohmann::ordered_json& stats);

/// Results whose `digest` is that of the counters, histograms, ledger and applications that they hold
/// (platforms/report/digest.h). False also for what is no contents of a stats.json.
bool holds_its_digest(const nlohmann::ordered_json& stats);

}  // namespace strata::platforms
