#if defined(__GLIBC__)
#include "platforms/engine/session/process_usage.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

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

#endif

namespace strata::platforms {

#if defined(__GLIBC__)
// The advice applies to addresses that the heap has already. So the heap grows once, far beyond its need, is
// never trimmed, serves all threads, and takes large blocks too.
void use_large_heap_pages() {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  constexpr int reserve = 1 << 30;  // address space: memory is allocated on first touch
  constexpr int usual_growth = 128 << 10, most_in_heap = 32 << 20;
  constexpr std::size_t more_than_there_is = 2 * usual_growth;
  [[maybe_unused]] static void* volatile in_small_pages = nullptr;
  static bool done = false;
  if (std::exchange(done, true)) return;
  ::mallopt(M_TRIM_THRESHOLD, 2 * (reserve - 1));
  ::mallopt(M_MMAP_THRESHOLD, most_in_heap);
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TOP_PAD, reserve);
  void* const first = std::malloc(more_than_there_is);
  ::mallopt(M_TOP_PAD, usual_growth);
  // The heap has already written beyond the block: pages that it has touched stay small.
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const auto from = (begin + more_than_there_is + page) / page * page;
  const auto until = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  std::free(first);
  // Otherwise a limit kept the heap from growing, and the block lies elsewhere.
  if (from >= until || until - from > std::uintptr_t{reserve} + page) return;
  if (::madvise(reinterpret_cast<void*>(from), until - from, MADV_HUGEPAGE) == 0)
    in_small_pages = std::malloc(from - begin);  // keeps them from being allocated
}
#else
void use_large_heap_pages() {}
#endif

}  // namespace strata::platforms
