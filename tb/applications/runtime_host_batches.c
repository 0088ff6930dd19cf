/* What the application of the tests does with copies in batches. */
#include "runtime_host.h"

struct attributes {
  int order, from[2], to[2];
  unsigned flags;
};

static int copy(void* const* to, const void* const* from, const size_t* bytes, size_t count,
                struct attributes* kinds, size_t* firsts, size_t of_kinds, size_t* wrong, handle stream) {
#if MAJOR >= 13
  *wrong = 99;
  return cudaMemcpyBatchAsync(to, from, bytes, count, kinds, firsts, of_kinds, stream);
#else
  return cudaMemcpyBatchAsync(to, from, bytes, count, kinds, firsts, of_kinds, wrong, stream);
#endif
}

void run_batches(void) {
  enum { in_stream = 1, during_call = 2 };
  static const size_t bytes[3] = {4 * sizeof(int), 2 * sizeof(int), sizeof(int)};
  struct attributes kinds[2] = {{.order = in_stream}, {.order = during_call}};
  size_t firsts[2] = {0, 2}, wrong = 0;
  int a[4] = {1, 2, 3, 4}, b[2] = {5, 6}, c = 7, back[3][4] = {{0}};
  char* device = NULL;
  handle stream, graph, executable;
  cudaMalloc((void**)&device, 3 * 256);
  cudaStreamCreate(&stream);
  void* on_device[3] = {device, device + 256, device + 512};
  const void* sources[3] = {a, b, &c};
  void* results[3] = {back[0], back[1], back[2]};
  expect("to the device", copy(on_device, sources, bytes, 3, kinds, firsts, 2, &wrong, stream), 0);
  expect("to the host",
         copy(results, (const void* const*)on_device, bytes, 3, kinds, firsts, 1, &wrong, stream), 0);
  expect("all three", memcmp(back[0], a, sizeof a) | memcmp(back[1], b, sizeof b) | (back[2][0] != 7), 0);

  cudaStreamBeginCapture(stream, 0);
  expect("captured", copy(on_device, sources, bytes, 3, kinds, firsts, 2, &wrong, stream), 0);
  expect("captured", copy(results, (const void* const*)on_device, bytes, 3, kinds, firsts, 2, &wrong, stream),
         0);
  cudaStreamEndCapture(stream, &graph);
  a[3] = 8;
  expect("not copied by the capture", back[0][3], 4);
  cudaGraphInstantiate(&executable, graph, 0);
  expect("launch", cudaGraphLaunch(executable, stream), 0);
  expect("copied by the launch", back[0][3], 8);

  expect("the default stream", copy(on_device, sources, bytes, 3, kinds, firsts, 2, &wrong, NULL), 1);
  firsts[1] = 3;
  expect("behind the last", copy(on_device, sources, bytes, 3, kinds, firsts, 2, &wrong, stream), 1);
  firsts[1] = 2;
  expect("more than there are", copy(on_device, sources, bytes, 1, kinds, firsts, 2, &wrong, stream), 1);
  kinds[1].order = 4;
  expect("no such order", copy(on_device, sources, bytes, 3, kinds, firsts, 2, &wrong, stream), 1);
  expect("which", (long)wrong, MAJOR >= 13 ? 99 : 2);
  kinds[1].order = in_stream;
  sources[1] = NULL;
  a[0] = 9;
  expect("from nowhere", copy(on_device, sources, bytes, 3, kinds, firsts, 2, &wrong, stream), 1);
  expect("which", (long)wrong, MAJOR >= 13 ? 99 : 1);
  cudaMemcpy(back[0], device, sizeof a, to_host);
  expect("none of a wrong batch", back[0][0], 1);
}
