#pragma once

#include <cstdint>

/// What this process has taken of its host.
namespace strata::platforms {

/// Processor time of this process, user and system.
double processor_seconds();
/// The same of the processes that it has started and that have ended.
double processor_seconds_of_children();
std::uint64_t peak_memory_bytes();

}  // namespace strata::platforms
