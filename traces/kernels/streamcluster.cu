// Streaming clustering: what would be saved if a candidate became a centre, a thread per point. Coordinates are
// [dimension][point]. A point is eight numbers: weight, two of no use here, the point that is its centre (in place 4), and
// its cost (in place 6). Each point has a row of sums, one for each centre and one for the candidate.
extern "C" __global__ void gain(const float* points, const float* coordinates, float* sums, const int* centre_number,
                                unsigned char* moves, int count, int dimensions, int candidate, int centres,
                                int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float* row = sums + i * stride;
  float distance = 0.0f;
  for (int d = 0; d < dimensions; ++d) {
    const float difference = coordinates[d * count + i] - coordinates[d * count + candidate];
    distance = fmaf(difference, difference, distance);
  }
  const float cost = distance * points[8 * i];
  if (cost < points[8 * i + 6]) {
    moves[i] = 1;
    row[centres] += cost - points[8 * i + 6];
  } else {
    row[centre_number[(int)points[8 * i + 4]]] += points[8 * i + 6] - cost;
  }
}
