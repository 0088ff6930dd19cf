#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// Value of a counter; empty if there is none of that name.
using CounterLookup = std::function<std::optional<std::uint64_t>(std::string_view name)>;

/// Explains why a law such as `accesses = hits + misses` fails, with both sides and every value; empty if it
/// holds. A law that cannot be read or names an unknown counter fails.
std::string check_law(std::string_view law, const CounterLookup& lookup);

/// Checks every law of every instance: one fault for each that fails.
Faults check_laws(const std::vector<InstanceStats>& tables);

}  // namespace strata::platforms
