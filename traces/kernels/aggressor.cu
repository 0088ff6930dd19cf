// Cache aggressors: each thread walks an array with a stride that it is given, so that the walk touches all sets of a
// cache (a stride of one line) or few (a stride of a multiple of the cache's size over its ways).
extern "C" __global__ void walk(const unsigned* array, unsigned* sums, unsigned elements, unsigned stride, int steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x & 31, warp = thread >> 5, warps = gridDim.x * blockDim.x >> 5;
  unsigned sum = 0;
  for (int i = 0; i < steps; ++i) sum += array[((warp + i * warps) * stride + lane) % elements];
  sums[thread] = sum;
}
