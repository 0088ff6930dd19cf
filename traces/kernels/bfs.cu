// Breadth-first search by levels: a thread per node; nodes of the frontier visit their edges.
extern "C" __global__ void bfs_level(const int* first, const int* edges, int* depth, int level, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || depth[node] != level) return;
  for (int i = first[node]; i < first[node + 1]; ++i) {
    const int next = edges[i];
    if (depth[next] < 0) depth[next] = level + 1;
  }
}
