// C = alpha A B + beta C by the textbook triple loop: a thread per element of C, no tiling, so that the caches
// carry all reuse.
extern "C" __global__ void gemm(const float* a, const float* b, float* c, float alpha, float beta, int rows,
                                int columns, int inner) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  float sum = 0.0f;
#pragma unroll 16
  for (int k = 0; k < inner; ++k) sum = fmaf(a[i * inner + k], b[k * columns + j], sum);
  c[i * columns + j] = fmaf(alpha, sum, beta * c[i * columns + j]);
}
