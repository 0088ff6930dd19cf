// One level of the reversible 5/3 wavelet of JPEG 2000 (ITU-T T.800, annex F) in two dimensions, on whole numbers.
// A CTA of 32 x 8 transforms a tile of 32 x 32 pixels with a border of 2 to the left and above and of 1 to the right and
// below; rows first, then columns. The image is mirrored at its edges. The four bands go to the four quadrants.
#define T 32
#define P (T + 3)  // tile with border

extern "C" __global__ void wavelet_53(const int* image, int* bands, int width, int height) {
  __shared__ int tile[P][P + 1];
  const int left = blockIdx.x * T - 2, top = blockIdx.y * T - 2;
  const int thread = threadIdx.y * T + threadIdx.x;
  for (int i = thread; i < P * P; i += T * 8) {
    int y = top + i / P, x = left + i % P;
    x = x < 0 ? -x : x >= width ? 2 * width - 2 - x : x;
    y = y < 0 ? -y : y >= height ? 2 * height - 2 - y : y;
    tile[i / P][i % P] = image[y * width + x];
  }
  __syncthreads();
  // Detail coefficients at odd positions (tile index 1, 3, ... 33), then smooth ones at even positions (2, 4, ... 32).
  for (int i = thread; i < P * (T / 2 + 1); i += T * 8) {
    const int y = i / (T / 2 + 1), x = 2 * (i % (T / 2 + 1)) + 1;
    tile[y][x] -= (tile[y][x - 1] + tile[y][x + 1]) >> 1;
  }
  __syncthreads();
  for (int i = thread; i < P * (T / 2); i += T * 8) {
    const int y = i / (T / 2), x = 2 * (i % (T / 2)) + 2;
    tile[y][x] += (tile[y][x - 1] + tile[y][x + 1] + 2) >> 2;
  }
  __syncthreads();
  for (int i = thread; i < T * (T / 2 + 1); i += T * 8) {
    const int x = i % T + 2, y = 2 * (i / T) + 1;
    tile[y][x] -= (tile[y - 1][x] + tile[y + 1][x]) >> 1;
  }
  __syncthreads();
  for (int i = thread; i < T * (T / 2); i += T * 8) {
    const int x = i % T + 2, y = 2 * (i / T) + 2;
    tile[y][x] += (tile[y - 1][x] + tile[y + 1][x] + 2) >> 2;
  }
  __syncthreads();
  for (int row = threadIdx.y; row < T; row += 8) {
    const int y = blockIdx.y * T + row, x = blockIdx.x * T + threadIdx.x;
    const int to_y = y / 2 + (y % 2) * (height / 2), to_x = x / 2 + (x % 2) * (width / 2);
    bands[to_y * width + to_x] = tile[row + 2][threadIdx.x + 2];
  }
}
