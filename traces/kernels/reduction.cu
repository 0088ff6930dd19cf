// Sum of a vector: a grid-stride loop, a tree in shared memory, and shuffles in the last warp; one sum per CTA.
extern "C" __global__ void reduce_sum(const float* in, float* sums, int n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += in[i];
  part[t] = sum;
  __syncthreads();
  for (int half = 128; half >= 32; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t < 32) {
    sum = part[t];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (t == 0) sums[blockIdx.x] = sum;
  }
}
