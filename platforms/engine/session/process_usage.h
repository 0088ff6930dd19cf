#pragma once

#include <cstdint>

/// Resources of the host that this process has used.
namespace strata::platforms {

/// Processor time of this process, user and system.
double processor_seconds();
/// Processor time of child processes that have ended.
double processor_seconds_of_children();
std::uint64_t peak_memory_bytes();

}  // namespace strata::platforms
