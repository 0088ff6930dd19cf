// Kernels as textbooks and samples have them, for tb/system/unseen_kernels_test.cpp. No workload uses them.
//   nvcc -ptx -std=c++17 -arch=compute_80 -O3 unseen.cu -o unseen_sm80.ptx
//   nvcc -ptx -std=c++17 -arch=compute_90 -Xcicc -O0 unseen.cu -o unseen_sm90_O0.ptx
//   nvcc -ptx -std=c++17 -arch=compute_100 -O3 unseen.cu -o unseen_sm100.ptx
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void transpose(float* out, const float* in, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

__constant__ float weights[5];  // set by the host

extern "C" __global__ void convolve(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = -2; k <= 2; ++k) {
    int at = min(max(i + k, 0), n - 1);
    sum = fmaf(weights[k + 2], in[at], sum);
  }
  out[i] = sum;
}

extern "C" __global__ void bitonic_sort(u32* keys) {
  extern __shared__ u32 s[];
  s[threadIdx.x] = keys[threadIdx.x];
  for (u32 size = 2; size <= blockDim.x; size *= 2)
    for (u32 stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      u32 other = threadIdx.x ^ stride;
      if (other > threadIdx.x) {
        bool up = (threadIdx.x & size) == 0;
        if ((s[threadIdx.x] > s[other]) == up) {
          u32 t = s[threadIdx.x];
          s[threadIdx.x] = s[other];
          s[other] = t;
        }
      }
    }
  __syncthreads();
  keys[threadIdx.x] = s[threadIdx.x];
}

__device__ __noinline__ int warp_scan(int v) {
  for (int d = 1; d < 32; d *= 2) {
    int t = __shfl_up_sync(0xffffffff, v, d);
    if ((threadIdx.x & 31) >= d) v += t;
  }
  return v;
}
extern "C" __global__ void block_scan(const int* in, int* out) {
  __shared__ int sums[32];
  int v = warp_scan(in[threadIdx.x]);
  if ((threadIdx.x & 31) == 31) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) sums[threadIdx.x] = warp_scan(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
  __syncthreads();
  out[threadIdx.x] = threadIdx.x < 32 ? v : v + sums[threadIdx.x / 32 - 1];
}

// Every tile of 8 has a member mask of its own.
extern "C" __global__ void tiles(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int v = in[block.thread_rank()];
  int* o = out + block.thread_rank() * 7;
  o[0] = cg::reduce(tile, v, cg::plus<int>());
  o[1] = cg::reduce(tile, v, cg::greater<int>());
  o[2] = tile.any(v > 90);
  o[3] = tile.all(v > 5);
  o[4] = tile.ballot(v & 1);
  o[5] = tile.match_any(v % 3);
  o[6] = tile.shfl_xor(v, 3);
}

extern "C" __global__ void atomics(u32* g, u64* l, __half2* h, const u32* in) {
  __shared__ u32 s[4];
  if (threadIdx.x < 4) s[threadIdx.x] = 0;
  __syncthreads();
  u32 v = in[threadIdx.x];
  atomicAdd(&g[0], v);
  atomicMin(&g[1], v);
  atomicMax((int*)&g[2], (int)v);
  atomicXor(&g[3], v);
  atomicInc(&g[4], 37u);
  atomicDec(&g[5], 41u);
  atomicAdd(&s[v & 3], 1u);
  atomicMax(&l[0], (u64)v * v);
  atomicAdd(&l[1], (u64)v << 16);
  atomicAdd(h, __floats2half2_rn(1.0f, 0.5f));
  float* f = (float*)&g[10];
  atomicAdd(f, 0.25f);
  int old = g[11], seen;  // the largest by a loop of compare and swap
  do {
    seen = old;
    old = atomicCAS((int*)&g[11], seen, max(seen, (int)(v & 0xffff)));
  } while (old != seen);
  __syncthreads();
  if (threadIdx.x < 4) g[6 + threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void bits(const u32* a, const u32* b, u32* out) {
  u32 x = a[threadIdx.x], y = b[threadIdx.x];
  u32* o = out + threadIdx.x * 12;
  o[0] = __brev(x);
  o[1] = __byte_perm(x, y, y & 0x7777);
  o[2] = __funnelshift_l(x, y, y);
  o[3] = __funnelshift_rc(x, y, y & 63);
  o[4] = __umulhi(x, y);
  o[5] = __dp4a((int)x, (int)y, 5);
  o[6] = __dp2a_hi((int)x, (int)y, 5);
  o[7] = __vabsdiffu4(x, y);
  o[8] = __usad(x, y, 9u);
  o[9] = __ffs(x) + 100 * __clz(y) + 10000 * __popc(x ^ y);
  u32 p;
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(p) : "r"(x), "r"(y), "r"(y & 3));
  o[10] = p;
  asm("bfe.s32 %0, %1, %2, 7;" : "=r"(p) : "r"(x), "r"(y & 31));
  o[11] = p;
}

extern "C" __global__ void wide(const u64* a, u64* out) {
  typedef unsigned __int128 u128;
  u64 x = a[threadIdx.x], y = a[threadIdx.x + 32];
  u128 v = (u128)x << 64 | y, w = ((u128)y << 64 | x) >> 5;
  u128 r[4] = {v + w, v - w, v * w, v >> (x & 127)};
  for (int i = 0; i < 4; ++i) {
    out[threadIdx.x * 8 + 2 * i] = (u64)r[i];
    out[threadIdx.x * 8 + 2 * i + 1] = (u64)(r[i] >> 64);
  }
}

extern "C" __global__ void conversions(const float* in, int* out, unsigned short* h) {
  float x = in[threadIdx.x];
  int* o = out + threadIdx.x * 6;
  o[0] = __float2int_rn(x);
  o[1] = __float2int_ru(x);
  o[2] = __float2int_rd(x);
  o[3] = (int)__float2uint_rz(x);
  o[4] = __float_as_int(__saturatef(x));
  o[5] = (int)__double2ll_rn((double)x * 3);
  h[threadIdx.x * 3] = __half_as_ushort(__float2half_rn(x));
  h[threadIdx.x * 3 + 1] = __half_as_ushort(__float2half_rz(x));
  h[threadIdx.x * 3 + 2] = __bfloat16_as_ushort(__float2bfloat16_rz(x));
}

struct Span {
  int low, high, values[6];
};
__device__ __noinline__ Span span_of(const int* p, int n) {
  Span s;
  s.low = s.high = p[0];
  for (int i = 0; i < 6; ++i) s.values[i] = p[i] * i;
  for (int i = 1; i < n; ++i) {
    if (p[i] < s.low) s.low = p[i];
    if (p[i] > s.high) s.high = p[i];
  }
  return s;
}
__device__ __noinline__ int collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    if (++steps > 60) return -1;
  }
  return steps;
}
extern "C" __global__ void calls(const int* in, int* out) {
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = in[(threadIdx.x * 7 + i * 3) & 63];
  Span s = span_of(local, 16);
  if (threadIdx.x == 70) printf("never %d\n", s.low);
  int r;
  switch (local[5] % 9) {
    case 0: r = s.low; break;
    case 1: r = s.high; break;
    case 2: r = 7;
    case 3: r = local[2] * 2; break;
    case 4: r = collatz(threadIdx.x + 1); break;
    case 5: r = -local[3]; break;
    case 6: r = s.values[threadIdx.x % 6]; break;
    case 7: out[threadIdx.x] = 99; return;
    default: r = 1234;
  }
  out[threadIdx.x] = r;
}

extern "C" __global__ void tree_sum(const int2* children, const int* value, const int* limit, int* out) {
  int stack[32], top = 0, sum = 0;
  stack[top++] = 0;
  while (top) {
    int node = stack[--top];
    sum += value[node];
    if (sum > limit[threadIdx.x]) break;
    int2 c = children[node];
    if (c.y >= 0) stack[top++] = c.y;
    if (c.x < 0 || value[node] % 7 == 3) continue;
    stack[top++] = c.x;
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void halves(__half2* data, __nv_bfloat16* brain) {
  __half2 a = data[threadIdx.x], one = __float2half2_rn(1.0f);
  __half2 r = __hfma2(a, a, one);
  if (__hgt(__low2half(a), __high2half(a))) r = __lowhigh2highlow(r);
  data[threadIdx.x] = __hmul2(r, __hgt2(a, one));
  brain[threadIdx.x] = __hmul(brain[threadIdx.x], __float2bfloat16(1.5f));
}

__device__ int arrived;
extern "C" __global__ void last_block(const int* in, int* partial, int* out, int n) {
  __shared__ bool last;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  sum += __shfl_xor_sync(~0u, sum, 16);
  sum += __shfl_xor_sync(~0u, sum, 8);
  sum += __shfl_xor_sync(~0u, sum, 4);
  sum += __shfl_xor_sync(~0u, sum, 2);
  sum += __shfl_xor_sync(~0u, sum, 1);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  int all = threadIdx.x < gridDim.x ? ((volatile int*)partial)[threadIdx.x] : 0;
  for (int d = 16; d > 0; d /= 2) all += __shfl_down_sync(~0u, all, d);
  if (threadIdx.x == 0) *out = all;
}

extern "C" __global__ void named_barriers(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x, half = t / 64;
  s[t] = in[t];
  asm volatile("bar.sync %0, 64;" ::"r"(1 + half) : "memory");
  int v = s[half * 64 + 63 - t % 64];
  int odd = __syncthreads_count(in[t] & 1);
  out[t] = v + 1000 * odd + 100000 * __syncthreads_or(in[t] == 5);
}

// Not interpreted: a file that holds it serves the other kernels all the same.
extern "C" __global__ void textured(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }
