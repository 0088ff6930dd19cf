// Particle filter that follows a disk through the frames of a video, a thread per particle: likelihood (the brightness of
// the frame under the disk, gathered through an array of places), sum and normalising of the weights, and resampling by a
// search of the cumulative weights. Everything but the video is double.
#define CTA 512

__device__ __forceinline__ double uniform(int* seed, int i) {
  const int next = 1103515245 * seed[i] + 12345;
  seed[i] = next % 2147483647;
  return fabs(seed[i] / 2147483647.0);
}

__device__ __forceinline__ double normal(int* seed, int i) {
  const double u = uniform(seed, i), v = uniform(seed, i);
  return sqrt(-2 * log(u)) * cospi(2 * v);
}

extern "C" __global__ void likelihood(double* x, double* y, const double* old_x, const double* old_y, int* place,
                                      const int* disk, double* fit, const unsigned char* video, double* weight,
                                      int* seed, double* partial, int particles, int ones, int pixels, int frame,
                                      int height, int frames) {
  __shared__ double sums[CTA];
  const int t = threadIdx.x, i = blockIdx.x * CTA + t;
  if (i < particles) {
    x[i] = old_x[i];
    y[i] = old_y[i];
    weight[i] = 1 / (double)particles;
    x[i] = x[i] + 1.0 + 5.0 * normal(seed, i);
    y[i] = y[i] - 2.0 + 2.0 * normal(seed, i);
  }
  __syncthreads();
  if (i < particles) {
    for (int k = 0; k < ones; ++k) {
      const int px = (int)x[i] + disk[2 * k + 1], py = (int)y[i] + disk[2 * k];
      place[i * ones + k] = abs(px * height * frames + py * frames + frame);
      if (place[i * ones + k] >= pixels) place[i * ones + k] = 0;
    }
    double sum = 0;
    for (int k = 0; k < ones; ++k) {
      const double dark = video[place[i * ones + k]] - 100, bright = video[place[i * ones + k]] - 228;
      sum += (pow(dark, 2) - pow(bright, 2)) / 50.0;
    }
    fit[i] = sum;
    fit[i] = fit[i] / ones;
    weight[i] = weight[i] * exp(fit[i]);
  }
  sums[t] = i < particles ? weight[i] : 0.0;
  __syncthreads();
  for (int half = CTA / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = sums[0];
}

extern "C" __global__ void sum_weights(double* partial, int particles) {
  if (blockIdx.x * CTA + threadIdx.x != 0) return;
  double sum = 0;
  for (int k = 0; k < (particles + CTA - 1) / CTA; ++k) sum += partial[k];
  partial[0] = sum;
}

// `first`: the random number that all share.
extern "C" __global__ void normalise_weights(double* weight, const double* partial, double* wanted,
                                             int particles, double first) {
  __shared__ double sum;
  const int i = blockIdx.x * CTA + threadIdx.x;
  if (threadIdx.x == 0) sum = partial[0];
  __syncthreads();
  if (i < particles) weight[i] = weight[i] / sum;
  if (i < particles) wanted[i] = first + i / (double)particles;
}

// One thread makes the cumulative weights; a launch of its own, as other CTAs' weights must be there.
extern "C" __global__ void accumulate_weights(const double* weight, double* cumulative, int particles) {
  if (blockIdx.x * CTA + threadIdx.x != 0) return;
  cumulative[0] = weight[0];
  for (int k = 1; k < particles; ++k) cumulative[k] = weight[k] + cumulative[k - 1];
}

extern "C" __global__ void find_index(const double* x, const double* y, const double* cumulative, const double* wanted,
                                      double* old_x, double* old_y, int particles) {
  const int i = blockIdx.x * CTA + threadIdx.x;
  if (i >= particles) return;
  int found = particles - 1;
  for (int k = 0; k < particles; ++k)
    if (cumulative[k] >= wanted[i]) {
      found = k;
      break;
    }
  old_x[i] = x[found];
  old_y[i] = y[found];
}
