// Seven-point stencil over a volume (heat equation): a CTA of 32 x 4 threads marches along z over 64 x 4 columns of the
// grid, two for each thread. The plane in work lies in shared memory, those above and below in registers; what a tile
// needs of its neighbours is read from global memory.
extern "C" __global__ void stencil_7(const float* in, float* out, int nx, int ny, int nz, float centre, float around) {
  __shared__ float plane[4][64];
  const int y = blockIdx.y * 4 + threadIdx.y, row = threadIdx.y;
  float below[2], above[2];
  const auto at = [=](int x, int line, int z) { return (z * ny + line) * nx + x; };
  for (int half = 0; half < 2; ++half) {
    const int column = threadIdx.x + 32 * half, x = blockIdx.x * 64 + column;
    below[half] = 0.0f;
    plane[row][column] = 0.0f;
    if (x >= nx || y >= ny) continue;
    below[half] = in[at(x, y, 0)];
    plane[row][column] = in[at(x, y, 1)];
  }
  __syncthreads();
  for (int z = 1; z < nz - 1; ++z) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = threadIdx.x + 32 * half, x = blockIdx.x * 64 + column;
      above[half] = 0.0f;
      if (x >= nx || y >= ny) continue;
      above[half] = in[at(x, y, z + 1)];
      if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) continue;
      const float south = row == 3 ? in[at(x, y + 1, z)] : plane[row + 1][column];
      const float north = row == 0 ? in[at(x, y - 1, z)] : plane[row - 1][column];
      const float west = column == 0 ? in[at(x - 1, y, z)] : plane[row][column - 1];
      const float east = column == 63 ? in[at(x + 1, y, z)] : plane[row][column + 1];
      const float sum = above[half] + below[half] + south + north + east + west;
      out[at(x, y, z)] = fmaf(sum, around, -(plane[row][column] * centre));
    }
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      below[half] = plane[row][threadIdx.x + 32 * half];
      plane[row][threadIdx.x + 32 * half] = above[half];
    }
    __syncthreads();
  }
}
