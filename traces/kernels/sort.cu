// One radix-sort pass of 4 bits over blocks of 1024 keys: histogram per block, scan by one CTA, scatter; eight passes sort
// 32-bit keys. Ranks inside a block come from warp votes, in order, so that the sort is stable.
#define KEYS 1024  // a CTA of 256 threads, four rounds of 256 keys

extern "C" __global__ void radix_count(const unsigned* keys, unsigned* counts, int shift, int blocks) {
  __shared__ unsigned bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  for (int round = 0; round < KEYS; round += 256)
    atomicAdd(&bins[(keys[blockIdx.x * KEYS + round + t] >> shift) & 15], 1);
  __syncthreads();
  if (t < 16) counts[t * blocks + blockIdx.x] = bins[t];
}

// Exclusive scan of 16 * blocks counts by one CTA of 256.
extern "C" __global__ void radix_scan(unsigned* counts, int number) {
  __shared__ unsigned part[256];
  __shared__ unsigned carry;
  const int t = threadIdx.x;
  if (t == 0) carry = 0;
  __syncthreads();
  for (int base = 0; base < number; base += 256) {
    const unsigned own = base + t < number ? counts[base + t] : 0;
    part[t] = own;
    __syncthreads();
    for (int distance = 1; distance < 256; distance *= 2) {
      const unsigned other = t >= distance ? part[t - distance] : 0;
      __syncthreads();
      part[t] += other;
      __syncthreads();
    }
    if (base + t < number) counts[base + t] = carry + part[t] - own;
    __syncthreads();
    if (t == 255) carry += part[255];
    __syncthreads();
  }
}

extern "C" __global__ void radix_scatter(const unsigned* keys, const unsigned* counts, unsigned* sorted, int shift,
                                         int blocks) {
  __shared__ unsigned next[16], in_warp[8][16];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  if (t < 16) next[t] = counts[t * blocks + blockIdx.x];
  __syncthreads();
  for (int round = 0; round < KEYS; round += 256) {
    const unsigned key = keys[blockIdx.x * KEYS + round + t];
    const unsigned digit = (key >> shift) & 15;
    unsigned same = ~0u;
    for (int bit = 0; bit < 4; ++bit) {
      const unsigned votes = __ballot_sync(~0u, (digit >> bit) & 1);
      same &= (digit >> bit) & 1 ? votes : ~votes;
    }
    const unsigned rank = __popc(same & ((1u << lane) - 1));
    if (lane < 16) in_warp[warp][lane] = 0;
    __syncwarp();
    if (rank == 0) in_warp[warp][digit] = __popc(same);
    __syncthreads();
    unsigned before = next[digit];
    for (int w = 0; w < warp; ++w) before += in_warp[w][digit];
    sorted[before + rank] = key;
    __syncthreads();
    if (t < 16)
      for (int w = 0; w < 8; ++w) next[t] += in_warp[w][t];
    __syncthreads();
  }
}
