/* A mip map of the runtime library: filled level by level, read between two. */
#include "runtime_host.h"

struct extent {
  size_t width, height, depth;
};
struct format {
  int x, y, z, w, kind;
};
struct resource {
  int type;
  union {
    handle array;
    char room[56];
  };
};
struct texture {
  int edges[3], filter, read, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int level_filter;
  float bias, least, most;
  int more[2];
};
int cudaMallocMipmappedArray(handle*, const struct format*, struct extent, unsigned, unsigned);
int cudaGetMipmappedArrayLevel(handle*, handle, unsigned);
int cudaFreeMipmappedArray(handle);
int cudaMemcpy2DToArray(handle, size_t, size_t, const void*, size_t, size_t, size_t, int);
int cudaCreateTextureObject(uint64_t*, const struct resource*, const struct texture*, const void*);
int cudaDestroyTextureObject(uint64_t);

static void fill_and_read(void) {
  const struct format format = {32, 0, 0, 0, 2};
  const struct extent extent = {4, 4, 0};
  handle map = NULL, level = NULL;
  expect("mip map", cudaMallocMipmappedArray(&map, &format, extent, 9, 0), 0);
  for (unsigned n = 0; n < 3; ++n) { /* 4, 2 and 1 texels wide, of 10, 20 and 30 */
    float texels[16];
    const size_t width = 4 >> n;
    for (int i = 0; i < 16; ++i) texels[i] = 10.0f * (float)(n + 1);
    expect("level", cudaGetMipmappedArrayLevel(&level, map, n), 0);
    expect("fill", cudaMemcpy2DToArray(level, 0, 0, texels, 4 * width, 4 * width, width, to_device), 0);
  }
  expect("no more levels", cudaGetMipmappedArrayLevel(&level, map, 3), 1);
  struct resource resource = {1, {map}};
  struct texture texture = {{1, 1, 1}, 0, 0, 0, {0}, 1, 0, 1, 0, 0, 2, {0}};
  uint64_t object = 0;
  void* y = NULL;
  float got[5] = {0};
  void* values[] = {&y, &object};
  cudaMalloc(&y, sizeof got);
  expect("object", cudaCreateTextureObject(&object, &resource, &texture, NULL), 0);
  expect("launch", launch(&levels, 1, 5, values, NULL), 0);
  cudaMemcpy(got, y, sizeof got, to_host);
  for (int i = 0; i < 5; ++i) expect("between levels", (long)got[i], 10 + 5 * i);
  expect("object", cudaDestroyTextureObject(object), 0);
  cudaFree(y);
  expect("free", cudaFreeMipmappedArray(map), 0);
}

void run_mip_maps(void) {
  size_t before = 0, after = 0, total = 0;
  fill_and_read(); /* the first launch allocates the variables of the module */
  cudaMemGetInfo(&before, &total);
  fill_and_read();
  cudaMemGetInfo(&after, &total);
  expect("all is given back", (long)(before - after), 0);
}
