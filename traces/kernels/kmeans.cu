// k-means, the assignment of points to the nearest centre. The points arrive as rows [point][feature]; the first kernel
// turns them into columns [feature][point]: neighbouring lanes read addresses a whole row apart, each line again in
// the next turn of the loop (Li et al., ICS 2016, Figure 3). The second kernel then reads neighbours, by the texture
// path, and centres from constant memory, as published.
__constant__ float centres[32 * 34];

extern "C" __global__ void rows_to_columns(const float* rows, float* columns, int points, int features) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  for (int f = 0; f < features; ++f) columns[f * points + point] = rows[point * features + f];
}

extern "C" __global__ void nearest_centre(const float* columns, int* membership, int points, int clusters,
                                          int features) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  int best = -1;
  float least = 3.4e38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0.0f;
    for (int f = 0; f < features; ++f) {
      const float d = __ldg(columns + f * points + point) - centres[c * features + f];
      distance = fmaf(d, d, distance);
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  membership[point] = best;
}
