// Speckle-reducing anisotropic diffusion (Yu, Acton 2002), two kernels a round: diffusion coefficients from the gradient
// and Laplacian, then the divergence. A CTA of 16 x 16 keeps its tile in shared memory, and the lines of pixels beyond
// its four sides as well; every thread loads one of each side, though only the outermost use them. Borders are mirrored.
#define T 16

extern "C" __global__ void srad_coefficient(const float* image, float* north, float* south, float* west, float* east,
                                            float* coefficient, int rows, int columns, float q0) {
  __shared__ float tile[T][T], above[T][T], below[T][T], left[T][T], right[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first = blockIdx.y * T * columns + blockIdx.x * T, at = first + y * columns + x;
  above[y][x] = image[first + x - (blockIdx.y == 0 ? 0 : columns)];
  below[y][x] = image[first + x + (blockIdx.y == gridDim.y - 1 ? T - 1 : T) * columns];
  __syncthreads();
  left[y][x] = image[first + y * columns - (blockIdx.x == 0 ? 0 : 1)];
  right[y][x] = image[first + y * columns + (blockIdx.x == gridDim.x - 1 ? T - 1 : T)];
  __syncthreads();
  tile[y][x] = image[at];
  __syncthreads();
  const float here = tile[y][x];
  const float n = (y == 0 ? above[y][x] : tile[y - 1][x]) - here, s = (y == T - 1 ? below[y][x] : tile[y + 1][x]) - here;
  const float w = (x == 0 ? left[y][x] : tile[y][x - 1]) - here, e = (x == T - 1 ? right[y][x] : tile[y][x + 1]) - here;
  const float gradient = (n * n + s * s + w * w + e * e) / (here * here);
  const float laplace = (n + s + w + e) / here;
  const float numerator = 0.5f * gradient - 0.0625f * (laplace * laplace), denominator = 1.0f + 0.25f * laplace;
  const float q = numerator / (denominator * denominator);
  const float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  coefficient[at] = fminf(fmaxf(c, 0.0f), 1.0f);
  east[at] = e;
  west[at] = w;
  south[at] = s;
  north[at] = n;
}

extern "C" __global__ void srad_update(float* image, const float* north, const float* south, const float* west,
                                       const float* east, const float* coefficient, int rows, int columns,
                                       float lambda) {
  __shared__ float tile[T][T], c[T][T], below[T][T], right[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first = blockIdx.y * T * columns + blockIdx.x * T, at = first + y * columns + x;
  tile[y][x] = image[at];
  __syncthreads();
  below[y][x] = coefficient[first + x + (blockIdx.y == gridDim.y - 1 ? T - 1 : T) * columns];
  __syncthreads();
  right[y][x] = coefficient[first + y * columns + (blockIdx.x == gridDim.x - 1 ? T - 1 : T)];
  __syncthreads();
  c[y][x] = coefficient[at];
  __syncthreads();
  const float to_south = y == T - 1 ? below[y][x] : c[y + 1][x], to_east = x == T - 1 ? right[y][x] : c[y][x + 1];
  const float sum = c[y][x] * north[at] + to_south * south[at] + c[y][x] * west[at] + to_east * east[at];
  image[at] = tile[y][x] + 0.25f * lambda * sum;
}
