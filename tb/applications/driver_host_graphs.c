/* What the program of the driver library in the tests does with graphs. */
#include <string.h>

#include "driver_host.h"

struct kernel_node {
  handle function;
  unsigned grid[3], block[3], shared;
  void** values;
  void** extra;
  handle kernel, context;
};
struct fill_node {
  address to;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
};
struct host_node {
  void (*function)(void*);
  void* data;
};
struct side3 {
  size_t x, y, z, level;
  int type;
  void* host;
  address device;
  handle array;
  void* reserved;
  size_t pitch, height;
};
struct copy3 {
  struct side3 from, to;
  size_t width, height, depth;
};
struct any_node { /* CUgraphNodeParams of a memory copy, or of a condition */
  int kind, reserved[3];
  union {
    long long padding[29];
    struct {
      int flags, reserved;
      handle context;
      struct copy3 all;
    } copy;
    struct {
      uint64_t handle;
      int type;
      unsigned count;
      handle* bodies;
      handle context;
    } condition;
  };
  long long reserved_too;
};
int cuGraphCreate(handle*, unsigned);
int cuGraphDestroy(handle);
int cuGraphClone(handle*, handle);
int cuGraphInstantiateWithFlags(handle*, handle, unsigned long long);
int cuGraphExecUpdate_v2(handle, handle, void*);
int cuGraphExecDestroy(handle);
int cuGraphLaunch(handle, handle);
int cuGraphAddKernelNode_v2(handle*, handle, const handle*, size_t, const struct kernel_node*);
int cuGraphKernelNodeGetParams_v2(handle, struct kernel_node*);
int cuGraphExecKernelNodeSetParams_v2(handle, handle, const struct kernel_node*);
int cuGraphAddMemsetNode(handle*, handle, const handle*, size_t, const struct fill_node*, handle);
int cuGraphExecMemsetNodeSetParams(handle, handle, const struct fill_node*, handle);
int cuGraphAddHostNode(handle*, handle, const handle*, size_t, const struct host_node*);
int cuGraphAddChildGraphNode(handle*, handle, const handle*, size_t, handle);
int cuGraphAddNode_v2(handle*, handle, const handle*, const void*, size_t, struct any_node*);
int cuGraphAddDependencies_v2(handle, const handle*, const handle*, const void*, size_t);
int cuGraphGetNodes(handle, handle*, size_t*);
int cuGraphGetRootNodes(handle, handle*, size_t*);
int cuGraphNodeGetType(handle, int*);
int cuGraphNodeSetEnabled(handle, handle, unsigned);
int cuGraphConditionalHandleCreate(uint64_t*, handle, handle, unsigned, unsigned);
int cuStreamBeginCapture_v2(handle, int);
int cuStreamEndCapture(handle, handle*);
int cuStreamGetCaptureInfo_v3(handle, int*, uint64_t*, handle*, const handle**, const void**, size_t*);
int cuStreamCreate(handle*, unsigned);
int cuMemAllocAsync(address*, size_t, handle);
int cuMemFreeAsync(address, handle);
int cuMemcpyHtoDAsync_v2(address, const void*, size_t, handle);
int cuMemcpyDtoHAsync_v2(void*, address, size_t, handle);
int cuGetProcAddress_v2(const char*, void**, int, uint64_t, int*);

static void count(void* number) {
  ++*(int*)number;
}

static struct any_node copy_node(void* to, address from, size_t bytes) {
  struct any_node node;
  memset(&node, 0, sizeof node);
  node.kind = 1;
  node.copy.all.from.type = 2;
  node.copy.all.from.device = from;
  node.copy.all.to.type = 1;
  node.copy.all.to.host = to;
  node.copy.all.width = bytes;
  node.copy.all.height = node.copy.all.depth = 1;
  return node;
}

/* All elements become 1.0, the kernel multiplies them by 3, then they are copied out; once more in a child.
 */
static void run_chain(handle module) {
  enum { n = 100 };
  float host[n], three = 3;
  int size = n, calls = 0;
  address device = 0, factor = 0;
  size_t bytes = 0, many = 9;
  handle graph, clone, all, fill, scale, copy, call, child, kernel, executable, nodes[9];
  expect("memory", cuMemAlloc_v2(&device, sizeof host), 0);
  expect("function", cuModuleGetFunction(&kernel, module, "scale"), 0);
  expect("variable", cuModuleGetGlobal_v2(&factor, &bytes, module, "factor"), 0);
  expect("its value", cuMemcpyHtoD_v2(factor, &three, 4), 0);
  void* values[] = {&device, &size};
  struct kernel_node launch = {NULL, {1, 1, 1}, {128, 1, 1}, 0, values, NULL, kernel, NULL}, told;
  struct fill_node ones = {device, 0, 0x3f800000, 4, n, 1};
  struct host_node counts = {count, &calls};
  struct any_node out = copy_node(host, device, sizeof host);
  expect("graph", cuGraphCreate(&graph, 0), 0);
  expect("no such flags", cuGraphCreate(&all, 5), 1);
  expect("fill", cuGraphAddMemsetNode(&fill, graph, NULL, 0, &ones, NULL), 0);
  expect("kernel", cuGraphAddKernelNode_v2(&scale, graph, &fill, 1, &launch), 0);
  expect("copy", cuGraphAddNode_v2(&copy, graph, NULL, NULL, 0, &out), 0);
  expect("behind the kernel", cuGraphAddDependencies_v2(graph, &scale, &copy, NULL, 1), 0);
  expect("call", cuGraphAddHostNode(&call, graph, &copy, 1, &counts), 0);
  expect("roots", cuGraphGetRootNodes(graph, nodes, &many) | (many != 1) | (nodes[0] != fill), 0);
  expect("kind", cuGraphNodeGetType(copy, &size) | (size != 1), 0);
  size = n;
  expect("what it launches", cuGraphKernelNodeGetParams_v2(scale, &told), 0);
  expect("threads", told.function == kernel ? (long)told.block[0] : -1, 128);
  expect("of another kind", cuGraphKernelNodeGetParams_v2(fill, &told), 1);
  expect("instantiate", cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
  expect("launch", cuGraphLaunch(executable, NULL), 0);
  expect("1 * 3", (long)host[n - 1] + calls, 4);

  /* Changes of the executable alone: 2 * 3, of ten elements only. */
  ones.value = 0x40000000;
  size = 10;
  expect("another value", cuGraphExecMemsetNodeSetParams(executable, fill, &ones, NULL), 0);
  expect("another launch", cuGraphExecKernelNodeSetParams_v2(executable, scale, &launch), 0);
  expect("of no kernel", cuGraphExecKernelNodeSetParams_v2(executable, fill, &launch), 1);
  expect("launch", cuGraphLaunch(executable, NULL), 0);
  expect("2 * 3, and 2", (long)(10 * host[9] + host[10]), 62);
  expect("without the kernel", cuGraphNodeSetEnabled(executable, scale, 0) | cuGraphLaunch(executable, NULL),
         0);
  expect("2", (long)host[9], 2);

  /* The first graph as it was, twice in another. */
  expect("clone", cuGraphClone(&clone, graph), 0);
  expect("all", cuGraphCreate(&all, 0) | cuGraphAddChildGraphNode(&child, all, NULL, 0, clone), 0);
  expect("again", cuGraphAddChildGraphNode(&call, all, &child, 1, graph), 0);
  expect("number of nodes", cuGraphGetNodes(all, NULL, &many) | (many != 2), 0);
  expect("update", cuGraphExecUpdate_v2(executable, all, NULL), 0);
  calls = 0;
  expect("launch", cuGraphLaunch(executable, NULL), 0);
  expect("1 * 3, two calls", (long)host[0] + calls, 5);
  expect("all goes", cuGraphExecDestroy(executable) | cuGraphDestroy(all) | cuGraphDestroy(clone), 0);
}

/* Captured memory is that of the launch; a condition chooses what is copied. */
static void run_captured(void) {
  float host[4] = {1, 2, 3, 4}, back[4] = {0};
  handle stream, graph, inside = NULL, executable, node;
  const handle* last = NULL;
  const void* edges = &host;
  uint64_t id = 0, condition = 0;
  size_t many = 0;
  int status = 0, old = 0;
  address device = 0;
  void *first = NULL, *second = NULL;
  expect("capture", cuStreamCreate(&stream, 1) | cuStreamBeginCapture_v2(stream, 0), 0);
  expect("memory", cuMemAllocAsync(&device, sizeof host, stream), 0);
  expect("state", cuStreamGetCaptureInfo_v3(stream, &status, &id, &inside, &last, &edges, &many), 0);
  expect("one node, no edges", status == 1 && inside != NULL && many == 1 && edges == NULL, 1);
  expect("in", cuMemcpyHtoDAsync_v2(device, host, sizeof host, stream), 0);
  expect("out", cuMemcpyDtoHAsync_v2(back, device, sizeof host, stream), 0);
  expect("free", cuMemFreeAsync(device, stream) | cuStreamEndCapture(stream, &graph), 0);
  expect("nothing yet", (long)back[3], 0);
  expect("instantiate", cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
  expect("two launches", cuGraphLaunch(executable, stream) | cuGraphLaunch(executable, stream), 0);
  expect("through the memory", (long)back[3], 4);
  expect("which is gone", cuMemFree_v2(device), 1);

  expect("memory", cuMemAlloc_v2(&device, sizeof host) | cuMemcpyHtoD_v2(device, host, sizeof host), 0);
  expect("graph", cuGraphCreate(&graph, 0), 0);
  expect("condition", cuGraphConditionalHandleCreate(&condition, graph, NULL, 0, 1), 0);
  struct any_node choice, yes = copy_node(back, device, 4), no = copy_node(back, device + 8, 4);
  memset(&choice, 0, sizeof choice);
  choice.kind = 13;
  choice.condition.handle = condition;
  choice.condition.count = 2;
  expect("if and else", cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &choice), 0);
  expect("if", cuGraphAddNode_v2(&node, choice.condition.bodies[0], NULL, NULL, 0, &yes), 0);
  expect("else", cuGraphAddNode_v2(&node, choice.condition.bodies[1], NULL, NULL, 0, &no), 0);
  expect("instantiate", cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
  expect("launch", cuGraphLaunch(executable, stream), 0);
  expect("else", (long)back[0], 3);

  /* Programs of other versions get the form of a call that they know. */
  expect("of 12.2", cuGetProcAddress_v2("cuGraphAddNode", &first, 12020, 0, &old), 0);
  expect("of 12.3", cuGetProcAddress_v2("cuGraphAddNode", &second, 12030, 0, &old), 0);
  expect("takes edges", second == (void*)&cuGraphAddNode_v2 && first != second, 1);
  expect("of 12", cuGetProcAddress_v2("cuGraphInstantiate", &first, 12000, 0, &old), 0);
  expect("takes flags", first == (void*)&cuGraphInstantiateWithFlags, 1);
}

void run_graphs(handle module) {
  run_chain(module);
  run_captured();
}
