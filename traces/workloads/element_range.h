#pragma once

#include <string>
#include <vector>

#include "traces/workloads/definition.h"

/// Which numbers the elements of a buffer can be.
namespace strata::traces {

/// The numbers of a buffer's fill between which all others lie; none where they come from elsewhere.
std::vector<double> extremes(const WorkloadBuffer& buffer);

/// Whether the number, its fraction dropped, is one of the type. Of u64 the lower half.
bool can_hold(ElementType type, double value);
/// Such as "0 to 255".
std::string range_of(ElementType type);

}  // namespace strata::traces
