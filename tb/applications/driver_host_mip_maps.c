/* A mip map of the driver library: filled level by level, read between two. */
#include "driver_host.h"

struct shape {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct side {
  size_t x, y;
  int type;
  const void* host;
  address device;
  handle array;
  size_t pitch;
};
struct copy {
  struct side from, to;
  size_t width, height;
};
struct resource {
  int type;
  union {
    handle array;
    char room[128];
  };
  unsigned flags;
};
struct texture {
  int edges[3], filter;
  unsigned flags, anisotropy;
  int level_filter;
  float bias, least, most, border[4];
  int reserved[12];
};
int cuMipmappedArrayCreate(handle*, const struct shape*, unsigned);
int cuMipmappedArrayGetLevel(handle*, handle, unsigned);
int cuMipmappedArrayDestroy(handle);
int cuMemcpy2D_v2(const struct copy*);
int cuTexObjectCreate(uint64_t*, const struct resource*, const struct texture*, const void*);
int cuTexObjectDestroy(uint64_t);

void run_mip_maps(handle module) {
  const struct shape shape = {4, 4, 0, 32, 1, 0};
  handle map = NULL, level = NULL, kernel = NULL;
  expect("mip map", cuMipmappedArrayCreate(&map, &shape, 2), 0);
  for (unsigned n = 0; n < 2; ++n) { /* 4 and 2 texels wide, of 10 and 20 */
    float texels[16];
    const size_t width = 4 >> n;
    for (int i = 0; i < 16; ++i) texels[i] = 10.0f * (float)(n + 1);
    expect("level", cuMipmappedArrayGetLevel(&level, map, n), 0);
    const struct copy copy = {
        {0, 0, 1, texels, 0, NULL, 4 * width}, {0, 0, 3, NULL, 0, level, 0}, 4 * width, width};
    expect("fill", cuMemcpy2D_v2(&copy), 0);
  }
  expect("no more levels", cuMipmappedArrayGetLevel(&level, map, 2), 1);
  struct resource resource = {1, {map}, 0};
  struct texture texture = {{1, 1, 1}, 0, 2, 0, 1, 0.5f, 0, 9, {0}, {0}}; /* half a level on, to the last */
  uint64_t object = 0;
  address y = 0;
  float got[3] = {0};
  void* values[] = {&y, &object};
  expect("object", cuTexObjectCreate(&object, &resource, &texture, NULL), 0);
  expect("kernel", cuModuleGetFunction(&kernel, module, "levels"), 0);
  cuMemAlloc_v2(&y, sizeof got);
  expect("launch", cuLaunchKernel(kernel, 1, 1, 1, 3, 1, 1, 0, NULL, values, NULL), 0);
  cuMemcpyDtoH_v2(got, y, sizeof got);
  expect("half a level on", (long)got[0], 15);
  expect("the last", (long)got[1], 20);
  expect("nothing behind it", (long)got[2], 20);
  expect("object", cuTexObjectDestroy(object), 0);
  cuMemFree_v2(y);
  expect("destroy", cuMipmappedArrayDestroy(map), 0);
}
