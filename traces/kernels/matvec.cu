// Products of a matrix and a vector, a thread per element of the result: along rows (neighbouring threads are a row
// apart: uncoalesced) and along columns (neighbouring threads are neighbours in memory).
extern "C" __global__ void matrix_vector(const float* a, const float* x, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = y[i];
#pragma unroll 8
  for (int j = 0; j < columns; ++j) sum = fmaf(a[i * columns + j], x[j], sum);
  y[i] = sum;
}

extern "C" __global__ void transposed_vector(const float* a, const float* x, float* y, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = y[j];
#pragma unroll 8
  for (int i = 0; i < rows; ++i) sum = fmaf(a[i * columns + j], x[i], sum);
  y[j] = sum;
}
