// Speckle-reducing anisotropic diffusion (Yu, Acton 2002) over an image that lies column by column, a thread per pixel;
// neighbours come from arrays of row and column numbers. Five kernels: the image is made exponential, and each round takes
// sums of the image and of its squares, tree by tree, then diffusion coefficients, then the divergence.
#define CTA 512

extern "C" __global__ void extract(float* image, int pixels) {
  const int at = blockIdx.x * CTA + threadIdx.x;
  if (at < pixels) image[at] = expf(image[at] / 255.0f);
}

extern "C" __global__ void prepare(const float* image, float* sums, float* squares, int pixels) {
  const int at = blockIdx.x * CTA + threadIdx.x;
  if (at >= pixels) return;
  sums[at] = image[at];
  squares[at] = image[at] * image[at];
}

// Sums of 512 numbers each, `apart` from one to the next, where the first of them lies.
extern "C" __global__ void reduce(float* sums, float* squares, int numbers, int apart) {
  __shared__ float sum[CTA], square[CTA];
  const int t = threadIdx.x, i = blockIdx.x * CTA + t;
  sum[t] = i < numbers ? sums[i * apart] : 0.0f;
  square[t] = i < numbers ? squares[i * apart] : 0.0f;
  __syncthreads();
  for (int step = 2; step <= CTA; step *= 2) {
    if ((t + 1) % step == 0) {
      sum[t] += sum[t - step / 2];
      square[t] += square[t - step / 2];
    }
    __syncthreads();
  }
  if (t == CTA - 1) {
    sums[blockIdx.x * apart * CTA] = sum[t];
    squares[blockIdx.x * apart * CTA] = square[t];
  }
}

extern "C" __global__ void coefficients(const float* image, const int* north_of, const int* south_of,
                                        const int* west_of, const int* east_of, float* north, float* south,
                                        float* west, float* east, float* coefficient, int rows, int pixels, float q0) {
  const int at = blockIdx.x * CTA + threadIdx.x;
  const int row = at % rows, column = at / rows;
  if (at >= pixels) return;
  const float here = image[at];
  const float n = image[north_of[row] + rows * column] - here, s = image[south_of[row] + rows * column] - here;
  const float w = image[row + rows * west_of[column]] - here, e = image[row + rows * east_of[column]] - here;
  const float gradient = (n * n + s * s + w * w + e * e) / (here * here);
  const float laplace = (n + s + w + e) / here;
  const float numerator = 0.5f * gradient - 0.0625f * (laplace * laplace), denominator = 1.0f + 0.25f * laplace;
  const float q = numerator / (denominator * denominator);
  const float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  north[at] = n;
  south[at] = s;
  west[at] = w;
  east[at] = e;
  coefficient[at] = fminf(fmaxf(c, 0.0f), 1.0f);
}

extern "C" __global__ void diffuse(float* image, const int* south_of, const int* east_of, const float* north,
                                   const float* south, const float* west, const float* east, const float* coefficient,
                                   int rows, int pixels, float lambda) {
  const int at = blockIdx.x * CTA + threadIdx.x;
  const int row = at % rows, column = at / rows;
  if (at >= pixels) return;
  const float c = coefficient[at], below = coefficient[south_of[row] + rows * column];
  const float right = coefficient[row + rows * east_of[column]];
  image[at] += 0.25f * lambda * (c * north[at] + below * south[at] + c * west[at] + right * east[at]);
}

extern "C" __global__ void compress(float* image, int pixels) {
  const int at = blockIdx.x * CTA + threadIdx.x;
  if (at < pixels) image[at] = logf(image[at]) * 255.0f;
}
