// Transposition of a square matrix through a tile in shared memory, padded against bank conflicts.
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = tile[x][y];
}
