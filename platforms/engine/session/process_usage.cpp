#include "platforms/engine/session/process_usage.h"

#include <sys/resource.h>

namespace strata::platforms {
namespace {

struct rusage usage_of(int whose) {
  struct rusage usage {};
  getrusage(whose, &usage);
  return usage;
}

double seconds(const struct timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double processor_seconds(int whose) {
  const struct rusage usage = usage_of(whose);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

double processor_seconds() {
  return processor_seconds(RUSAGE_SELF);
}
double processor_seconds_of_children() {
  return processor_seconds(RUSAGE_CHILDREN);
}

std::uint64_t peak_memory_bytes() {
  return static_cast<std::uint64_t>(usage_of(RUSAGE_SELF).ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace strata::platforms
