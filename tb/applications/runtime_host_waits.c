/* What the application of the tests does with kernels that wait for each other, and for the host. */
#include "runtime_host.h"

char locks, waits, sets, serves; /* their addresses stand for kernels */

enum { not_ready = 600, timed_out = 702, non_blocking = 1 };

/* Every lane of two blocks of 64 threads takes one lock: 128. */
static void take_locks(void) {
  int* lock = NULL;
  int both[2] = {0, 0};
  void* values[] = {&lock};
  cudaMalloc((void**)&lock, 8);
  cudaMemset(lock, 0, 8);
  expect("launch", launch(&locks, 2, 64, values, NULL), 0);
  expect("copy", cudaMemcpy(both, lock, 8, to_host), 0);
  expect("free again", both[0], 0);
  expect("counted", both[1], 128);
}

/* A kernel waits for what one sets that is launched later, on another stream. */
static void wait_for_stream(void) {
  handle first, second, event;
  int *flag = NULL, *result = NULL, what = 7, got = 0;
  void *of_waits[] = {&flag, &result}, *of_sets[] = {&flag, &what};
  cudaStreamCreateWithFlags(&first, non_blocking);
  cudaStreamCreateWithFlags(&second, non_blocking);
  cudaEventCreate(&event);
  cudaMalloc((void**)&flag, 4);
  cudaMalloc((void**)&result, 8);
  cudaMemset(flag, 0, 4);
  expect("waits", launch(&waits, 1, 1, of_waits, first), 0);
  expect("event", cudaEventRecord(event, first), 0);
  expect("stream", cudaStreamQuery(first), not_ready);
  expect("event", cudaEventQuery(event), not_ready);
  expect("other stream", cudaStreamQuery(second), 0);
  expect("not ready is no error", cudaGetLastError(), 0);
  expect("sets", launch(&sets, 1, 1, of_sets, second), 0);
  expect("event", cudaEventSynchronize(event), 0);
  expect("stream", cudaStreamQuery(first), 0);
  cudaMemcpy(&got, result, 4, to_host);
  expect("what was set", got, 7);
  /* The second stream waits for the event of the first, which waits for a copy. */
  cudaMemset(flag, 0, 4);
  cudaMemset(result, 0, 4);
  expect("waits", launch(&waits, 1, 1, of_waits, first), 0);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  of_sets[0] = &result;
  what = 9;
  expect("sets", launch(&sets, 1, 1, of_sets, second), 0);
  what = 8;
  handle third;
  cudaStreamCreateWithFlags(&third, non_blocking);
  expect("copy", cudaMemcpyAsync(flag, &what, 4, to_device, third), 0);
  expect("all", cudaDeviceSynchronize(), 0);
  cudaMemcpy(&got, result, 4, to_host);
  expect("the later one", got, 9);
  /* The default stream waits for a blocking one, also when that is gone. */
  handle blocking;
  cudaStreamCreate(&blocking);
  cudaMemset(flag, 0, 4);
  expect("waits", launch(&waits, 1, 1, of_waits, blocking), 0);
  expect("default stream", cudaStreamQuery(NULL), not_ready);
  expect("not ready is no error", cudaGetLastError(), 0);
  expect("destroy", cudaStreamDestroy(blocking), 0);
  what = 5;
  expect("sets", launch(&sets, 1, 1, of_sets, NULL), 0);
  what = 8;
  expect("copy", cudaMemcpyAsync(flag, &what, 4, to_device, third), 0);
  cudaMemcpy(&got, result, 4, to_host);
  expect("behind both", got, 5);
  /* Of a graph one branch waits for the other. */
  handle graph, executable;
  of_sets[0] = &flag;
  what = 6;
  cudaMemset(flag, 0, 4);
  expect("capture", cudaStreamBeginCapture(first, 0), 0);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  expect("waits", launch(&waits, 1, 1, of_waits, first), 0);
  expect("sets", launch(&sets, 1, 1, of_sets, second), 0);
  cudaEventRecord(event, second);
  cudaStreamWaitEvent(first, event, 0);
  expect("capture", cudaStreamEndCapture(first, &graph), 0);
  expect("instantiate", cudaGraphInstantiate(&executable, graph, 0), 0);
  expect("launch", cudaGraphLaunch(executable, first), 0);
  expect("graph", cudaStreamSynchronize(first), 0);
  cudaMemcpy(&got, result, 4, to_host);
  expect("of the other branch", got, 6);
  /* A graph records an event behind a kernel that waits; another graph copies behind that event. */
  handle graphs[2], executables[2], nodes[3], known = NULL;
  cudaMemset(flag, 0, 4);
  cudaMemset(result, 0, 8);
  expect("capture", cudaStreamBeginCapture(first, 0), 0);
  expect("waits", launch(&waits, 1, 1, of_waits, first), 0);
  expect("capture", cudaStreamEndCapture(first, &graphs[0]), 0);
  size_t count = 1;
  expect("node", cudaGraphGetNodes(graphs[0], nodes, &count), 0);
  expect("record", cudaGraphAddEventRecordNode(&nodes[1], graphs[0], nodes, 1, event), 0);
  expect("event", cudaGraphEventRecordNodeGetEvent(nodes[1], &known), 0);
  expect("event", known == event, 1);
  expect("not a wait", cudaGraphEventWaitNodeGetEvent(nodes[1], &known), 1);
  cudaGraphCreate(&graphs[1], 0);
  expect("wait", cudaGraphAddEventWaitNode(&nodes[2], graphs[1], NULL, 0, event), 0);
  expect("copy", cudaGraphAddMemcpyNode1D(&nodes[1], graphs[1], &nodes[2], 1, result + 1, result, 4, 3), 0);
  for (int i = 0; i < 2; ++i) {
    expect("instantiate", cudaGraphInstantiate(&executables[i], graphs[i], 0), 0);
    expect("launch", cudaGraphLaunch(executables[i], i == 0 ? first : second), 0);
  }
  expect("event", cudaEventQuery(event), not_ready);
  expect("graph behind it", cudaStreamQuery(second), not_ready);
  what = 4;
  expect("sets", launch(&sets, 1, 1, of_sets, third), 0);
  expect("event", cudaEventSynchronize(event), 0);
  expect("graph behind it", cudaStreamSynchronize(second), 0);
  cudaMemcpy(&got, result + 1, 4, to_host);
  expect("copied behind the event", got, 4);
}

/* The host feeds a kernel through memory that both see, without a call. */
static void feed(void) {
  volatile int *from = NULL, *to = NULL;
  void* values[] = {&from, &to};
  cudaMallocManaged((void**)&from, 4, 1);
  cudaMallocManaged((void**)&to, 4, 1);
  *from = 1;
  expect("serves", launch(&serves, 1, 1, values, NULL), 0);
  for (int n = 2; n < 12; ++n) {
    *from = n;
    while (*to != n * n) {
    }
  }
  *from = 0;
  expect("ends", cudaDeviceSynchronize(), 0);
  expect("the last answer", *to, 0);
}

void run_waits(void) {
  take_locks();
  wait_for_stream();
  feed();
}

void run_waits_for_ever(void) {
  int* flag = NULL;
  void* values[] = {&flag, &flag};
  cudaMalloc((void**)&flag, 4);
  cudaMemset(flag, 0, 4);
  expect("launch", launch(&waits, 1, 1, values, NULL), 0);
  handle other;
  int *second = NULL, what = 3, got = 0;
  void* of_sets[] = {&second, &what};
  cudaStreamCreateWithFlags(&other, non_blocking);
  cudaMalloc((void**)&second, 4);
  expect("beside it", launch(&sets, 1, 1, of_sets, other), 0);
  expect("never set", cudaDeviceSynchronize(), timed_out);
  expect("reset", cudaDeviceReset(), timed_out);
  what = 4;
  expect("afterwards", launch(&sets, 2, 1, of_sets, other), 0);
  expect("all", cudaDeviceSynchronize(), 0);
  cudaMemcpy(&got, second, 4, to_host);
  expect("what was set", got, 4);
}
