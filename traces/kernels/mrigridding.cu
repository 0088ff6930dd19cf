// Gridding of samples onto a regular grid (MRI). Samples are put into bins, one for each cell of the grid, and brought into
// the order of their bins; sort and scan between are the host's. Then each grid point gathers the samples around it: a CTA
// of 8 x 4 x 2 threads, each with four points along z, goes through the rows of bins nearby by way of shared memory.
struct Sample {
  float real, imag, x, y, z, weight;
};

extern "C" __global__ void bin_samples(const Sample* samples, unsigned* keys, unsigned* numbers, unsigned* counts,
                                       unsigned number, unsigned most, int size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= number) return;
  const Sample s = samples[i];
  const unsigned bin = ((unsigned)s.z * size + (unsigned)s.y) * size + (unsigned)s.x;
  unsigned key = size * size * size;  // the bin is full
  if (counts[bin] < most) {
    if (atomicAdd(counts + bin, 1u) < most)
      key = bin;
    else
      atomicSub(counts + bin, 1u);
  }
  keys[i] = key;
  numbers[i] = i;
}

extern "C" __global__ void reorder_samples(const Sample* samples, const unsigned* order, float2* values, float4* places,
                                           unsigned number) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= number) return;
  const Sample s = samples[order[i]];
  values[i] = make_float2(s.real, s.imag);
  places[i] = make_float4(s.x, s.y, s.z, s.weight);
}

// Of a Kaiser-Bessel window: the series of the modified Bessel function of order zero, `quarter` is a quarter of its
// argument's square.
static __device__ float window(float quarter) {
  float sum = 0.0f;
  for (int k = 13; k > 0; --k) sum = (sum + 1.0f) * quarter * (1.0f / (k * k));
  return sum + 1.0f;
}

extern "C" __global__ void grid_samples(const float2* values, const float4* places, const unsigned* begins, float2* grid,
                                        float* density, int size, float cutoff, float beta) {
  constexpr int tile = 64, points = 4;
  __shared__ float real[tile], imag[tile], x[tile], y[tile], z[tile], weight[tile];
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int rows = size / blockDim.y;
  const int x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y % rows * blockDim.y,
            z0 = blockIdx.y / rows * blockDim.z * points;
  const int reach = (int)ceilf(cutoff);
  const int x_begin = max(x0 - reach, 0), x_end = min((int)(x0 + blockDim.x + cutoff), size - 1);
  const int y_begin = max(y0 - reach, 0), y_end = min((int)(y0 + blockDim.y + cutoff), size - 1);
  const int z_begin = max(z0 - reach, 0), z_end = min((int)(z0 + points * blockDim.z + cutoff), size - 1);
  const int px = x0 + threadIdx.x, py = y0 + threadIdx.y, pz = z0 + threadIdx.z;
  const float squared = cutoff * cutoff;
  float2 sum[points] = {};
  float count[points] = {};
  for (int bz = z_begin; bz <= z_end; ++bz) {
    for (int by = y_begin; by <= y_end; ++by) {
      const unsigned* const row = begins + (bz * size + by) * size;
      const unsigned begin = row[x_begin], end = row[x_end + 1];
      for (unsigned first = begin; first < end; first += tile) {
        const int here = min(end - first, (unsigned)tile);
        __syncthreads();
        if (thread < here) {
          const float2 value = values[first + thread];
          const float4 place = places[first + thread];
          real[thread] = value.x;
          imag[thread] = value.y;
          x[thread] = place.x;
          y[thread] = place.y;
          z[thread] = place.z;
          weight[thread] = place.w;
        }
        __syncthreads();
        for (int j = 0; j < here; ++j) {
          const float w = weight[j];
          if ((real[j] == 0.0f && imag[j] == 0.0f) || w == 0.0f) continue;
          const float across = (x[j] - px) * (x[j] - px) + (y[j] - py) * (y[j] - py);
#pragma unroll
          for (int p = 0; p < points; ++p) {
            const float along = z[j] - (pz + p * (int)blockDim.z);
            const float distance = across + along * along;
            if (distance >= squared) continue;
            const float share = window(beta * beta * 0.25f * (1.0f - distance / squared)) * w;
            sum[p].x += share * real[j];
            sum[p].y += share * imag[j];
            count[p] += 1.0f;
          }
        }
      }
    }
  }
  for (int p = 0; p < points; ++p) {
    const int at = ((pz + p * blockDim.z) * size + py) * size + px;
    grid[at] = sum[p];
    density[at] = count[p];
  }
}
