// One level of the reversible 5/3 wavelet of JPEG 2000 (ITU-T T.800, annex F) in two dimensions, on whole numbers. The
// image is cut into tiles of 64 x 64 that are transformed on their own, mirrored at their edges, as that standard's
// tiles are: a CTA of 32 x 8 per tile, rows first, then columns. Each tile's four bands go to its four quadrants.
#define T 64

__device__ __forceinline__ int mirror(int i) { return i >= T ? 2 * T - 2 - i : i < 0 ? -i : i; }

extern "C" __global__ void wavelet_53(const int* image, int* bands, int width) {
  __shared__ int tile[T][T + 1];
  const int corner = blockIdx.y * T * width + blockIdx.x * T;
  const int thread = threadIdx.y * 32 + threadIdx.x;
  for (int i = thread; i < T * T; i += 256) tile[i / T][i % T] = image[corner + i / T * width + i % T];
  __syncthreads();
  for (int i = thread; i < T * T / 2; i += 256) {  // detail at odd places, from both even neighbours
    const int y = i % T, x = 2 * (i / T) + 1;
    tile[y][x] -= (tile[y][x - 1] + tile[y][mirror(x + 1)]) >> 1;
  }
  __syncthreads();
  for (int i = thread; i < T * T / 2; i += 256) {  // smooth at even places, from both details
    const int y = i % T, x = 2 * (i / T);
    tile[y][x] += (tile[y][mirror(x - 1)] + tile[y][x + 1] + 2) >> 2;
  }
  __syncthreads();
  for (int i = thread; i < T * T / 2; i += 256) {
    const int x = i % T, y = 2 * (i / T) + 1;
    tile[y][x] -= (tile[y - 1][x] + tile[mirror(y + 1)][x]) >> 1;
  }
  __syncthreads();
  for (int i = thread; i < T * T / 2; i += 256) {
    const int x = i % T, y = 2 * (i / T);
    tile[y][x] += (tile[mirror(y - 1)][x] + tile[y + 1][x] + 2) >> 2;
  }
  __syncthreads();
  for (int i = thread; i < T * T; i += 256) {
    const int y = i / T, x = i % T;  // of the result: smooth half first
    bands[corner + y * width + x] = tile[2 * y % T + 2 * y / T][2 * x % T + 2 * x / T];
  }
}
