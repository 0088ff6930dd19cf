// Inclusive prefix sum in three launches: scan of blocks of 512 with shuffles, scan of the block sums by one CTA (at most 512),
// and their addition.
__device__ unsigned scan_block(unsigned value) {
  __shared__ unsigned warp_sums[16];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned other = __shfl_up_sync(~0u, value, distance);
    if (lane >= distance) value += other;
  }
  if (lane == 31) warp_sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    unsigned sum = lane < 16 ? warp_sums[lane] : 0;
    for (int distance = 1; distance < 16; distance *= 2) {
      const unsigned other = __shfl_up_sync(~0u, sum, distance);
      if (lane >= distance) sum += other;
    }
    if (lane < 16) warp_sums[lane] = sum;
  }
  __syncthreads();
  return warp > 0 ? value + warp_sums[warp - 1] : value;
}

extern "C" __global__ void scan_blocks(const unsigned* in, unsigned* out, unsigned* sums) {
  const int i = blockIdx.x * 512 + threadIdx.x;
  const unsigned value = scan_block(in[i]);
  out[i] = value;
  if (threadIdx.x == 511) sums[blockIdx.x] = value;
}

extern "C" __global__ void scan_sums(unsigned* sums, int blocks) {
  const unsigned value = scan_block((int)threadIdx.x < blocks ? sums[threadIdx.x] : 0);
  if ((int)threadIdx.x < blocks) sums[threadIdx.x] = value;
}

extern "C" __global__ void add_sums(unsigned* out, const unsigned* sums) {
  if (blockIdx.x > 0) out[blockIdx.x * 512 + threadIdx.x] += sums[blockIdx.x - 1];
}
