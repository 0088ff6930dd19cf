// Breadth-first search by levels, a thread per node, with masks of bytes: nodes of the frontier visit their edges and
// mark what they find; a second kernel makes the marked nodes the next frontier. A node is where its edges begin and how
// many there are.
extern "C" __global__ void bfs_visit(const int2* nodes, const int* edges, unsigned char* frontier, unsigned char* found,
                                     const unsigned char* visited, int* cost, int count) {
  const int node = blockIdx.x * 512 + threadIdx.x;
  if (node >= count || !frontier[node]) return;
  frontier[node] = 0;
  for (int i = nodes[node].x; i < nodes[node].y + nodes[node].x; ++i) {
    const int other = edges[i];
    if (visited[other]) continue;
    cost[other] = cost[node] + 1;
    found[other] = 1;
  }
}

extern "C" __global__ void bfs_advance(unsigned char* frontier, unsigned char* found, unsigned char* visited,
                                       unsigned char* more, int count) {
  const int node = blockIdx.x * 512 + threadIdx.x;
  if (node >= count || !found[node]) return;
  frontier[node] = 1;
  visited[node] = 1;
  *more = 1;
  found[node] = 0;
}
