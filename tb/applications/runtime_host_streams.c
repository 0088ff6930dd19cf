/* What the application of the tests does with streams: application_test.sh knows which launch waits for which. */
#include "runtime_host.h"

static void scale_on(handle stream, void** device) {
  int count = 1000;
  void* values[] = {device, &count};
  expect("launch", launch(&scale, 8, 128, values, stream), 0);
}

void run_streams(void) {
  enum { n = 1000, capture_global = 0, non_blocking = 1 };
  float a[n], b[n];
  for (int i = 0; i < n; ++i) a[i] = b[i] = 1;
  const float two = 2;
  void *of_a = NULL, *of_b = NULL;
  handle s, free_one, urgent, event, graph, executable;
  expect("malloc", cudaMalloc(&of_a, sizeof a) | cudaMalloc(&of_b, sizeof b), 0);
  expect("copy", cudaMemcpy(of_a, a, sizeof a, to_device) | cudaMemcpy(of_b, b, sizeof b, to_device), 0);
  expect("symbol to", cudaMemcpyToSymbol(&factor, &two, 4, 0, to_device), 0);
  expect("stream", cudaStreamCreate(&s), 0);
  expect("stream", cudaStreamCreateWithFlags(&free_one, non_blocking), 0);
  expect("stream", cudaStreamCreateWithPriority(&urgent, 0, -5), 0);
  expect("event", cudaEventCreate(&event), 0);

  scale_on(s, &of_a);        /* 0 */
  scale_on(free_one, &of_b); /* 1 */
  expect("event", cudaEventRecord(event, s), 0);
  expect("wait", cudaStreamWaitEvent(free_one, event, 0), 0);
  scale_on(free_one, &of_b); /* 2: behind 0 */
  scale_on(NULL, &of_a);     /* 3: behind 0 */
  scale_on(s, &of_a);        /* 4: behind 3 */
  expect("synchronize", cudaStreamSynchronize(s), 0);
  scale_on(free_one, &of_b); /* 5: behind 4 */
  expect("synchronize", cudaDeviceSynchronize(), 0);
  scale_on(urgent, &of_a); /* 6: behind 5 */
  scale_on(s, &of_b);      /* 7: behind 5, beside 6 */
  expect("synchronize", cudaDeviceSynchronize(), 0);

  /* A graph with two branches, made by an event. */
  expect("capture", cudaStreamBeginCapture(s, capture_global), 0);
  scale_on(s, &of_a); /* 8 */
  expect("event", cudaEventRecord(event, s), 0);
  expect("wait", cudaStreamWaitEvent(free_one, event, 0), 0);
  scale_on(s, &of_a);        /* 9 */
  scale_on(free_one, &of_b); /* 10: behind 8, beside 9 */
  expect("event", cudaEventRecord(event, free_one), 0);
  expect("wait", cudaStreamWaitEvent(s, event, 0), 0);
  scale_on(s, &of_a); /* 11: behind 9 and 10 */
  expect("capture", cudaStreamEndCapture(s, &graph), 0);
  expect("instantiate", cudaGraphInstantiate(&executable, graph, 0), 0);
  expect("launch", cudaGraphLaunch(executable, s), 0);
  scale_on(s, &of_a); /* 12: behind 11 */
  expect("copy", cudaMemcpy(a, of_a, sizeof a, to_host) | cudaMemcpy(b, of_b, sizeof b, to_host), 0);
  /* a: launches 0, 3, 4, 6, 8, 9, 11 and 12; b: 1, 2, 5, 7 and 10. */
  for (int i = 0; i < n; ++i) expect("elements", (long)a[i] * 1000 + (long)b[i], 256 * 1000 + 32);
}
