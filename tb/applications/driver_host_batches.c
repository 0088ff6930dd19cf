/* What the program of the driver library in the tests does with copies in batches: both forms of the call. */
#include <string.h>

#include "driver_host.h"

struct attributes {
  int order, from[2], to[2];
  unsigned flags;
};
int cuMemcpyBatchAsync(address*, address*, size_t*, size_t, struct attributes*, size_t*, size_t, size_t*,
                       handle);
int cuMemcpyBatchAsync_v2(address*, address*, size_t*, size_t, struct attributes*, size_t*, size_t, handle);
int cuMemPrefetchBatchAsync(address*, size_t*, size_t, const int*, size_t*, size_t, unsigned long long,
                            handle);
int cuStreamCreate(handle*, unsigned);
int cuGetProcAddress_v2(const char*, void**, int, uint64_t, int*);

void run_batches(void) {
  struct attributes kind = {.order = 3};
  size_t bytes[2] = {8, 4}, first = 0, wrong = 0;
  int location[2] = {1, 0};
  uint32_t values[3] = {1, 2, 3}, back[3] = {0};
  address memory;
  handle stream = NULL;
  expect("allocate", cuMemAlloc_v2(&memory, 4096) | cuStreamCreate(&stream, 0), 0);
  address device[2] = {memory, memory + 1024}, from[2] = {(address)values, (address)(values + 2)},
          to[2] = {(address)back, (address)(back + 2)};
  expect("first form", cuMemcpyBatchAsync(device, from, bytes, 2, &kind, &first, 1, &wrong, stream), 0);
  expect("second form", cuMemcpyBatchAsync_v2(to, device, bytes, 2, &kind, &first, 1, stream), 0);
  expect("both copies", memcmp(back, values, sizeof back), 0);
  expect("prefetch", cuMemPrefetchBatchAsync(device, bytes, 2, location, &first, 1, 0, stream), 0);
  from[1] = 0;
  expect("from nowhere", cuMemcpyBatchAsync(device, from, bytes, 2, &kind, &first, 1, &wrong, stream), 1);
  expect("which", (long)wrong, 1);
  expect("no default stream", cuMemcpyBatchAsync_v2(to, device, bytes, 2, &kind, &first, 1, NULL), 1);
  void *old = NULL, *new = NULL;
  expect("a form by version",
         cuGetProcAddress_v2("cuMemcpyBatchAsync", &old, 12080, 0, NULL) |
             cuGetProcAddress_v2("cuMemcpyBatchAsync", &new, 13000, 0, NULL),
         0);
  expect("of 12.8", old == (void*)cuMemcpyBatchAsync, 1);
  expect("of 13.0", new == (void*)cuMemcpyBatchAsync_v2, 1);
}
