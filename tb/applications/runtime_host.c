/* An application as nvcc would make it, for the tests: runtime_host WHAT FATBINARY... registers fat binaries
   from files and calls the runtime library by its ABI. Prints what went wrong; ends with 1 then. */
#include "runtime_host.h"

char scale, outside, says, saxpy, both, refused, nested, counts, levels, ring, factor,
    counter; /* their addresses stand for kernels */
int failed;

void expect(const char* what, long got, long want) {
  if (got == want) return;
  printf("%s: expected %ld, found %ld\n", what, want, got);
  failed = 1;
}

static void* content(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    printf("%s: cannot be read\n", path);
    exit(1);
  }
  char* bytes = calloc(1, 1 << 20);
  const size_t size = fread(bytes, 1, (1 << 20) - 1, file);
  fclose(file);
  return size == 0 ? NULL : bytes;
}

static void register_all(int count, char** paths) {
  static struct wrapper wrapper = {0x466243b1, 1, NULL, NULL};
  static const void* parts[8];
  wrapper.data = content(paths[0]);
  if (count > 1) { /* -rdc=true: nothing but the parts */
    for (int i = 0; i < count; ++i) parts[i] = content(paths[i]);
    static uint32_t nothing[4] = {0xba55ed50, 0x00100001, 0, 0}; /* a fat binary without entries */
    wrapper.version = 2;
    wrapper.data = nothing;
    wrapper.prelinked = parts;
  }
  void** module = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(module, &scale, &scale, "scale", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &outside, &outside, "outside", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &says, &says, "says", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &saxpy, &saxpy, "saxpy", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &both, &both, "both", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &refused, &refused, "refused", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &nested, &nested, "nested", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &counts, &counts, "counts", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &levels, &levels, "levels", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &ring, &ring, "ring", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &locks, &locks, "locks", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &waits, &waits, "waits", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &sets, &sets, "sets", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(module, &serves, &serves, "serves", -1, 0, 0, 0, 0, 0);
  __cudaRegisterVar(module, &factor, &factor, "factor", 0, 4, 1, 0);
  __cudaRegisterVar(module, &counter, &counter, "counter", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(module);
}

int launch(const char* kernel, unsigned blocks, unsigned threads, void** values, handle stream) {
  const struct dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
  return cudaLaunchKernel(kernel, grid, block, values, 0, stream);
}

/* Two launches of scale: every element 2 * 2 times what it was. */
static void run_scale(void) {
  enum { n = 1000 };
  float host[n];
  for (int i = 0; i < n; ++i) host[i] = (float)i;
  void* device = NULL;
  int count = n, one = 0;
  const float two = 2;
  void* values[] = {&device, &count};
  expect("malloc", cudaMalloc(&device, sizeof host), 0);
  expect("copy to", cudaMemcpy(device, host, sizeof host, to_device), 0);
  expect("symbol to", cudaMemcpyToSymbol(&factor, &two, 4, 0, to_device), 0);
  for (int i = 0; i < 2; ++i) expect("launch", launch(&scale, 8, 128, values, NULL), 0);
  expect("copy from", cudaMemcpy(host, device, sizeof host, to_host), 0);
  for (int i = 0; i < n; ++i) expect("element", (long)host[i], 4 * i);
  expect("symbol from", cudaMemcpyFromSymbol(&one, &counter, 4, 0, to_host), 0);
  expect("threads that count", one, 2 * n);
  expect("free", cudaFree(device), 0);
}

/* The launch of traces/samples/saxpy/saxpy.yaml. */
static void run_saxpy(void) {
  enum { n = 1000 };
  float x[n], y[n], a = 3;
  void *dx, *dy;
  int count = n;
  for (int i = 0; i < n; ++i) x[i] = 2.0f * (float)i, y[i] = 0.5f;
  expect("malloc", cudaMalloc(&dx, sizeof x) | cudaMalloc(&dy, sizeof y), 0);
  expect("copy", cudaMemcpy(dx, x, sizeof x, to_device) | cudaMemcpy(dy, y, sizeof y, to_device), 0);
  void* values[] = {&dx, &dy, &a, &count};
  expect("launch", launch(&saxpy, (n + 255) / 256, 256, values, NULL), 0);
  expect("copy from", cudaMemcpy(y, dy, sizeof y, to_host), 0);
  for (int i = 0; i < n; ++i) expect("element", (long)(2 * y[i]), 12 * i + 1);
}

static void run_linked(void) {
  unsigned host[32];
  void* device = NULL;
  void* values[] = {&device};
  cudaMalloc(&device, sizeof host);
  expect("launch", launch(&both, 1, 32, values, NULL), 0);
  cudaMemcpy(host, device, sizeof host, to_host);
  for (unsigned i = 0; i < 32; ++i) expect("element", host[i], 2 * i + 100);
}

/* What a program is told that asks for something wrong, and what happens to its later calls. */
static void run_errors(void) {
  size_t left, all;
  void *big = NULL, *first = NULL, *second = NULL, *device = NULL;
  int count = 1, value = 0;
  void* values[] = {&device, &count};
  expect("version", cudaRuntimeGetVersion(&value) + value, 1000 * MAJOR);
  expect("memory", cudaMemGetInfo(&left, &all), 0);
  expect("nothing is used", left == all, 1);
  expect("too much memory", cudaMalloc(&big, all + 1), 2);
  expect("peek", cudaPeekAtLastError(), 2);
  expect("last error", cudaGetLastError(), 2);
  expect("none left", cudaGetLastError(), 0);
  expect("copy to nowhere", cudaMemcpy(NULL, &all, 8, to_device), 1);
  expect("free of nothing", cudaFree(&all), 1);
  expect("block too large", launch(&scale, 1, 2048, values, NULL), 9);
  expect("empty grid", launch(&scale, 0, 32, values, NULL), 9);
  expect("no such kernel", launch("x", 1, 32, values, NULL), 98);
  expect("no such symbol", cudaMemcpyToSymbol(&all, &all, 4, 0, to_device), 13);
  expect("beyond a symbol", cudaMemcpyToSymbol(&factor, &all, 8, 0, to_device), 1);
  expect("no such attribute", cudaDeviceGetAttribute(&value, 9999, 0), 1);
  expect("no such device", cudaDeviceGetAttribute(&value, 16, 1), 101);
  expect("what is absent", cudaIpcGetMemHandle(NULL, NULL), 801);
  expect("last error", cudaGetLastError(), 801);
  cudaMalloc(&first, 100000);
  cudaFree(first);
  cudaMalloc(&second, 100000);
  expect("memory is used again", first == second, 1);
  expect("freed twice", cudaFree(first) | cudaFree(first), 1);
  expect("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, &scale, 1024, 0), 0);
  expect("two blocks of 1024 threads", value, 2);
  int attributes[64]; /* 8: of the PTX, by which libraries choose among their kernels */
  expect("attributes", cudaFuncGetAttributes(attributes, &scale), 0);
  expect("version of the PTX", attributes[8], 80);
  expect("name", strcmp(cudaGetErrorName(719), "cudaErrorLaunchFailure"), 0);
  size_t heap = 0; /* limit 2 is the heap of kernels, 0 their stack */
  expect("limit", cudaDeviceGetLimit(&heap, 2), 0);
  expect("heap by default", (long)heap, 8 << 20);
  expect("set limit", cudaDeviceSetLimit(2, 1 << 20) | cudaDeviceGetLimit(&heap, 2), 0);
  expect("heap as it was set", (long)heap, 1 << 20);
  expect("a limit that is not kept", cudaDeviceGetLimit(&heap, 0), 215);
}

static void run_more(void) {
  handle stream, graph, executable;
  float* both_sides = NULL;
  int count = 4;
  const float half = 0.5f;
  expect("managed", cudaMallocManaged((void**)&both_sides, 16, 1), 0);
  for (int i = 0; i < 4; ++i) both_sides[i] = 64;
  void* values[] = {&both_sides, &count};
  cudaMemcpyToSymbol(&factor, &half, 4, 0, to_device);
  expect("stream", cudaStreamCreate(&stream), 0);
  expect("capture", cudaStreamBeginCapture(stream, 0), 0);
  expect("captured launch", launch(&scale, 1, 32, values, stream), 0);
  expect("captured only", (long)both_sides[0], 64);
  expect("end", cudaStreamEndCapture(stream, &graph), 0);
  expect("instantiate", cudaGraphInstantiate(&executable, graph, 0), 0);
  for (int i = 0; i < 3; ++i) expect("graph", cudaGraphLaunch(executable, stream), 0);
  expect("three times", (long)both_sides[3], 8);
  expect("launch", launch(&says, 2, 32, NULL, NULL), 0);
  printf("the host goes on\n"); /* what kernels print comes out when the host waits for them */
  expect("wait", cudaDeviceSynchronize(), 0);
}

/* A kernel that launches kernels: each with all that it launches itself before the next; on stream 3
   (cudaStreamTailLaunch) behind its siblings. */
static void run_nested(void) {
  static const unsigned wanted[2][8] = {{7, 1, 2, 4, 5, 3, 6, 7}, {7, 1, 3, 7, 6, 2, 5, 4}};
  unsigned host[8], number = 1;
  size_t stream = 0;
  void* device = NULL;
  void* values[] = {&device, &stream, &number};
  cudaMalloc(&device, sizeof host);
  for (int n = 0; n < 2; ++n, stream = 3) {
    cudaMemset(device, 0, sizeof host);
    expect("launch", launch(&nested, 1, 1, values, NULL), 0);
    cudaMemcpy(host, device, sizeof host, to_host);
    for (unsigned i = 0; i < 8; ++i) expect("kernel in its turn", host[i], wanted[n][i]);
  }
}

static void run_fault(void) {
  run_scale();
  void* device = NULL;
  void* values[] = {&device};
  cudaMalloc(&device, 4096);
  /* A launch does not tell what becomes of its kernel; then all calls do. */
  expect("fault", launch(&outside, 2, 32, values, NULL), 0);
  expect("not yet", cudaPeekAtLastError(), 0);
  expect("later calls", cudaDeviceSynchronize(), 700);
  expect("later launches", launch(&outside, 2, 32, values, NULL), 700);
  expect("it stays", cudaGetLastError() & cudaGetLastError(), 700);
}

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  const char* what = argv[1];
  register_all(argc - 2, argv + 2);
  if (strcmp(what, "scale") == 0) run_scale();
  if (strcmp(what, "saxpy") == 0) run_saxpy();
  if (strcmp(what, "linked") == 0) run_linked();
  if (strcmp(what, "errors") == 0) run_errors();
  if (strcmp(what, "more") == 0) run_more();
  if (strcmp(what, "nested") == 0) run_nested();
  if (strcmp(what, "graph-memory") == 0) run_graph_memory();
  if (strcmp(what, "conditions") == 0) run_conditions();
  if (strcmp(what, "graph-edits") == 0) run_graph_edits();
  if (strcmp(what, "mip-maps") == 0) run_mip_maps();
  if (strcmp(what, "clusters") == 0) run_clusters();
  if (strcmp(what, "batches") == 0) run_batches();
  if (strcmp(what, "streams") == 0) run_streams();
  if (strcmp(what, "waits") == 0) run_waits();
  if (strcmp(what, "waits-for-ever") == 0) run_waits_for_ever();
  if (strcmp(what, "fault") == 0) run_fault();
  if (strcmp(what, "refused") == 0) {
    void* device = NULL;
    void* values[] = {&device};
    expect("refused", launch(&refused, 1, 32, values, NULL), 218);
    run_scale(); /* the others run */
  }
  if (strcmp(what, "no-ptx") == 0) expect("no PTX", launch(&scale, 1, 32, NULL, NULL), 209);
  if (strcmp(what, "crash") == 0) {
    run_scale();
    fflush(stdout);
    abort();
  }
  if (strcmp(what, "ends-with-7") == 0) exit(7);
  if (strcmp(what, "for-ever") == 0)
    for (;;) run_scale();
  if (!failed) printf("%s: right\n", what);
  return failed;
}
