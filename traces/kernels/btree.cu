// Point queries on a B+ tree: a CTA per query, a thread per key of a node. The thread whose key range holds the
// wanted key names the child; `height` steps lead to a leaf, whose slot gives the value. Node k owns
// keys[k * 256 ...] in ascending order (unused ones are the largest integer) and as many children or values.
extern "C" __global__ void btree_search(const int* keys, const int* children, const int* wanted, int* found,
                                        int height) {
  __shared__ int node;
  const int t = threadIdx.x;
  const int key = wanted[blockIdx.x];
  if (t == 0) node = 0;
  __syncthreads();
  for (int level = 0; level < height; ++level) {
    const int here = node * 256;
    const bool mine = keys[here + t] <= key && (t == 255 || key < keys[here + t + 1]);
    __syncthreads();
    if (mine) node = children[here + t];
    __syncthreads();
  }
  if (keys[node * 256 + t] == key) found[blockIdx.x] = children[node * 256 + t];
}
