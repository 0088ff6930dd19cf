// C = A B for several pairs of matrices, through a pipeline of copies to shared memory: for
// pipelines_test.sh. A lies column by column (k x 128), B row by row (k x 64), C (128 x 64) is one tile: a
// thread block multiplies one pair. Of `depth` stages one is multiplied while the others are copied.
//   nvcc -ptx -O3 -std=c++17 -arch=compute_80 pipelined_gemm.cu -o pipelined_gemm_sm80.ptx  (cp.async)
//   nvcc -ptx -O3 -std=c++17 -arch=compute_90 pipelined_gemm.cu -o pipelined_gemm_sm90.ptx  (tensor copies)
#include <cuda.h>
#include <cuda_pipeline.h>

constexpr unsigned rows = 128, columns = 64, deep = 8;  // C, and how much of k a stage holds
constexpr unsigned threads = 128;

struct Stage {
  float a[deep][rows];
  float b[deep][columns];
};

// A thread has 8 x 8 of C: four rows from 4 (thread / 8) on and four 64 further, four columns from
// 4 (thread % 8) on and four 32 further.
__device__ __forceinline__ void multiply(const Stage& stage, float (&sum)[8][8]) {
  const float* a_at = &stage.a[0][threadIdx.x / 8 * 4];
  const float* b_at = &stage.b[0][threadIdx.x % 8 * 4];
#pragma unroll 1
  for (unsigned k = 0; k < deep; ++k, a_at += rows, b_at += columns) {
    float a[8], b[8];
    *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(a_at);
    *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(a_at + rows / 2);
    *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(b_at);
    *reinterpret_cast<float4*>(b + 4) = *reinterpret_cast<const float4*>(b_at + columns / 2);
#pragma unroll
    for (unsigned i = 0; i < 8; ++i)
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
  }
}

__device__ __forceinline__ void store(float* c, const float (&sum)[8][8]) {
  c += (blockIdx.x * rows + threadIdx.x / 8 * 4) * columns + threadIdx.x % 8 * 4;
#pragma unroll
  for (unsigned i = 0; i < 8; ++i)
#pragma unroll
    for (unsigned j = 0; j < 8; j += 4)
      *reinterpret_cast<float4*>(c + (i / 4 * rows / 2 + i % 4) * columns + j / 4 * columns / 2) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

#if __CUDA_ARCH__ < 900

__device__ __forceinline__ void wait_for_all_but(unsigned newer) {
  if (newer == 0)
    __pipeline_wait_prior(0);
  else if (newer == 1)
    __pipeline_wait_prior(1);
  else
    __pipeline_wait_prior(2);
}

// depth: 1 to 3
extern "C" __global__ void __launch_bounds__(threads)
    gemm_async(const float* a, const float* b, float* c, unsigned k, unsigned depth) {
  extern __shared__ __align__(128) Stage stages[];
  const unsigned t = threadIdx.x;
  a += (blockIdx.x * k + t / 32) * rows + t % 32 * 4;
  b += (blockIdx.x * k + t / 16) * columns + t % 16 * 4;
  const auto fetch = [&](Stage& stage) {
#pragma unroll
    for (unsigned row = 0; row < deep; row += threads / 32)
      __pipeline_memcpy_async(&stage.a[row + t / 32][t % 32 * 4], a + row * rows, 16);
#pragma unroll
    for (unsigned row = 0; row < deep; row += threads / 16)
      __pipeline_memcpy_async(&stage.b[row + t / 16][t % 16 * 4], b + row * columns, 16);
    a += deep * rows;
    b += deep * columns;
  };
  const unsigned tiles = k / deep, ahead = depth - 1;
#pragma unroll 1
  for (unsigned i = 0; i < ahead; ++i) {
    fetch(stages[i]);
    __pipeline_commit();
  }
  float sum[8][8] = {};
  unsigned to = ahead, from = 0;
#pragma unroll 1
  for (unsigned i = 0; i < tiles; ++i) {
    if (i + ahead < tiles) fetch(stages[to]);
    __pipeline_commit();
    wait_for_all_but(ahead);
    __syncthreads();
    multiply(stages[from], sum);
    __syncthreads();
    to = to == ahead ? 0 : to + 1;
    from = from == ahead ? 0 : from + 1;
  }
  store(c, sum);
}

#else

__device__ __forceinline__ unsigned shared(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// A box of a tensor of two dimensions; `landed` hears of its bytes.
__device__ __forceinline__ void copy(void* to, const CUtensorMap& map, unsigned x, unsigned y,
                                     const unsigned long long& landed) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared(to)),
      "l"(&map), "r"(x), "r"(y), "r"(shared(&landed))
      : "memory");
}
__device__ __forceinline__ void wait(const unsigned long long& landed, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra "
      "again;\n}" ::"r"(shared(&landed)),
      "r"(parity)
      : "memory");
}

// depth: 1 to 4
extern "C" __global__ void __launch_bounds__(threads)
    gemm_bulk(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c,
              unsigned k, unsigned depth) {
  extern __shared__ __align__(128) Stage stages[];
  __shared__ unsigned long long landed[4];
  const unsigned t = threadIdx.x;
  const auto fetch = [&](unsigned stage, unsigned tile) {
    if (t != 0) return;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&landed[stage])),
                 "n"(sizeof(Stage))
                 : "memory");
    copy(stages[stage].a, a, 0, blockIdx.x * k + tile * deep, landed[stage]);
    copy(stages[stage].b, b, 0, blockIdx.x * k + tile * deep, landed[stage]);
  };
  const unsigned tiles = k / deep, ahead = depth - 1;
  if (t < depth) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&landed[t])) : "memory");
  __syncthreads();
#pragma unroll 1
  for (unsigned i = 0; i < ahead; ++i) fetch(i, i);
  float sum[8][8] = {};
  unsigned to = ahead, from = 0, parity = 0;
#pragma unroll 1
  for (unsigned i = 0; i < tiles; ++i) {
    if (i + ahead < tiles) fetch(to, i + ahead);
    wait(landed[from], parity);
    multiply(stages[from], sum);
    __syncthreads();
    to = to == ahead ? 0 : to + 1;
    if (from == ahead) parity ^= 1;
    from = from == ahead ? 0 : from + 1;
  }
  store(c, sum);
}

#endif
