// Products of a matrix and a vector, a thread per element of the result: along rows (neighbouring threads are a row
// apart: uncoalesced) and along columns (neighbouring threads are neighbours in memory). The running sum stays in
// global memory.
extern "C" __global__ void matrix_vector(const float* a, const float* x, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  for (int j = 0; j < columns; ++j) y[i] = fmaf(a[i * columns + j], x[j], y[i]);
}

extern "C" __global__ void transposed_vector(const float* a, const float* x, float* y, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  for (int i = 0; i < rows; ++i) y[j] = fmaf(a[i * columns + j], x[i], y[j]);
}
