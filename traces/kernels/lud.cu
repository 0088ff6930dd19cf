// LU decomposition without pivoting, in place, by blocks of 16 x 16 (right-looking): factor the diagonal block,
// solve the blocks of its row and column, update all that is left. One turn of the host's loop per diagonal block.
#define B 16

extern "C" __global__ void lud_diagonal(float* m, int n, int offset) {
  __shared__ float block[B][B + 1];
  const int t = threadIdx.x;
  for (int i = 0; i < B; ++i) block[i][t] = m[(offset + i) * n + offset + t];
  __syncthreads();
  for (int k = 0; k < B - 1; ++k) {
    if (t > k) {
      const float factor = block[t][k] / block[k][k];
      block[t][k] = factor;
      for (int j = k + 1; j < B; ++j) block[t][j] = fmaf(-factor, block[k][j], block[t][j]);
    }
    __syncthreads();
  }
  for (int i = 1; i < B; ++i) m[(offset + i) * n + offset + t] = block[i][t];
}

// Half of the threads take a block of the row (solve L X = A), half one of the column (solve X U = A).
extern "C" __global__ void lud_perimeter(float* m, int n, int offset) {
  __shared__ float diagonal[B][B + 1], row[B][B + 1], column[B][B + 1];
  const int t = threadIdx.x % B;
  const bool upper = threadIdx.x < B;
  const int start = offset + (blockIdx.x + 1) * B;
  for (int i = 0; i < B; ++i) {
    if (upper) {
      diagonal[i][t] = m[(offset + i) * n + offset + t];
      row[i][t] = m[(offset + i) * n + start + t];
    } else {
      column[i][t] = m[(start + i) * n + offset + t];
    }
  }
  __syncthreads();
  if (upper) {
    for (int i = 1; i < B; ++i) {
      float value = row[i][t];
      for (int k = 0; k < i; ++k) value = fmaf(-diagonal[i][k], row[k][t], value);
      row[i][t] = value;
    }
  } else {
    for (int j = 0; j < B; ++j) {
      float value = column[t][j];
      for (int k = 0; k < j; ++k) value = fmaf(-column[t][k], diagonal[k][j], value);
      column[t][j] = value / diagonal[j][j];
    }
  }
  __syncthreads();
  for (int i = 0; i < B; ++i) {
    if (upper)
      m[(offset + i) * n + start + t] = row[i][t];
    else
      m[(start + i) * n + offset + t] = column[i][t];
  }
}

extern "C" __global__ void lud_internal(float* m, int n, int offset) {
  __shared__ float row[B][B], column[B][B];
  const int x = threadIdx.x, y = threadIdx.y;
  const int i = offset + (blockIdx.y + 1) * B + y, j = offset + (blockIdx.x + 1) * B + x;
  row[y][x] = m[(offset + y) * n + j];
  column[y][x] = m[i * n + offset + x];
  __syncthreads();
  float value = m[i * n + j];
#pragma unroll
  for (int k = 0; k < B; ++k) value = fmaf(-column[y][k], row[k][x], value);
  m[i * n + j] = value;
}
