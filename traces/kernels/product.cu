// A product of matrices added to what is there, in the manner of gemm.cu.
extern "C" __global__ void product_add(const float* a, const float* b, float* c, int rows, int columns, int inner) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  for (int k = 0; k < inner; ++k)
    c[i * columns + j] = fmaf(a[i * inner + k], b[k * columns + j], c[i * columns + j]);
}
