// Nine-point stencil with weights for centre, edges and corners; a tile with its border in shared memory.
extern "C" __global__ void stencil_9(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[18][18];
  const int x = threadIdx.x, y = threadIdx.y;
  const int left = blockIdx.x * 16, top = blockIdx.y * 16;  // of the border: the interior begins one further
  for (int i = y * 16 + x; i < 18 * 18; i += 256) {
    const int r = top + i / 18, c = left + i % 18;
    tile[i / 18][i % 18] = r < rows && c < columns ? in[r * columns + c] : 0.0f;
  }
  __syncthreads();
  const int r = top + 1 + y, c = left + 1 + x;
  if (r >= rows - 1 || c >= columns - 1) return;
  const float edges = tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2];
  const float corners = tile[y][x] + tile[y][x + 2] + tile[y + 2][x] + tile[y + 2][x + 2];
  out[r * columns + c] = fmaf(0.05f, corners, fmaf(0.15f, edges, 0.2f * tile[y + 1][x + 1]));
}
