/* C = A B through pipelines of copies to shared memory (pipelined_gemm.cu), by the driver library. */
#include <stdio.h>

#include "driver_host.h"

struct map {
  _Alignas(64) char bytes[128];
};
int cuTensorMapEncodeTiled(struct map*, int, unsigned, void*, const uint64_t*, const uint64_t*,
                           const unsigned*, const unsigned*, int, int, int, int);

enum { rows = 128, columns = 64, k = 512, stage_k = 8, threads = 128, pairs = 4, float32 = 7 };
enum { stage_bytes = (rows + columns) * stage_k * 4 };
static float a[pairs * k][rows], b[pairs * k][columns], c[pairs * rows][columns];

/* The matrices of all pairs, one below the other; boxes of `stage_k` rows. */
static struct map map_of(address tensor, unsigned width) {
  struct map map;
  const uint64_t dims[2] = {width, pairs * k}, strides[1] = {width * 4};
  const unsigned box[2] = {width, stage_k}, steps[2] = {1, 1};
  expect("map",
         cuTensorMapEncodeTiled(&map, float32, 2, (void*)tensor, dims, strides, box, steps, 0, 0, 0, 0), 0);
  return map;
}
static long element(int row, int column) {
  const int first = row / rows * k; /* of its pair */
  long sum = 0;
  for (int i = first; i < first + k; ++i) sum += (long)(a[i][row % rows] * b[i][column]);
  return sum;
}

/* Launch 0 brings A and B into the L2; launches 1 to 3 have so many stages. Sums of products of such small
 * numbers are exact. */
void run_pipelines(handle module) {
  const unsigned depths[] = {3, 1, 2, 3};
  handle kernel = NULL;
  address to_a = 0, to_b = 0, to_c = 0;
  unsigned length = k, depth = 0;
  struct map map_a, map_b;
  void* copies[] = {&to_a, &to_b, &to_c, &length, &depth};
  void* bulk_copies[] = {&map_a, &map_b, &to_c, &length, &depth};
  for (int i = 0; i < pairs * k; ++i) {
    for (int row = 0; row < rows; ++row) a[i][row] = (float)((i * 7 + row * 3) % 16 - 8);
    for (int column = 0; column < columns; ++column) b[i][column] = (float)((i * 5 + column) % 8 - 4);
  }
  expect("memory",
         cuMemAlloc_v2(&to_a, sizeof a) | cuMemAlloc_v2(&to_b, sizeof b) | cuMemAlloc_v2(&to_c, sizeof c), 0);
  expect("copies", cuMemcpyHtoD_v2(to_a, a, sizeof a) | cuMemcpyHtoD_v2(to_b, b, sizeof b), 0);
  const int bulk = cuModuleGetFunction(&kernel, module, "gemm_async") != 0;
  if (bulk) {
    expect("function", cuModuleGetFunction(&kernel, module, "gemm_bulk"), 0);
    map_a = map_of(to_a, rows);
    map_b = map_of(to_b, columns);
  }
  for (int launch = 0; launch < 4; ++launch) {
    depth = depths[launch];
    expect("fill", cuMemsetD32_v2(to_c, 0, pairs * rows * columns), 0);
    expect("launch",
           cuLaunchKernel(kernel, pairs, 1, 1, threads, 1, 1, depth * stage_bytes, NULL,
                          bulk ? bulk_copies : copies, NULL),
           0);
    expect("results", cuMemcpyDtoH_v2(c, to_c, sizeof c), 0);
    for (int row = 0; row < pairs * rows; ++row)
      for (int column = 0; column < columns; ++column)
        if ((long)c[row][column] != element(row, column))
          return expect("element", (long)c[row][column], element(row, column));
  }
}
