/* Streams that wait for values in memory and write them. */
#include "driver_host.h"

int cuStreamCreate(handle*, unsigned);
int cuStreamQuery(handle);
int cuStreamSynchronize(handle);
int cuStreamWaitValue32_v2(handle, address, uint32_t, unsigned);
int cuStreamWaitValue64_v2(handle, address, uint64_t, unsigned);
int cuStreamWriteValue32_v2(handle, address, uint32_t, unsigned);
int cuStreamWriteValue64_v2(handle, address, uint64_t, unsigned);
struct operation { /* CUstreamBatchMemOpParams */
  int kind;
  address at;
  uint64_t value;
  unsigned flags;
  uint64_t rest[2];
};
int cuStreamBatchMemOp_v2(handle, unsigned, const struct operation*, unsigned);

enum { at_least, equal, any_bit, no_bit, invalid = 1, not_ready = 600, timed_out = 702, non_blocking = 1 };

void run_values(handle module, int without) {
  handle first = NULL, second = NULL, sets = NULL, waits = NULL;
  address memory = 0, result = 0;
  unsigned what = 7, got[8] = {0};
  int has = 0;
  cuStreamCreate(&first, non_blocking);
  cuStreamCreate(&second, non_blocking);
  cuMemAlloc_v2(&memory, 64);
  cuMemsetD32_v2(memory, 0, 16);
  expect("kernels", cuModuleGetFunction(&sets, module, "sets") | cuModuleGetFunction(&waits, module, "waits"),
         0);
  expect("attribute", cuDeviceGetAttribute(&has, 122, 0) + 10 * has, 10);
  result = memory + 8;
  void *of_sets[] = {&result, &what}, *of_waits[] = {&memory, &result};

  /* A kernel behind a wait runs when another stream has written: 6 is at least 5. */
  expect("waits", cuStreamWaitValue32_v2(first, memory, 5, at_least), 0);
  expect("launch", cuLaunchKernel(sets, 1, 1, 1, 1, 1, 1, 0, first, of_sets, NULL), 0);
  expect("before", cuStreamQuery(first), not_ready);
  if (without) { /* no writer: the host would wait for ever */
    expect("no end", cuStreamSynchronize(first), timed_out);
    return;
  }
  expect("writes", cuStreamWriteValue32_v2(second, memory, 6, 0), 0);
  expect("behind", cuStreamSynchronize(first), 0);
  cuMemcpyDtoH_v2(got, memory, 16);
  expect("written", got[0], 6);
  expect("the kernel's", got[2], 7);

  /* Conditions that hold: 6 - 0xfffffffe = 8; bit 1; a bit that is in neither; of 64 bits. */
  expect("cyclic", cuStreamWaitValue32_v2(first, memory, 0xfffffffe, at_least), 0);
  expect("bits", cuStreamWaitValue32_v2(first, memory, 2, any_bit), 0);
  expect("bits", cuStreamWaitValue32_v2(first, memory, 0xfffffff0, no_bit), 0);
  expect("64 bits", cuStreamWriteValue64_v2(first, memory + 16, 0x100000002, 0), 0);
  expect("64 bits", cuStreamWaitValue64_v2(first, memory + 16, 0x100000002, equal), 0);
  expect("done", cuStreamQuery(first), 0);
  /* All bits are in one of the two: that waits, until the value is 8. */
  expect("bits", cuStreamWaitValue32_v2(first, memory, 0xfffffff9, no_bit), 0);
  expect("waits", cuStreamQuery(first), not_ready);
  expect("writes", cuStreamWriteValue32_v2(second, memory, 0, 0), 0);
  expect("done", cuStreamQuery(first), 0);

  /* Several at once; and a kernel that waits for what a stream writes. */
  const struct operation two[] = {{2, memory + 4, 9, 0, {0}}, {1, memory + 4, 9, equal, {0}}};
  expect("both", cuStreamBatchMemOp_v2(first, 2, two, 0), 0);
  expect("launch", cuLaunchKernel(waits, 1, 1, 1, 1, 1, 1, 0, first, of_waits, NULL), 0);
  expect("waits", cuStreamQuery(first), not_ready);
  expect("writes", cuStreamWriteValue32_v2(second, memory, 11, 0), 0);
  expect("done", cuStreamSynchronize(first), 0);
  cuMemcpyDtoH_v2(got, memory, 16);
  expect("batch", got[1], 9);
  expect("what it saw", got[2], 11);

  expect("no address", cuStreamWaitValue32_v2(first, 0, 5, at_least), invalid);
  expect("alignment", cuStreamWriteValue64_v2(first, memory + 4, 5, 0), invalid);
  expect("condition", cuStreamWaitValue32_v2(first, memory, 5, 4), invalid);
  expect("operation", cuStreamBatchMemOp_v2(first, 1, &(struct operation){9, memory, 0, 0, {0}}, 0), invalid);
  cuMemFree_v2(memory);
}
