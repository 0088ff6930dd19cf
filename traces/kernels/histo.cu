// Histogram of values that are few for its bins and lie close together; bins stop at 255. A first kernel estimates from samples
// in which ranges of bins nearly all values lie; a second writes each value's place: range, row, word, first bit of the byte.
// Then a CTA per range and share of the values counts in bytes of shared memory, and a last kernel adds up the shares. Values of
// other ranges are counted by atomic additions; bytes that wrap are corrected in 32 bits.
constexpr unsigned rows = 24, row_words = 256, range_bins = rows * row_words * 4;
constexpr unsigned samplers = 512, unrolled = 16, shares = 14;

// ranges[0] and [1]: the lowest and the highest within ten deviations of the mean. Deviations are the mean of the threads' own.
extern "C" __global__ void find_ranges(const unsigned* values, int number, unsigned* ranges) {
  __shared__ float means[samplers], deviations[samplers];
  const int part = number / gridDim.x;
  const int first = blockIdx.x * part + threadIdx.x, end = blockIdx.x * part + part / 8;
  float sum = 0.0f;
  unsigned count = 0;
  for (int i = first; i < end; i += blockDim.x, ++count) sum += values[i];
  const float mean = sum / count;
  float squares = 0.0f;
  for (int i = first; i < end; i += blockDim.x) squares += (values[i] - mean) * (values[i] - mean);
  means[threadIdx.x] = mean;
  deviations[threadIdx.x] = sqrtf(squares / count);
  for (unsigned half = samplers / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    means[threadIdx.x] += means[threadIdx.x + half];
    deviations[threadIdx.x] += deviations[threadIdx.x + half];
  }
  if (threadIdx.x != 0) return;
  const float middle = means[0] / samplers, reach = 10.0f * (deviations[0] / samplers);
  atomicMin(ranges, (unsigned)(middle - reach) / range_bins);
  atomicMax(ranges + 1, (unsigned)(middle + reach) / range_bins);
}

static __device__ uchar4 place_of(unsigned value) {
  return make_uchar4(value / range_bins, (value >> 10) % rows, (value >> 2) % row_words, value % 4 * 8);
}

// A CTA of half a row's threads has 16 rows of the image; a thread two neighbours in each, which it writes half a row apart.
extern "C" __global__ void place_values(const uint2* values, uchar4* places, unsigned width) {
  const uint2* from = values + unrolled * blockIdx.x * (width / 2) + threadIdx.x;
  uchar4* to = places + unrolled * blockIdx.x * width + threadIdx.x;
#pragma unroll
  for (unsigned row = 0; row < unrolled; ++row, from += width / 2, to += width) {
    const uint2 two = *from;
    to[0] = place_of(two.x);
    to[blockDim.x] = place_of(two.y);
  }
}

static __device__ unsigned bin_of(uchar4 place) {
  return place.x * range_bins + place.y * row_words * 4 + place.z * 4 + place.w / 8;
}

// A byte that wraps has lost 256, and has given one to the next, which may wrap as well.
static __device__ void correct(unsigned* overflow, unsigned bin, unsigned word, unsigned shift) {
  unsigned lost = 256;
  while (true) {
    atomicAdd(overflow + bin, lost);
    if ((word >> shift & 255) != 255 || shift == 24) return;
    shift += 8;
    ++bin;
    lost = (word >> shift & 255) == 255 ? 255u : ~0u;
  }
}

extern "C" __global__ void count_places(const uchar4* places, unsigned number, unsigned first, unsigned last, unsigned bins,
                                        unsigned* partial, unsigned* others, unsigned* overflow) {
  __shared__ unsigned counts[rows * row_words];
  for (unsigned i = threadIdx.x; i < rows * row_words; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  const unsigned range = first + blockIdx.y;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < number; i += blockDim.x * gridDim.x) {
    const uchar4 place = places[i];
    if (place.x == range) {
      const unsigned word = atomicAdd(counts + place.y * row_words + place.z, 1u << place.w);
      if ((word >> place.w & 255) == 255) correct(overflow, bin_of(place), word, place.w);
    }
    if (blockIdx.y == 0 && (place.x < first || place.x > last)) {
      const unsigned bin = bin_of(place), shift = bin % 2 * 16;
      if ((others[bin / 2] >> shift & 0xffff) < 255) atomicAdd(others + bin / 2, 1u << shift);
    }
  }
  __syncthreads();
  unsigned* const to = partial + blockIdx.x * (bins / 4) + range * (range_bins / 4);
  for (unsigned i = threadIdx.x; i < rows * row_words; i += blockDim.x) to[i] = counts[i];
}

static __device__ unsigned char full(unsigned count) { return count < 255 ? count : 255; }

static __device__ void take_others(ushort4* others, uchar4* histogram, unsigned from, unsigned until) {
  for (unsigned i = from + blockIdx.x * blockDim.x + threadIdx.x; i < until; i += gridDim.x * blockDim.x) {
    const ushort4 four = others[i];
    others[i] = make_ushort4(0, 0, 0, 0);
    histogram[i] = make_uchar4(full(four.x), full(four.y), full(four.z), full(four.w));
  }
}

// Clears what the next round adds to.
extern "C" __global__ void join_counts(unsigned first, unsigned last, unsigned bins, const unsigned* partial, ushort4* others,
                                       uint4* overflow, uchar4* histogram) {
  const unsigned begin = first * (range_bins / 4), end = (last + 1) * (range_bins / 4);
  take_others(others, histogram, 0, begin);
  for (unsigned i = begin + blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x) {
    uint4 four = overflow[i];
    overflow[i] = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (unsigned share = 0; share < shares; ++share) {
      const unsigned word = partial[i + share * (bins / 4)];
      four.x += word & 255;
      four.y += word >> 8 & 255;
      four.z += word >> 16 & 255;
      four.w += word >> 24;
    }
    histogram[i] = make_uchar4(full(four.x), full(four.y), full(four.z), full(four.w));
  }
  take_others(others, histogram, end, bins / 4);
}
