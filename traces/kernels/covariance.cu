// Covariance and correlation of the columns of a matrix: means, deviations, centred data, and the symmetric product,
// a thread per column, element or column pair's first column. Rows and columns count from 1, so that a row is
// columns + 1 numbers long and no row but the first begins on a line. Every running sum stays in global memory.
extern "C" __global__ void column_means(const float* data, float* mean, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (j > columns) return;
  mean[j] = 0.0f;
  for (int i = 1; i <= rows; ++i) mean[j] += data[i * (columns + 1) + j];
  mean[j] /= rows;
}

extern "C" __global__ void column_deviations(const float* data, const float* mean, float* deviation, int rows,
                                             int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (j > columns) return;
  deviation[j] = 0.0f;
  for (int i = 1; i <= rows; ++i)
    deviation[j] += (data[i * (columns + 1) + j] - mean[j]) * (data[i * (columns + 1) + j] - mean[j]);
  deviation[j] /= rows;
  deviation[j] = sqrtf(deviation[j]);
  if (deviation[j] <= 0.005f) deviation[j] = 1.0f;
}

extern "C" __global__ void centre(float* data, const float* mean, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i <= rows && j <= columns) data[i * (columns + 1) + j] -= mean[j];
}

extern "C" __global__ void normalise(float* data, const float* mean, const float* deviation, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > rows || j > columns) return;
  data[i * (columns + 1) + j] -= mean[j];
  data[i * (columns + 1) + j] /= sqrtf((float)rows) * deviation[j];
}

__device__ __forceinline__ void one_pair(const float* data, float* result, int a, int b, int rows, int columns) {
  result[a * (columns + 1) + b] = 0.0f;
  for (int i = 1; i <= rows; ++i)
    result[a * (columns + 1) + b] += data[i * (columns + 1) + a] * data[i * (columns + 1) + b];
  result[b * (columns + 1) + a] = result[a * (columns + 1) + b];
}

extern "C" __global__ void covariance_product(const float* data, float* result, int rows, int columns) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (a > columns) return;
  for (int b = a; b <= columns; ++b) one_pair(data, result, a, b, rows, columns);
}

// The diagonal is known; that of the last column is the host's.
extern "C" __global__ void correlation_product(const float* data, float* result, int rows, int columns) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (a >= columns) return;
  result[a * (columns + 1) + a] = 1.0f;
  for (int b = a + 1; b <= columns; ++b) one_pair(data, result, a, b, rows, columns);
}
