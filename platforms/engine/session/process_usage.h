#pragma once

#include <cstdint>

/// Resources of the host that this process has used.
namespace strata::platforms {

/// Processor time of this process, user and system.
double processor_seconds();
/// Processor time of child processes that have ended.
double processor_seconds_of_children();
std::uint64_t peak_memory_bytes();

/// Puts the heap of this process into large pages if the system grants them on request (transparent_hugepage
/// "madvise"): one fault for 2 MiB instead of 512, and fewer TLB misses. Call once, in Strata's programs,
/// before they allocate much. It has an effect only under glibc.
void use_large_heap_pages();

}  // namespace strata::platforms
