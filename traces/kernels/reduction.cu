// Sum of a vector: each thread of a grid-stride loop adds two numbers a turn into shared memory, then a tree; one sum per
// CTA of 256. The last warp goes on without the others.
extern "C" __global__ void reduce_sum(const float* in, float* sums, int n) {
  __shared__ volatile float part[256];
  const int t = threadIdx.x;
  part[t] = 0.0f;
  for (int i = blockIdx.x * 512 + t; i < n; i += gridDim.x * 512) part[t] += in[i] + in[i + 256];
  __syncthreads();
  for (int half = 128; half >= 64; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t < 32) {
    for (int half = 32; half > 0; half /= 2) {
      part[t] += part[t + half];
      __syncwarp();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
  }
}
