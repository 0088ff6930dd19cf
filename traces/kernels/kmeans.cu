// k-means: assignment of points to the nearest centre. Features are stored [point][feature], so that neighbouring
// threads read addresses one row apart, and a transposing kernel makes [feature][point].
extern "C" __global__ void nearest_centre(const float* input, const float* centres, int* membership, int points,
                                          int clusters, int features) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  int best = -1;
  float least = 3.4e38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0.0f;
    for (int f = 0; f < features; ++f) {
      const float d = input[point * features + f] - centres[c * features + f];
      distance = fmaf(d, d, distance);
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  membership[point] = best;
}

extern "C" __global__ void invert_mapping(const float* input, float* output, int points, int features) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  for (int f = 0; f < features; ++f) output[point + points * f] = input[point * features + f];
}
