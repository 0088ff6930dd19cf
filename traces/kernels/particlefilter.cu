// Particle filter, resampling: each particle searches the cumulative weights for its random number and takes over the
// state found there.
extern "C" __global__ void resample(const float* cumulative, const float* wanted, const float* x, const float* y,
                                    float* new_x, float* new_y, int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  int found = particles - 1;
  for (int k = 0; k < particles; ++k) {
    if (cumulative[k] >= wanted[i]) {
      found = k;
      break;
    }
  }
  new_x[i] = x[found];
  new_y[i] = y[found];
}
