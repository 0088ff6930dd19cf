/* Tensor maps and clusters, by the driver library. */
#include <string.h>

#include "driver_host.h"

struct map {
  _Alignas(64) char bytes[128];
};
int cuTensorMapEncodeTiled(struct map*, int, unsigned, void*, const uint64_t*, const uint64_t*,
                           const unsigned*, const unsigned*, int, int, int, int);
int cuTensorMapReplaceAddress(struct map*, void*);
int cuGetProcAddress_v2(const char*, void**, int, uint64_t, int*);
struct attribute {
  int number, padding;
  unsigned dims[16];
};
struct config {
  unsigned grid[3], block[3], shared;
  handle stream;
  struct attribute* attributes;
  unsigned count;
};
int cuLaunchKernelEx(const struct config*, handle, void**, void**);
int cuOccupancyMaxPotentialClusterSize(int*, handle, const struct config*);
int cuOccupancyMaxActiveClusters(int*, handle, const struct config*);
int cuFuncSetAttribute(handle, int, int);
int cuFuncGetAttribute(int*, int, handle);

/* A tensor of 16 x 8 words from 0 on; boxes of 8 x 4. */
static void boxes(handle kernel) {
  enum { invalid = 1, words = 2 };
  struct map map;
  address tensor = 0, result = 0;
  uint64_t dims[2] = {16, 8}, strides[1] = {64};
  unsigned box[2] = {8, 4}, steps[2] = {1, 1}, host[256], x = 12;
  int (*encode)(struct map*, int, unsigned, void*, const uint64_t*, const uint64_t*, const unsigned*,
                const unsigned*, int, int, int, int) = NULL;
  expect("by name", cuGetProcAddress_v2("cuTensorMapEncodeTiled", (void**)&encode, 12000, 0, NULL), 0);
  expect("memory", cuMemAlloc_v2(&tensor, 1024) | cuMemAlloc_v2(&result, 128), 0);
  for (unsigned i = 0; i < 256; ++i) host[i] = i;
  expect("tensor", cuMemcpyHtoD_v2(tensor, host, sizeof host), 0);
  void* const at = (void*)tensor;
  expect("map", encode(&map, words, 2, at, dims, strides, box, steps, 0, 0, 0, 0), 0);
  void* values[] = {&map, &result, &x};
  expect("launch", cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, values, NULL), 0);
  expect("results", cuMemcpyDtoH_v2(host, result, 128), 0);
  expect("inside", host[8 + 3], (2 + 1) * 16 + 15);
  expect("outside", host[8 + 4], 0);
  expect("512 bytes on", cuTensorMapReplaceAddress(&map, (void*)(tensor + 512)), 0);
  expect("launch", cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, values, NULL), 0);
  expect("results", cuMemcpyDtoH_v2(host, result, 128), 0);
  expect("128 words on", host[8 + 3], 128 + (2 + 1) * 16 + 15);
  expect("address", cuTensorMapReplaceAddress(&map, (void*)(tensor + 8)), invalid);
  expect("place", encode((struct map*)&map.bytes[16], words, 2, at, dims, strides, box, steps, 0, 0, 0, 0),
         invalid);
  expect("rank", encode(&map, words, 6, at, dims, strides, box, steps, 0, 0, 0, 0), invalid);
  box[0] = 512;
  expect("box", encode(&map, words, 2, at, dims, strides, box, steps, 0, 0, 0, 0), invalid);
  box[0] = 16;
  expect("swizzle", encode(&map, words, 2, at, dims, strides, box, steps, 0, 1, 0, 0), invalid);
  strides[0] = 40;
  expect("stride", encode(&map, words, 2, at, dims, strides, box, steps, 0, 0, 0, 0), invalid);
}

static void clusters(handle kernel) {
  enum { misconfigured = 912 };
  struct attribute attribute = {4, 0, {4, 1, 1}};
  struct config config = {{8, 1, 1}, {32, 1, 1}, 0, NULL, &attribute, 1};
  address result = 0;
  unsigned host[256];
  int size = 0;
  void* values[] = {&result};
  expect("memory", cuMemAlloc_v2(&result, sizeof host), 0);
  expect("launch", cuLaunchKernelEx(&config, kernel, values, NULL), 0);
  expect("results", cuMemcpyDtoH_v2(host, result, sizeof host), 0);
  expect("of rank 0", host[3 * 32 + 1], 1);
  expect("of rank 2", host[5 * 32 + 1], 201);
  expect("largest", cuOccupancyMaxPotentialClusterSize(&size, kernel, &config) + size, 8);
  expect("active", cuOccupancyMaxActiveClusters(&size, kernel, &config), 0);
  expect("clusters", size, 32 * 108 / 4);
  config.grid[0] = 9;
  expect("no whole clusters", cuLaunchKernelEx(&config, kernel, values, NULL), misconfigured);
  expect("allow", cuFuncSetAttribute(kernel, 14, 1) | cuFuncGetAttribute(&size, 14, kernel), 0);
  expect("it is allowed", size, 1);
}

void run_tensors(handle module) {
  handle box = NULL, ring = NULL;
  expect("kernels", cuModuleGetFunction(&box, module, "box") | cuModuleGetFunction(&ring, module, "ring"), 0);
  boxes(box);
  clusters(ring);
}
