// Gaussian elimination without pivoting: multipliers of one column, then the update of the rest, a launch pair a column.
// Neighbouring threads take neighbouring rows: a row of the matrix apart.
extern "C" __global__ void multipliers(const float* a, float* m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (i < n) m[i * n + k] = a[i * n + k] / a[k * n + k];
}

extern "C" __global__ void eliminate(float* a, float* b, const float* m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1, j = blockIdx.y * blockDim.y + threadIdx.y + k;
  if (i >= n || j >= n) return;
  a[i * n + j] = fmaf(-m[i * n + k], a[k * n + j], a[i * n + j]);
  if (j == k) b[i] = fmaf(-m[i * n + k], b[k], b[i]);
}
