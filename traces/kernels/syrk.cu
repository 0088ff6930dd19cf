// Symmetric rank-k update, a thread per element. Neighbouring threads walk neighbouring rows of A: a row apart. The
// running sum stays in global memory.
extern "C" __global__ void syrk(const float* a, float* c, float alpha, float beta, int n, int m) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  c[i * n + j] *= beta;
  for (int k = 0; k < m; ++k) c[i * n + j] = fmaf(alpha * a[i * m + k], a[j * m + k], c[i * n + j]);
}
