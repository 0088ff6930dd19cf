// Gridding of samples onto a regular grid (MRI): each sample adds its value, weighted by distance, to the grid points
// around it with atomic operations on whole numbers (fixed point), so that the order does not matter.
extern "C" __global__ void grid_samples(const float* x, const float* y, const int* value, int* grid, int samples,
                                        int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= samples) return;
  const int cx = (int)x[i], cy = (int)y[i];
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int gx = cx + dx, gy = cy + dy;
      if (gx < 0 || gx >= size || gy < 0 || gy >= size) continue;
      const int weight = 3 - abs(dx) - abs(dy);
      atomicAdd(&grid[gy * size + gx], weight * value[i]);
    }
  }
}
