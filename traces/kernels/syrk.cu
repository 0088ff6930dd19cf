// Symmetric rank-k update, a thread per element: C = alpha A A' + beta C.
extern "C" __global__ void syrk(const float* a, float* c, float alpha, float beta, int n, int m) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = 0.0f;
#pragma unroll 8
  for (int k = 0; k < m; ++k) sum = fmaf(a[i * m + k], a[j * m + k], sum);
  c[i * n + j] = fmaf(alpha, sum, beta * c[i * n + j]);
}
