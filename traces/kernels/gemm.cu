// Product of matrices by the triple loop, a thread per element, neighbouring threads in neighbouring columns. The
// running sum stays in global memory: each turn of the loop stores it, as the compiler may not assume that the arrays
// are apart.
extern "C" __global__ void gemm(const float* a, const float* b, float* c, float alpha, float beta, int rows,
                                int columns, int inner) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  c[i * columns + j] *= beta;
  for (int k = 0; k < inner; ++k)
    c[i * columns + j] = fmaf(alpha * a[i * inner + k], b[k * columns + j], c[i * columns + j]);
}
