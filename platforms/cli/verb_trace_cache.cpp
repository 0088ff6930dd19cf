// `strata trace cache`: the records kept by runs.
#include <cstdio>
#include <ctime>
#include <iostream>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"

namespace strata::cli {
namespace {

std::string size(std::uint64_t bytes) {
  const bool large = bytes >= 1'000'000;
  return fixed(static_cast<double>(bytes) / (large ? 1e6 : 1e3), 1) + (large ? " MB" : " kB");
}

std::string day_and_time(std::int64_t seconds) {
  const std::time_t when = seconds;
  struct tm parts {};
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", localtime_r(&when, &parts));
  return text;
}

void list(const traces::RecordCache& cache) {
  std::uint64_t bytes = 0;
  const auto entries = cache.entries(true);
  for (const auto& entry : entries) {
    bytes += entry.bytes;
    std::cout << entry.key << "  " << day_and_time(entry.used) << "  " << size(entry.bytes) << "  "
              << (entry.source.empty() ? "damaged"
                                       : printable(entry.source) + ", " +
                                             std::to_string(entry.warp_instructions) + " warp instructions")
              << "\n";
  }
  std::cout << cache.folder() << ": " << entries.size() << (entries.size() == 1 ? " record, " : " records, ")
            << size(bytes) << " of at most " << size(cache.limit()) << "\n";
}

}  // namespace

int run_trace_cache(const std::vector<std::string>& arguments) {
  Arguments a("trace cache [--clear] [--limit SIZE] [--cache DIR]",
              std::string("Lists the records that runs keep of traces and interpreted kernels ") +
                  "(docs/guide/record-cache.md),\n"
                  "the least recently used first. --limit sets their maximum total size from now on, " +
                  to_text(Bytes(traces::RecordCache::default_limit)) +
                  " without\n"
                  "it; above it the first in the list are removed. --clear removes all.",
              "  strata trace cache\n  strata trace cache --limit 20GiB\n  strata trace cache --clear\n");
  a.options().add_options()("clear", "remove all records")(
      "limit", po::value<std::string>(), "maximum size of the records in this folder: 20 GiB");
  add_cache_options(a);
  if (!a.read(arguments, 0, 0)) return 0;
  const auto cache = record_cache(a);
  if (cache == nullptr) throw ConfigError("trace cache: there is none; name a folder with --cache DIR");
  if (a.has("clear")) cache->clear();
  if (a.has("limit")) {
    const auto text = a.get<std::string>("limit");
    const auto bytes = parse_bytes(text);
    if (!bytes) throw ConfigError("--limit: '" + text + "' is no size; allowed: such as 20 GiB");
    cache->set_limit(bytes->count);
  }
  list(*cache);
  return 0;
}

}  // namespace strata::cli
