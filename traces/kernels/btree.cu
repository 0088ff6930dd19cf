// Point queries on a B+ tree: a CTA per query, a thread per key of a node. The thread whose key range holds the wanted
// key names the child, through global memory; `height` steps lead to a leaf, whose slot names the record. A node is 517
// numbers in a row: its place, 257 children or records, 257 keys in ascending order (unused ones are the largest
// integer), whether it is a leaf, and how many keys it has.
#define NODE 517
#define CHILDREN 1
#define KEYS 258

extern "C" __global__ void btree_search(const int* nodes, const int* records, long long* current, long long* next,
                                        const int* wanted, int* found, int height, int count) {
  const int t = threadIdx.x, q = blockIdx.x;
  for (int level = 0; level < height; ++level) {
    const int* node = nodes + current[q] * NODE;
    if (node[KEYS + t] <= wanted[q] && node[KEYS + t + 1] > wanted[q])
      if (nodes[next[q] * NODE + CHILDREN + t] < count) next[q] = nodes[next[q] * NODE + CHILDREN + t];
    __syncthreads();
    if (t == 0) current[q] = next[q];
    __syncthreads();
  }
  const int* leaf = nodes + current[q] * NODE;
  if (leaf[KEYS + t] == wanted[q]) found[q] = records[leaf[CHILDREN + t]];
}
