#pragma once

#include "traces/cache/cached_source.h"
#include "traces/ptx/ptx_options.h"
#include "traces/workloads/definition.h"

namespace strata::traces {

/// What the instructions of a workload depend on: its file, PTX and data, scale and values, and the options,
/// limits among them: what one run refuses, none gets from the cache. Throws InputError.
void add_to_key(const WorkloadDefinition& definition, const PtxOptions& options, CacheKey& key);

}  // namespace strata::traces
