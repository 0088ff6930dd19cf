/* What the application of the tests does with graphs. */
#include "runtime_host.h"

/* cudaMemAllocNodeParams of `bytes`, and the address that a node of it gets. */
struct memory_node {
  char pool[88];
  const void* access;
  size_t accesses, bytes;
  void* at;
};
static void* allocation(handle* node, handle graph, const handle* before, size_t bytes) {
  struct memory_node what = {.bytes = bytes};
  expect("allocating node", cudaGraphAddMemAllocNode(node, graph, before, before != NULL, &what), 0);
  return what.at;
}
static handle instantiated(handle graph, unsigned long long flags) {
  handle made = NULL;
  expect("instantiate", cudaGraphInstantiate(&made, graph, flags), 0);
  return made;
}
static long held(void) {
  unsigned long long bytes = 0;
  expect("memory of graphs", cudaDeviceGetGraphMemAttribute(0, 0, &bytes), 0);
  return (long)bytes;
}

/* Nodes that allocate and free. Memory of graphs is held in pages of 2 MiB. */
void run_graph_memory(void) {
  enum { bytes = 3 << 20 };
  handle graph, a, copy, b, freed, stream, executable;
  float host[4] = {1, 2, 3, 4}, back[4] = {0};
  cudaGraphCreate(&graph, 0);
  void* first = allocation(&a, graph, NULL, bytes);
  cudaGraphAddMemcpyNode1D(&copy, graph, &a, 1, first, host, sizeof host, to_device);
  cudaGraphAddMemcpyNode1D(&copy, graph, &copy, 1, back, first, sizeof host, to_host);
  expect("freeing node", cudaGraphAddMemFreeNode(&freed, graph, &copy, 1, first), 0);
  expect("an address is used again behind its freeing", allocation(&b, graph, &freed, bytes) == first, 1);
  expect("and not beside it", allocation(&b, graph, &copy, bytes) == first, 0);
  expect("nothing before a launch", held(), 0);
  executable = instantiated(graph, 0);
  expect("launch", cudaGraphLaunch(executable, NULL), 0);
  expect("copied through", (long)back[3], 4);
  expect("two of 3 MiB", held(), 2 * (4 << 20));
  expect("not freed before the next launch", cudaGraphLaunch(executable, NULL), 1);
  expect("freed each time", cudaGraphLaunch(executable = instantiated(graph, 1), NULL), 0);
  expect("again", cudaGraphLaunch(executable, NULL), 0);
  expect("what it left", cudaFree(first), 0);
  expect("twice", cudaFree(first), 1);
  expect("held", held(), 2 * (4 << 20));
  expect("trim", cudaDeviceGraphMemTrim(0), 0);
  expect("held by unfreed memory", held(), 4 << 20);

  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, 0);
  expect("captured", cudaMallocAsync(&first, bytes, stream), 0);
  cudaMemcpyAsync(first, host, sizeof host, to_device, stream);
  cudaMemcpyAsync(back, first, sizeof host, to_host, stream);
  expect("captured", cudaFreeAsync(first, stream), 0);
  cudaStreamEndCapture(stream, &graph);
  back[2] = 0;
  executable = instantiated(graph, 0);
  for (int n = 0; n < 2; ++n) expect("launch", cudaGraphLaunch(executable, stream), 0);
  expect("copied through", (long)back[2], 3);
}

/* cudaGraphNodeParams of a conditional node. */
struct conditional_node {
  int kind, reserved[3];
  unsigned long long condition;
  int type;
  unsigned count;
  handle* bodies;
  long long padding[27];
};
/* Bodies of a new conditional node of `type` (0 if, 1 while, 2 switch), which each launch begins with
 * `value`. */
static handle* conditional(handle graph, int type, unsigned count, unsigned value,
                           unsigned long long* condition) {
  struct conditional_node what = {.kind = 13, .type = type, .count = count};
  handle node;
  expect("condition", cudaGraphConditionalHandleCreate(condition, graph, value, 1), 0);
  what.condition = *condition;
#if MAJOR >= 13
  expect("node", cudaGraphAddNode(&node, graph, NULL, NULL, 0, &what), 0);
#else
  expect("node", cudaGraphAddNode(&node, graph, NULL, 0, &what), 0);
#endif
  return what.bodies;
}
void run_conditions(void) {
  static char source[6] = {10, 11, 12, 13, 14, 15};
  handle graph, node, stream;
  unsigned long long condition;
  char chosen = 0;
  unsigned count = 5;
  void* device = NULL;
  void* values[] = {&device, &condition};
  cudaMalloc(&device, 4);
  for (unsigned value = 0; value < 4; ++value) { /* of three cases none is the fourth; else is the second */
    handle* bodies;
    chosen = 0;
    cudaGraphCreate(&graph, 0);
    bodies = conditional(graph, 2, 3, value, &condition);
    for (int n = 0; n < 3; ++n)
      cudaGraphAddMemcpyNode1D(&node, bodies[n], NULL, 0, &chosen, source + n, 1, 0);
    cudaGraphLaunch(instantiated(graph, 0), NULL);
    expect("case", chosen, value < 3 ? 10 + (int)value : 0);
    cudaGraphCreate(&graph, 0);
    bodies = conditional(graph, 0, 2, value, &condition);
    for (int n = 0; n < 2; ++n)
      cudaGraphAddMemcpyNode1D(&node, bodies[n], NULL, 0, &chosen, source + 4 + n, 1, 0);
    cudaGraphLaunch(instantiated(graph, 0), NULL);
    expect("if, else", chosen, value != 0 ? 14 : 15);
  }
  /* While: the kernel takes 1 away until 0 is left, in each of two launches. */
  cudaGraphCreate(&graph, 0);
  handle* body = conditional(graph, 1, 1, 1, &condition);
  cudaStreamCreate(&stream);
  expect("capture to a body", cudaStreamBeginCaptureToGraph(stream, body[0], NULL, NULL, 0, 0), 0);
  launch(&counts, 1, 1, values, stream);
  expect("end", cudaStreamEndCapture(stream, NULL), 0);
  handle executable = instantiated(graph, 0);
  for (int n = 0; n < 2; ++n, count = 3) {
    cudaMemcpy(device, &count, 4, to_device);
    expect("launch", cudaGraphLaunch(executable, NULL), 0);
    cudaMemcpy(&count, device, 4, to_host);
    expect("nothing is left", count, 0);
  }
}

/* A captured launch of scale, whose size is changed, and a copy of its first element, whose target is, or
 * which is left out. */
void run_graph_edits(void) {
  handle graph, executable, stream, nodes[4], root;
  size_t count = 4, roots = 1;
  float host[2] = {3, 5}, first = 0, other = 0;
  const float two = 2;
  int elements = 2;
  unsigned enabled = 0;
  void* device = NULL;
  void* values[] = {&device, &elements};
  struct kernel_node kernel;
  cudaMalloc(&device, sizeof host);
  cudaMemcpyToSymbol(&factor, &two, 4, 0, to_device);
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, 0);
  cudaMemcpyAsync(device, host, sizeof host, to_device, stream);
  launch(&scale, 1, 32, values, stream);
  cudaMemcpyAsync(&first, device, 4, to_host, stream);
  cudaStreamEndCapture(stream, &graph);
  expect("nodes", cudaGraphGetNodes(graph, nodes, &count), 0);
  expect("three", (long)count, 3);
  expect("roots", cudaGraphGetRootNodes(graph, &root, &roots), 0);
  expect("the first copy", roots == 1 && root == nodes[0], 1);
  expect("get", cudaGraphKernelNodeGetParams(nodes[1], &kernel), 0);
  expect("kernel", kernel.function == &scale && kernel.block.x == 32 && kernel.grid.x == 1, 1);
  expect("elements", *(int*)kernel.values[1], 2);
  expect("not of a kernel", cudaGraphKernelNodeGetParams(nodes[0], &kernel), 1);
  cudaGraphKernelNodeGetParams(nodes[1], &kernel);
  elements = 0; /* no element of it is scaled */
  kernel.values = values;
  executable = instantiated(graph, 0);
  cudaGraphLaunch(executable, NULL);
  expect("scaled", (long)first, 6);
  expect("set", cudaGraphKernelNodeSetParams(nodes[1], &kernel), 0);
  cudaGraphLaunch(executable, NULL);
  expect("as it was instantiated", (long)first, 6);
  cudaGraphLaunch(instantiated(graph, 0), NULL);
  expect("as it was set", (long)first, 3);
  expect("set", cudaGraphExecMemcpyNodeSetParams1D(executable, nodes[2], &other, device, 4, to_host), 0);
  expect("not a copy", cudaGraphMemcpyNodeSetParams1D(nodes[1], &other, device, 4, to_host), 1);
  first = 0;
  cudaGraphLaunch(executable, NULL);
  expect("other target", (long)(10 * first + other), 6);
  expect("disable", cudaGraphNodeSetEnabled(executable, nodes[1], 0), 0);
  expect("enabled", cudaGraphNodeGetEnabled(executable, nodes[1], &enabled) + (int)enabled, 0);
  cudaGraphLaunch(executable, NULL);
  expect("not scaled", (long)other, 3);
}
