// Speckle-reducing anisotropic diffusion (Yu, Acton 2002), two kernels an iteration: diffusion coefficients from the
// gradient and Laplacian, then the divergence. Borders are mirrored.
extern "C" __global__ void srad_coefficient(const float* image, float* north, float* south, float* west, float* east,
                                            float* coefficient, int rows, int columns, float q0) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  const int at = i * columns + j;
  const float c = image[at];
  const float n = image[(i > 0 ? i - 1 : i) * columns + j] - c;
  const float s = image[(i < rows - 1 ? i + 1 : i) * columns + j] - c;
  const float w = image[i * columns + (j > 0 ? j - 1 : j)] - c;
  const float e = image[i * columns + (j < columns - 1 ? j + 1 : j)] - c;
  const float gradient = (n * n + s * s + w * w + e * e) / (c * c);
  const float laplace = (n + s + w + e) / c;
  const float numerator = 0.5f * gradient - 0.0625f * laplace * laplace;
  const float denominator = 1.0f + 0.25f * laplace;
  const float q = numerator / (denominator * denominator);
  const float d = (q - q0) / (q0 * (1.0f + q0));
  north[at] = n;
  south[at] = s;
  west[at] = w;
  east[at] = e;
  coefficient[at] = fminf(fmaxf(1.0f / (1.0f + d), 0.0f), 1.0f);
}

extern "C" __global__ void srad_update(float* image, const float* north, const float* south, const float* west,
                                       const float* east, const float* coefficient, int rows, int columns,
                                       float lambda) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  const int at = i * columns + j;
  const float here = coefficient[at];
  const float below = coefficient[(i < rows - 1 ? i + 1 : i) * columns + j];
  const float right = coefficient[i * columns + (j < columns - 1 ? j + 1 : j)];
  const float divergence = here * north[at] + below * south[at] + here * west[at] + right * east[at];
  image[at] += 0.25f * lambda * divergence;
}
