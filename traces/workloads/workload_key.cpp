#include "traces/workloads/workload_key.h"

#include "traces/workloads/workload.h"

namespace strata::traces {

void add_to_key(const WorkloadDefinition& definition, const PtxOptions& given, CacheKey& key) {
  const PtxOptions options = Workload::options_of(definition, given);
  const auto number = [&key](const char* name, auto value) { key.add(name, std::to_string(value)); };
  key.add("scale", definition.scale);
  for (const auto& value : definition.values) key.add("value " + value.first, std::to_string(value.second));
  for (const std::string& file : Workload::files(definition)) key.add_file(file);
  number("hoist_loads", options.hoist_loads ? 1 : 0);
  number("loads_in_flight", options.loads_in_flight);
  number("memcheck", options.memcheck == PtxOptions::Memcheck::strict ? 1 : 0);
  number("watchdog", options.watchdog);
  number("max_instructions", options.max_instructions.value_or(0));
  number("max_bytes", options.max_bytes.value_or(0));
  number("read_only", static_cast<int>(options.read_only.value_or(PtxOptions::ReadOnly::nc)));
}

}  // namespace strata::traces
