// 3-D convolution with a 3 x 3 x 3 stencil of fixed coefficients, one plane of the volume a launch.
// The eleven taps are those of the corners and the centre line; the others are zero.
extern "C" __global__ void convolution_3d(const float* in, float* out, int ni, int nj, int nk, int i) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= ni - 1 || j < 1 || j >= nj - 1 || k < 1 || k >= nk - 1) return;
  const long long plane = (long long)nj * nk;
  const float* c = in + i * plane + (long long)j * nk + k;
  float sum = 2.0f * c[-plane - nk - 1];
  sum = fmaf(-3.0f, c[-plane - nk + 1], sum);
  sum = fmaf(4.0f, c[-plane + nk - 1], sum);
  sum = fmaf(5.0f, c[-plane + nk + 1], sum);
  sum = fmaf(-6.0f, c[-nk], sum);
  sum = fmaf(7.0f, c[0], sum);
  sum = fmaf(-8.0f, c[nk], sum);
  sum = fmaf(9.0f, c[plane - nk - 1], sum);
  sum = fmaf(-10.0f, c[plane - nk + 1], sum);
  sum = fmaf(11.0f, c[plane + nk - 1], sum);
  sum = fmaf(12.0f, c[plane + nk + 1], sum);
  out[i * plane + (long long)j * nk + k] = sum;
}
