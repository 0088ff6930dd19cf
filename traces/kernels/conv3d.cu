// 3-D convolution with a stencil of fixed coefficients, one plane of the volume a launch: fifteen products of eleven
// points, two of which have three coefficients each.
extern "C" __global__ void convolution_3d(const float* in, float* out, int ni, int nj, int nk, int i) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= ni - 1 || j < 1 || j >= nj - 1 || k < 1 || k >= nk - 1) return;
  const auto at = [=](int di, int dj, int dk) { return in[(i + di) * (nk * nj) + (j + dj) * nk + k + dk]; };
  float sum = 2.0f * at(-1, -1, -1);
  sum = fmaf(4.0f, at(1, -1, -1), sum);
  sum = fmaf(5.0f, at(-1, -1, -1), sum);
  sum = fmaf(7.0f, at(1, -1, -1), sum);
  sum = fmaf(-8.0f, at(-1, -1, -1), sum);
  sum = fmaf(10.0f, at(1, -1, -1), sum);
  sum = fmaf(-3.0f, at(0, -1, 0), sum);
  sum = fmaf(6.0f, at(0, 0, 0), sum);
  sum = fmaf(-9.0f, at(0, 1, 0), sum);
  sum = fmaf(2.0f, at(-1, -1, 1), sum);
  sum = fmaf(4.0f, at(1, -1, 1), sum);
  sum = fmaf(5.0f, at(-1, 0, 1), sum);
  sum = fmaf(7.0f, at(1, 0, 1), sum);
  sum = fmaf(-8.0f, at(-1, 1, 1), sum);
  sum = fmaf(10.0f, at(1, 1, 1), sum);
  out[i * (nk * nj) + j * nk + k] = sum;
}
