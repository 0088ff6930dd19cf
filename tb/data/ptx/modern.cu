// Kernels with what came after textbooks, for tb/system/modern_kernels_test.cpp. No workload uses them.
//   nvcc -ptx -std=c++17 -arch=compute_80 modern.cu -o modern_sm80.ptx
//   nvcc -ptx -std=c++17 -arch=compute_90 modern.cu -o modern_sm90.ptx
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

extern "C" __global__ void wmma_gemm(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + col * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}
extern "C" __global__ void staged(const float4* in, float4* out, int n) {
  __shared__ float4 buffer[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&buffer[0][t], in + t, 16);
  __pipeline_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) __pipeline_memcpy_async(&buffer[(i + 1) % 2][t], in + (i + 1) * 64 + t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = buffer[i % 2][63 - t];
    v.x += 1;
    out[i * 64 + t] = v;
    __syncthreads();
  }
}
extern "C" __global__ void grid_sum(int* data, int* out, int rounds) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < rounds; ++r) {
    const int from = (grid.thread_rank() + 1) % grid.size();
    const int v = data[from];
    grid.sync();
    data[grid.thread_rank()] = v + 1;
    grid.sync();
  }
  out[grid.thread_rank()] = data[grid.thread_rank()];
}
struct Shape {
  __device__ virtual float area(float x) const = 0;
};
struct Square : Shape {
  __device__ float area(float x) const override { return x * x; }
};
struct Circle : Shape {
  __device__ float area(float x) const override { return 3.0f * x * x; }
};
__device__ __noinline__ int twice(int x) {
  return 2 * x;
}
__device__ __noinline__ int thrice(int x) {
  return 3 * x;
}
typedef int (*Function)(int);
__device__ Function table[2] = {twice, thrice};
extern "C" __global__ void pointers(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = table[in[t] & 1](in[t]);
}
extern "C" __global__ void virtuals(const float* in, float* out) {
  const int t = threadIdx.x;
  Shape* s;
  if (t % 3 == 0)
    s = new Square;
  else
    s = new Circle;
  out[t] = s->area(in[t]);
  delete s;
}
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursive(int* out) {
  out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}
__device__ __noinline__ void quick(int* data, int lo, int hi) {
  if (lo >= hi) return;
  int pivot = data[hi], i = lo;
  for (int j = lo; j < hi; ++j)
    if (data[j] < pivot) {
      int x = data[i];
      data[i] = data[j];
      data[j] = x;
      ++i;
    }
  int x = data[i];
  data[i] = data[hi];
  data[hi] = x;
  quick(data, lo, i - 1);
  quick(data, i + 1, hi);
}
extern "C" __global__ void sorts(int* data, int n) {
  quick(data + threadIdx.x * n, 0, n - 1);
}
extern "C" __global__ void lists(int* out, int n) {
  struct Node {
    int value;
    Node* next;
  };
  Node* head = nullptr;
  for (int i = 0; i < n; ++i) {
    Node* made = (Node*)malloc(sizeof(Node));
    made->value = i * threadIdx.x;
    made->next = head;
    head = made;
  }
  int sum = 0;
  while (head) {
    sum += head->value;
    Node* next = head->next;
    free(head);
    head = next;
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void stacks(int* out, int n) {
  int* a = (int*)alloca(n * sizeof(int));
  for (int i = 0; i < n; ++i) a[i] = i * threadIdx.x;
  int s = 0;
  for (int i = n; i-- > 0;) s = s * 3 + a[i];
  out[threadIdx.x] = s;
}
extern "C" __global__ void fetches(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3,
                                   cudaTextureObject_t l2, cudaSurfaceObject_t s, float* out, float u) {
  const int t = threadIdx.x;
  float v = tex1D<float>(t1, t * u) + tex2D<float>(t2, t * u, 3 * u) + tex3D<float>(t3, t * u, u, u) +
            tex2DLayered<float>(l2, t * u, u, t % 2) + tex1Dfetch<float>(t1, t);
  float w;
  surf2Dread(&w, s, t * 4, 1);
  surf2Dwrite(v, s, t * 4, 2);
  out[t] = v + w;
}
extern "C" __global__ void quarters(const float2* in, unsigned short* out, float2* back) {
  const int t = threadIdx.x;
  out[t] = __nv_cvt_float2_to_fp8x2(in[t], __NV_SATFINITE, __NV_E4M3);
  __half2_raw h = __nv_cvt_fp8x2_to_halfraw2(out[t], __NV_E4M3);
  back[t] = __half22float2(__half2(h));
}
extern "C" __global__ void phases(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    values[threadIdx.x] = in[i * 64 + threadIdx.x];
    auto token = bar.arrive();
    bar.wait(std::move(token));
    out[i * 64 + threadIdx.x] = values[63 - threadIdx.x];
    bar.arrive_and_wait();
  }
}
