// Streaming clustering: what each point would save by moving to a candidate centre. Coordinates are [dimension][point].
extern "C" __global__ void gain(const float* coordinates, const float* weight, const float* cost, const int* centre,
                                float* saved, int points, int dimensions, int candidate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  float distance = 0.0f;
  for (int d = 0; d < dimensions; ++d) {
    const float difference = coordinates[d * points + i] - coordinates[d * points + candidate];
    distance = fmaf(difference, difference, distance);
  }
  const float gained = cost[i] - distance * weight[i];
  if (gained > 0.0f && centre[i] != candidate) saved[i] = gained;
}
