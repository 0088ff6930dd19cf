/* Clusters, and what launches and streams are told beside their parameters, by the runtime library. */
#include "runtime_host.h"

struct window {
  void* base;
  size_t bytes;
  float hit_ratio;
  int on_hit, on_miss;
};
union value {
  unsigned dims[3];
  int word;
  struct window window;
  char all[64];
};
struct attribute {
  int number, padding;
  union value value;
};
struct config {
  struct dim3 grid, block;
  size_t shared;
  handle stream;
  struct attribute* attributes;
  unsigned count;
};
int cudaLaunchKernelExC(const struct config*, const void*, void**);
int cudaOccupancyMaxPotentialClusterSize(int*, const void*, const struct config*);
int cudaOccupancyMaxActiveClusters(int*, const void*, const struct config*);
int cudaFuncSetAttribute(const void*, int, int);
int cudaStreamSetAttribute(handle, int, const union value*);
int cudaStreamGetAttribute(handle, int, union value*);
int cudaStreamCopyAttributes(handle, handle);
int cudaCtxResetPersistingL2Cache(void);
int cudaGraphAddKernelNode(handle*, handle, const handle*, size_t, const struct kernel_node*);
int cudaGraphKernelNodeSetAttribute(handle, int, const union value*);
int cudaGraphKernelNodeGetAttribute(handle, int, union value*);
int cudaGraphKernelNodeCopyAttributes(handle, handle);

extern char ring;
enum { window = 1, cluster = 4, size_must_be_set = 10, width = 11, non_portable = 14, misconfigured = 912 };

static struct attribute attribute = {cluster, 0, {{2, 1, 1}}};
static struct config config = {{4, 1, 1}, {32, 1, 1}, 0, NULL, &attribute, 1};

static void check_ring(void* device, unsigned blocks, unsigned ranks) {
  unsigned host[32 * 32];
  expect("results", cudaMemcpy(host, device, blocks * 128, to_host), 0);
  for (unsigned b = 0; b < blocks; ++b)
    expect("of the next", host[b * 32 + 5], (long)((b % ranks + 1) % ranks * 100 + 5));
}

static void launch_clusters(void* device) {
  void* values[] = {&device};
  int size = 0;
  expect("launch", cudaLaunchKernelExC(&config, &ring, values), 0);
  check_ring(device, 4, 2);
  config.grid.x = 3;
  expect("half a cluster", cudaLaunchKernelExC(&config, &ring, values), misconfigured);
  config.grid.x = 16;
  attribute.value.dims[0] = 16;
  expect("more than is portable", cudaLaunchKernelExC(&config, &ring, values), misconfigured);
  expect("largest", cudaOccupancyMaxPotentialClusterSize(&size, &ring, &config), 0);
  expect("it is portable", size, 8);
  expect("none of that size", cudaOccupancyMaxActiveClusters(&size, &ring, &config), misconfigured);
  expect("allow", cudaFuncSetAttribute(&ring, non_portable, 1), 0);
  expect("largest", cudaOccupancyMaxPotentialClusterSize(&size, &ring, &config), 0);
  expect("it is not portable", size, 16);
  /* 32 blocks of 32 threads on each of 108 SMs. */
  expect("active", cudaOccupancyMaxActiveClusters(&size, &ring, &config), 0);
  expect("clusters", size, 32 * 108 / 16);
  expect("16 thread blocks", cudaLaunchKernelExC(&config, &ring, values), 0);
  check_ring(device, 16, 16);
  config.grid.x = 32;
  attribute.value.dims[0] = 32;
  expect("more than there may be", cudaLaunchKernelExC(&config, &ring, values), misconfigured);
  /* The function says it. */
  config.count = 0;
  config.grid.x = 4;
  expect("must be set", cudaFuncSetAttribute(&ring, size_must_be_set, 1), 0);
  expect("is not set", cudaLaunchKernelExC(&config, &ring, values), misconfigured);
  expect("4 wide", cudaFuncSetAttribute(&ring, width, 4), 0);
  expect("plain launch", launch(&ring, 4, 32, values, NULL), 0);
  check_ring(device, 4, 4);
  config.count = 1;
  attribute.value.dims[0] = 2;
  expect("another size", cudaLaunchKernelExC(&config, &ring, values), misconfigured);
  expect("none again", cudaFuncSetAttribute(&ring, width, 0), 0);
  cudaGetLastError();
}

static void cluster_of_node(void* device) {
  handle graph = NULL, executable = NULL, node = NULL, other = NULL;
  void* values[] = {&device};
  const struct kernel_node kernel = {&ring, {4, 1, 1}, {32, 1, 1}, 0, values, NULL};
  union value value = {{2, 1, 1}}, got;
  expect("graph", cudaGraphCreate(&graph, 0), 0);
  expect("node", cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel), 0);
  expect("set", cudaGraphKernelNodeSetAttribute(node, cluster, &value), 0);
  expect("get", cudaGraphKernelNodeGetAttribute(node, cluster, &got), 0);
  expect("as it was set", got.dims[0], 2);
  expect("no such", cudaGraphKernelNodeSetAttribute(node, 3, &value), 1);
  expect("node", cudaGraphAddKernelNode(&other, graph, &node, 1, &kernel), 0);
  expect("copy", cudaGraphKernelNodeCopyAttributes(other, node), 0);
  expect("get", cudaGraphKernelNodeGetAttribute(other, cluster, &got), 0);
  expect("as it was copied", got.dims[0], 2);
  expect("instantiate", cudaGraphInstantiate(&executable, graph, 0), 0);
  expect("launch", cudaGraphLaunch(executable, NULL), 0);
  check_ring(device, 4, 2);
  cudaGetLastError();
}

static void windows(void* device) {
  void* values[] = {&device};
  handle stream = NULL, other = NULL;
  union value value = {.window = {device, 4096, 0.5f, 2, 1}}, got;
  size_t bytes = 0;
  const int most = 30 << 20; /* three quarters of an A100's 40 MiB */
  expect("limit", cudaDeviceSetLimit(6, 1 << 20) | cudaDeviceGetLimit(&bytes, 6), 0);
  expect("as it was set", (long)bytes, 1 << 20);
  expect("limit", cudaDeviceSetLimit(6, 1 << 30) | cudaDeviceGetLimit(&bytes, 6), 0);
  expect("no more than there is", (long)bytes, most);
  expect("streams", cudaStreamCreate(&stream) | cudaStreamCreate(&other), 0);
  expect("get", cudaStreamGetAttribute(stream, window, &got), 0);
  expect("none", (long)got.window.bytes, 0);
  expect("set", cudaStreamSetAttribute(stream, window, &value), 0);
  expect("copy", cudaStreamCopyAttributes(other, stream), 0);
  expect("get", cudaStreamGetAttribute(other, window, &got), 0);
  expect("bytes", (long)got.window.bytes, 4096);
  expect("ratio", got.window.hit_ratio == 0.5f, 1);
  value.window.hit_ratio = 1.5f;
  expect("no ratio", cudaStreamSetAttribute(stream, window, &value), 1);
  value.window.hit_ratio = 1;
  value.window.on_miss = 2;
  expect("what misses does not stay", cudaStreamSetAttribute(stream, window, &value), 1);
  value.window.on_miss = 0;
  value.window.bytes = (size_t)1 << 30;
  expect("too large", cudaStreamSetAttribute(stream, window, &value), 1);
  expect("of launches alone", cudaStreamSetAttribute(stream, cluster, &value), 1);
  expect("reset", cudaCtxResetPersistingL2Cache(), 0);
  expect("must not be set", cudaFuncSetAttribute(&ring, size_must_be_set, 0), 0);
  expect("launch", launch(&ring, 1, 32, values, other), 0);
  attribute.number = window;
  attribute.value.window = got.window;
  config.grid.x = 1;
  expect("launch", cudaLaunchKernelExC(&config, &ring, values), 0);
  cudaGetLastError();
}

void run_clusters(void) {
  void* device = NULL;
  expect("malloc", cudaMalloc(&device, 32 * 128), 0);
  launch_clusters(device);
  cluster_of_node(device);
  windows(device);
}
