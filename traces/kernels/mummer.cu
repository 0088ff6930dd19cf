// Matching of queries against a text through a suffix array: each thread finds, by binary search with character
// comparisons, how many suffixes begin with its query.
__device__ int compare(const unsigned char* text, int length, int suffix, const unsigned char* query, int query_length) {
  for (int i = 0; i < query_length; ++i) {
    if (suffix + i >= length) return -1;
    const int difference = (int)text[suffix + i] - (int)query[i];
    if (difference != 0) return difference;
  }
  return 0;
}

extern "C" __global__ void count_matches(const unsigned char* text, const int* suffixes, const unsigned char* queries,
                                         int* counts, int length, int query_length, int number) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= number) return;
  const unsigned char* query = queries + q * query_length;
  int low = 0, high = length;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (compare(text, length, suffixes[middle], query, query_length) < 0) low = middle + 1; else high = middle;
  }
  const int begin = low;
  high = length;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (compare(text, length, suffixes[middle], query, query_length) <= 0) low = middle + 1; else high = middle;
  }
  counts[q] = low - begin;
}
