#include "platforms/session/heap_pages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace strata::platforms {

#if defined(__GLIBC__)
// The advice holds for addresses that the heap has when it is given. So the heap grows once, far beyond what
// it needs, is not cut, serves all threads, and takes large blocks too.
void use_large_heap_pages() {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  constexpr int reserve = 1 << 30;  // of addresses: memory is taken as it is touched
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
  // Behind the block the heap has written already: what it has touched stays in small pages.
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const auto from = (begin + more_than_there_is + page) / page * page;
  const auto until = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  std::free(first);
  // Otherwise the heap could not grow, by a limit that was set, and the block lies elsewhere.
  if (from >= until || until - from > std::uintptr_t{reserve} + page) return;
  if (::madvise(reinterpret_cast<void*>(from), until - from, MADV_HUGEPAGE) == 0)
    in_small_pages = std::malloc(from - begin);  // nobody shall use them
}
#else
void use_large_heap_pages() {}
#endif

}  // namespace strata::platforms
