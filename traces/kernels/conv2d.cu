// 2-D convolution with a fixed 3 x 3 stencil, a thread per element.
extern "C" __global__ void convolution_2d(const float* in, float* out, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= rows - 1 || j < 1 || j >= columns - 1) return;
  const float* c = in + i * columns + j;
  float sum = 0.2f * c[-columns - 1];
  sum = fmaf(-0.3f, c[-columns], sum);
  sum = fmaf(0.4f, c[-columns + 1], sum);
  sum = fmaf(0.5f, c[-1], sum);
  sum = fmaf(0.6f, c[0], sum);
  sum = fmaf(0.7f, c[1], sum);
  sum = fmaf(-0.8f, c[columns - 1], sum);
  sum = fmaf(-0.9f, c[columns], sum);
  sum = fmaf(0.1f, c[columns + 1], sum);
  out[i * columns + j] = sum;
}
