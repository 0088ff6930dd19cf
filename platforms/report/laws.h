#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// Value of a counter, empty when there is none of that name.
using CounterLookup = std::function<std::optional<std::uint64_t>(std::string_view name)>;

/// What is wrong with a law such as `accesses = hits + misses`, with both sides and every value spelled out;
/// empty when it holds. A law that cannot be read, or names an unknown counter, is wrong.
std::string check_law(std::string_view law, const CounterLookup& lookup);

/// Every law of every instance: one fault for each that does not hold.
Faults check_laws(const std::vector<InstanceStats>& tables);

}  // namespace strata::platforms
