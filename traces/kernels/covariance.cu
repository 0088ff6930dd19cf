// Covariance and correlation of the columns of a matrix: means, deviations, centred data, and the symmetric product,
// a thread per column, element or column pair's first column.
extern "C" __global__ void column_means(const float* data, float* mean, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0.0f;
  for (int i = 0; i < rows; ++i) sum += data[i * columns + j];
  mean[j] = sum / rows;
}

extern "C" __global__ void column_deviations(const float* data, const float* mean, float* deviation, int rows,
                                             int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0.0f;
  for (int i = 0; i < rows; ++i) {
    const float d = data[i * columns + j] - mean[j];
    sum = fmaf(d, d, sum);
  }
  const float root = sqrtf(sum / rows);
  deviation[j] = root <= 0.005f ? 1.0f : root;
}

extern "C" __global__ void centre(float* data, const float* mean, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns) data[i * columns + j] -= mean[j];
}

extern "C" __global__ void normalise(float* data, const float* mean, const float* deviation, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  data[i * columns + j] = (data[i * columns + j] - mean[j]) / (sqrtf((float)rows) * deviation[j]);
}

extern "C" __global__ void symmetric_product(const float* data, float* result, int rows, int columns) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= columns) return;
  for (int b = a; b < columns; ++b) {
    float sum = 0.0f;
#pragma unroll 8
    for (int i = 0; i < rows; ++i) sum = fmaf(data[i * columns + a], data[i * columns + b], sum);
    result[a * columns + b] = sum;
    result[b * columns + a] = sum;
  }
}
