// Sparse matrix (CSR) times vector: a thread per row, and a warp per row.
extern "C" __global__ void spmv_scalar(const int* first, const int* column, const float* value, const float* x,
                                       float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = first[row]; i < first[row + 1]; ++i) sum = fmaf(value[i], x[column[i]], sum);
  y[row] = sum;
}

extern "C" __global__ void spmv_vector(const int* first, const int* column, const float* value, const float* x,
                                       float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = first[row] + lane; i < first[row + 1]; i += 32) sum = fmaf(value[i], x[column[i]], sum);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}
