/* A program of the driver library, for the tests: driver_host WHAT FILE... calls libcuda.so.1 by its ABI.
   Prints what went wrong; ends with 1 then. */
#include "driver_host.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
  size_t width, height;
  int format;
  unsigned channels;
};
struct side {
  size_t x, y;
  int type;
  void* host;
  address device;
  handle array;
  size_t pitch;
};
struct copy {
  struct side from, to;
  size_t width, height;
};
int cuInit(unsigned);
int cuDeviceGet(int*, int);
int cuCtxCreate_v2(handle*, unsigned, int);
int cuCtxSynchronize(void);
int cuModuleLoad(handle*, const char*);
int cuModuleLoadData(handle*, const void*);
int cuModuleUnload(handle);
int cuLinkCreate_v2(unsigned, int*, void**, handle*);
int cuLinkAddFile_v2(handle, int, const char*, unsigned, int*, void**);
int cuLinkComplete(handle, void**, size_t*);
int cuLinkDestroy(handle);
int cuMemcpy2D_v2(const struct copy*);
int cuArrayCreate_v2(handle*, const struct shape*);
int cuArrayDestroy(handle);
int cuStreamCreate(handle*, unsigned);
int cuEventCreate(handle*, unsigned);
int cuEventRecord(handle, handle);
int cuEventElapsedTime(float*, handle, handle);
int cuFuncGetAttribute(int*, int, handle);
int cuGetErrorName(int, const char**);
int cuGetProcAddress_v2(const char*, void**, int, uint64_t, int*);
int cuIpcGetMemHandle(void*, address);
int cudaMemcpy(void*, const void*, size_t, int);
int cudaFree(void*);

static int failed;

void expect(const char* what, long got, long want) {
  if (got == want) return;
  printf("%s: expected %ld, found %ld\n", what, want, got);
  failed = 1;
}

static int launch(handle kernel, unsigned blocks, unsigned threads, void** values, void** packed) {
  return cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, NULL, values, packed);
}

/* Two launches of scale, with values by pointer and in one buffer: every element 3 * 3 times what it was. */
static void run_scale(handle module) {
  enum { n = 100 };
  float host[n], three = 3;
  address device = 0, factor = 0;
  size_t bytes = 0;
  handle kernel = NULL;
  for (int i = 0; i < n; ++i) host[i] = (float)i;
  expect("function", cuModuleGetFunction(&kernel, module, "scale"), 0);
  expect("no such function", cuModuleGetFunction(&kernel, module, "scales"), 500);
  expect("variable", cuModuleGetGlobal_v2(&factor, &bytes, module, "factor"), 0);
  expect("bytes of it", (long)bytes, 4);
  expect("no such variable", cuModuleGetGlobal_v2(&factor, &bytes, module, "factors"), 500);
  expect("alloc", cuMemAlloc_v2(&device, sizeof host), 0);
  expect("copies", cuMemcpyHtoD_v2(device, host, sizeof host) | cuMemcpyHtoD_v2(factor, &three, 4), 0);
  int count = n;
  void* values[] = {&device, &count};
  expect("launch", launch(kernel, 1, 128, values, NULL), 0);
  struct {
    address data;
    int count;
  } packed = {device, n};
  size_t packed_bytes = 12;
  void* list[] = {(void*)1, &packed, (void*)2, &packed_bytes, NULL};
  expect("launch with a buffer", launch(kernel, 1, 128, NULL, list), 0);
  expect("copy back", cuCtxSynchronize() | cuMemcpyDtoH_v2(host, device, sizeof host), 0);
  for (int i = 0; i < n; ++i) expect("element", (long)host[i], 9 * i);
  expect("static shared memory", cuFuncGetAttribute(&count, 1, kernel) + count, 0);
  expect("free", cuMemFree_v2(device), 0);
  expect("freed twice", cuMemFree_v2(device), 1);
}

/* A box in the middle of an array, and what the memory beside it holds. */
static void run_arrays(void) {
  const struct shape shape = {8, 4, 3, 1}; /* 8 x 4 of one uint32 */
  unsigned in[2][3] = {{1, 2, 3}, {4, 5, 6}}, out[2][5];
  handle array = NULL;
  memset(out, 0xff, sizeof out);
  struct copy there = {{0, 0, 1, in, 0, NULL, 12}, {8, 1, 3, NULL, 0, NULL, 0}, 12, 2};
  struct copy back = {{8, 1, 3, NULL, 0, NULL, 0}, {4, 0, 1, out, 0, NULL, 20}, 12, 2};
  expect("array", cuArrayCreate_v2(&array, &shape), 0);
  there.to.array = back.from.array = array;
  expect("to the array", cuMemcpy2D_v2(&there), 0);
  expect("from the array", cuMemcpy2D_v2(&back), 0);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) expect("texel", out[y][x + 1], 3 * y + x + 1);
  expect("beside it", out[1][0] & out[1][4], 0xffffffff);
  expect("no such memory type", (there.to.type = 7, cuMemcpy2D_v2(&there)), 1);
  expect("destroy", cuArrayDestroy(array), 0);
}

static void run_linked(char** files) {
  handle linker, module, kernel;
  void* image = NULL;
  unsigned host[32];
  address device;
  expect("linker", cuLinkCreate_v2(0, NULL, NULL, &linker), 0);
  for (int i = 0; i < 2; ++i) expect("add", cuLinkAddFile_v2(linker, 1, files[i], 0, NULL, NULL), 0);
  expect("complete", cuLinkComplete(linker, &image, NULL), 0);
  expect("load", cuModuleLoadData(&module, image) | cuLinkDestroy(linker), 0);
  expect("function", cuModuleGetFunction(&kernel, module, "both"), 0);
  cuMemAlloc_v2(&device, sizeof host);
  void* values[] = {&device};
  expect("launch", launch(kernel, 1, 32, values, NULL), 0);
  cuMemcpyDtoH_v2(host, device, sizeof host);
  for (unsigned i = 0; i < 32; ++i) expect("element", host[i], 2 * i + 100);
}

static void run_calls(void) {
  int (*alloc)(address*, size_t) = NULL;
  void* found = NULL;
  int status = 0, value = 0;
  address device = 0;
  const char* name = "";
  float milliseconds = 0;
  handle stream, from, to;
  unsigned words[2];
  expect("by name", cuGetProcAddress_v2("cuMemAlloc", (void**)&alloc, 12000, 0, &status), 0);
  expect("memory", alloc(&device, 8), 0);
  expect("no such name", cuGetProcAddress_v2("cuMemAllot", &found, 12000, 0, &status), 500);
  expect("status", status, 1);
  expect("fill", cuMemsetD32_v2(device, 0x12345678, 2), 0);
  expect("the runtime knows the same memory", cudaMemcpy(words, (void*)device, 8, 2), 0);
  expect("word", words[1], 0x12345678);
  expect("it gives it back", cudaFree((void*)device), 0);
  expect("stream", cuStreamCreate(&stream, 1) | cuEventCreate(&from, 0) | cuEventCreate(&to, 0), 0);
  expect("events", cuEventRecord(from, stream) | cuEventRecord(to, stream), 0);
  expect("time", cuEventElapsedTime(&milliseconds, from, to) == 0 && milliseconds > 0, 1);
  expect("what is absent", cuIpcGetMemHandle(NULL, device), 801);
  expect("error name", cuGetErrorName(700, &name) || strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") != 0, 0);
  expect("no such error", cuGetErrorName(123456, &name), 1);
  expect("warps of 32", cuDeviceGetAttribute(&value, 10, 0) + value, 32);
  expect("no such device", cuDeviceGet(&value, 1), 101);
  expect("no such file", cuModuleLoad(&stream, "no/such/file"), 301);
}

/* What the run-time compiler in this library made for the machine of a program. */
static void run_compiled(const char* library, const char* program) {
  void* compiler = dlopen(library, RTLD_NOW);
  int (*size)(const char*, size_t*) =
      compiler == NULL ? NULL : (int (*)(const char*, size_t*))dlsym(compiler, "nvrtcGetCUBINSize");
  int (*get)(const char*, char*) =
      compiler == NULL ? NULL : (int (*)(const char*, char*))dlsym(compiler, "nvrtcGetCUBIN");
  size_t bytes = 0;
  handle module = NULL;
  expect("compiler", size != NULL && get != NULL, 1);
  if (failed) return;
  expect("size", size(program, &bytes), 0);
  char* image = malloc(bytes);
  expect("code", get(program, image), 0);
  expect("load", cuModuleLoadData(&module, image), 0);
  free(image);
  if (!failed) run_scale(module);
}

int main(int argc, char** argv) {
  handle context = NULL, module = NULL, kernel = NULL;
  if (argc < 3) return 1;
  const char* what = argv[1];
  expect("init", cuInit(0) | cuCtxCreate_v2(&context, 0, 0), 0);
  if (strcmp(what, "scale") == 0) {
    expect("load", cuModuleLoad(&module, argv[2]), 0);
    run_scale(module);
    expect("unload", cuModuleUnload(module), 0);
  }
  if (strncmp(what, "mapping", 7) == 0) {
    expect("load", cuModuleLoad(&module, argv[2]), 0);
    run_mapping(module, strcmp(what, "mapping-fault") == 0);
  }
  if (strcmp(what, "graphs") == 0) {
    expect("load", cuModuleLoad(&module, argv[2]), 0);
    run_graphs(module);
  }
  if (strcmp(what, "mip-maps") == 0) {
    expect("load", cuModuleLoad(&module, argv[2]), 0);
    run_mip_maps(module);
  }
  if (strcmp(what, "pipelines") == 0) {
    expect("load", cuModuleLoad(&module, argv[2]), 0);
    run_pipelines(module);
  }
  if (strcmp(what, "tensors") == 0) {
    expect("load", cuModuleLoad(&module, argv[2]), 0);
    run_tensors(module);
  }
  if (strncmp(what, "values", 6) == 0) {
    expect("load", cuModuleLoad(&module, argv[2]), 0);
    run_values(module, strcmp(what, "values-without") == 0);
  }
  if (strcmp(what, "batches") == 0) run_batches();
  if (strcmp(what, "pools") == 0) run_pools();
  if (strcmp(what, "arrays") == 0) run_arrays();
  if (strcmp(what, "calls") == 0) run_calls();
  if (strcmp(what, "linked") == 0) run_linked(argv + 2);
  if (strcmp(what, "compiled") == 0 && argc > 3) run_compiled(argv[2], argv[3]);
  if (strcmp(what, "no-ptx") == 0) expect("no PTX", cuModuleLoadData(&module, "this is no PTX"), 218);
  if (strcmp(what, "fault") == 0) {
    address device;
    void* values[] = {&device};
    cuMemAlloc_v2(&device, 4096);
    expect("load", cuModuleLoad(&module, argv[2]) | cuModuleGetFunction(&kernel, module, "outside"), 0);
    expect("fault", launch(kernel, 2, 32, values, NULL), 0);
    expect("later calls", cuCtxSynchronize(), 700);
  }
  if (!failed) printf("%s: right\n", what);
  return failed;
}
