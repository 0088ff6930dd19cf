// 256-bin histogram of bytes, read four at a time: each CTA counts in shared memory and writes a histogram of its own.
extern "C" __global__ void histogram_256(const unsigned* data, unsigned* partial, int words) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    const unsigned word = data[i];
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[(word >> 8) & 255], 1);
    atomicAdd(&bins[(word >> 16) & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
  }
  __syncthreads();
  partial[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}
