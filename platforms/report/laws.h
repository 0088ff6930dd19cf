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

/// Checks that requests which left one side of a hop arrived at the other, and that replies came back.
/// Sockets that are bound to each other in any number form a hop; it is checked if the modules on both sides
/// declare counters of its traffic (PortSpec::hop). Valid only at the end of a complete run: nothing may be
/// in flight.
Faults check_hops(const ResolvedNetlist& netlist, const std::vector<InstanceStats>& tables);

/// Sockets that have seen more requests than replies, one line each, in the order of the netlist. After a
/// hang, the last of them shows where requests are stuck or were lost.
std::vector<std::string> unanswered(const ResolvedNetlist& netlist, const std::vector<InstanceStats>& tables);

}  // namespace strata::platforms
