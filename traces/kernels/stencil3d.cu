// Seven-point stencil over a volume (heat equation), a thread per column of the grid, marching along z.
extern "C" __global__ void stencil_7(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny, at = y * nx + x;
  float below = in[at], here = in[plane + at];
  for (int z = 1; z < nz - 1; ++z) {
    const int i = z * plane + at;
    const float above = in[i + plane];
    const float around = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above;
    out[i] = fmaf(0.1f, around, 0.4f * here);
    below = here;
    here = above;
  }
}
