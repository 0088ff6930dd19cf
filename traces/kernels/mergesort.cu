// Sorts blocks of 1024 key-value pairs in shared memory by merging runs of 1, 2, 4, ... 512: the place of an element in
// the merged run is its place in its own run plus its rank, found by binary search, in the other. Equal keys keep
// their order.
#define N 1024

extern "C" __global__ void merge_sort_blocks(const unsigned* in_keys, const unsigned* in_values, unsigned* out_keys,
                                             unsigned* out_values) {
  __shared__ unsigned keys[N], values[N];
  const int base = blockIdx.x * N, t = threadIdx.x;
  for (int half = 0; half < 2; ++half) {
    keys[t + half * 512] = in_keys[base + t + half * 512];
    values[t + half * 512] = in_values[base + t + half * 512];
  }
  __syncthreads();
  for (int run = 1; run < N; run *= 2) {
    const int place = t & (run - 1);
    const int first = 2 * (t - place) + place;  // of the left run; `first + run` is of the right
    const int start = first - place;
    const unsigned left = keys[first], right = keys[first + run];
    const unsigned left_value = values[first], right_value = values[first + run];
    int low = 0, high = run;  // elements of the right run that are smaller than `left`
    while (low < high) {
      const int middle = (low + high) / 2;
      if (keys[start + run + middle] < left) low = middle + 1; else high = middle;
    }
    const int left_rank = low;
    low = 0, high = run;  // elements of the left run that are not larger than `right`
    while (low < high) {
      const int middle = (low + high) / 2;
      if (keys[start + middle] <= right) low = middle + 1; else high = middle;
    }
    const int right_rank = low;
    __syncthreads();
    keys[start + place + left_rank] = left;
    values[start + place + left_rank] = left_value;
    keys[start + place + right_rank] = right;
    values[start + place + right_rank] = right_value;
    __syncthreads();
  }
  for (int half = 0; half < 2; ++half) {
    out_keys[base + t + half * 512] = keys[t + half * 512];
    out_values[base + t + half * 512] = values[t + half * 512];
  }
}
