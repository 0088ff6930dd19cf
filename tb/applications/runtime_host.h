/* What the sources of the application of the tests share: calls of the runtime library, by its ABI. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
  unsigned x, y, z;
};
struct wrapper {
  uint32_t magic, version;
  const void* data;
  const void** prelinked;
};
typedef void* handle;
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
int cudaMalloc(void**, size_t);
int cudaFree(void*);
int cudaMallocManaged(void**, size_t, unsigned);
int cudaMemcpy(void*, const void*, size_t, int);
int cudaMemcpyToSymbol(const void*, const void*, size_t, size_t, int);
int cudaMemcpyFromSymbol(void*, const void*, size_t, size_t, int);
int cudaMemset(void*, int, size_t);
int cudaMemGetInfo(size_t*, size_t*);
int cudaLaunchKernel(const void*, struct dim3, struct dim3, void**, size_t, handle);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaDeviceSetLimit(int, size_t);
int cudaDeviceGetLimit(size_t*, int);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char* cudaGetErrorName(int);
int cudaStreamCreate(handle*);
int cudaStreamCreateWithFlags(handle*, unsigned);
int cudaStreamCreateWithPriority(handle*, unsigned, int);
int cudaStreamSynchronize(handle);
int cudaStreamWaitEvent(handle, handle, unsigned);
int cudaEventCreate(handle*);
int cudaEventRecord(handle, handle);
int cudaStreamDestroy(handle);
int cudaStreamQuery(handle);
int cudaEventQuery(handle);
int cudaEventSynchronize(handle);
int cudaStreamBeginCapture(handle, int);
int cudaStreamEndCapture(handle, handle*);
int cudaGraphInstantiate(handle*, handle, unsigned long long);
int cudaGraphLaunch(handle, handle);
int cudaGraphCreate(handle*, unsigned);
#if MAJOR >= 13
int cudaGraphAddNode(handle*, handle, const handle*, const void*, size_t, void*);
#else
int cudaGraphAddNode(handle*, handle, const handle*, size_t, void*);
#endif
int cudaGraphAddMemAllocNode(handle*, handle, const handle*, size_t, void*);
int cudaGraphAddMemFreeNode(handle*, handle, const handle*, size_t, void*);
int cudaGraphAddEventRecordNode(handle*, handle, const handle*, size_t, handle);
int cudaGraphAddEventWaitNode(handle*, handle, const handle*, size_t, handle);
int cudaGraphEventRecordNodeGetEvent(handle, handle*);
int cudaGraphEventWaitNodeGetEvent(handle, handle*);
int cudaGraphAddMemcpyNode1D(handle*, handle, const handle*, size_t, void*, const void*, size_t, int);
struct kernel_node {
  const void* function;
  struct dim3 grid, block;
  unsigned shared;
  void** values;
  void** extra;
};
int cudaGraphKernelNodeGetParams(handle, struct kernel_node*);
int cudaGraphKernelNodeSetParams(handle, const struct kernel_node*);
int cudaGraphMemcpyNodeSetParams1D(handle, void*, const void*, size_t, int);
int cudaGraphExecMemcpyNodeSetParams1D(handle, handle, void*, const void*, size_t, int);
int cudaGraphGetRootNodes(handle, handle*, size_t*);
int cudaGraphGetNodes(handle, handle*, size_t*);
int cudaGraphNodeSetEnabled(handle, handle, unsigned);
int cudaGraphNodeGetEnabled(handle, handle, unsigned*);
int cudaGraphConditionalHandleCreate(unsigned long long*, handle, unsigned, unsigned);
int cudaDeviceGetGraphMemAttribute(int, int, unsigned long long*);
int cudaDeviceGraphMemTrim(int);
int cudaMallocAsync(void**, size_t, handle);
int cudaFreeAsync(void*, handle);
int cudaMemcpyAsync(void*, const void*, size_t, int, handle);
struct attributes;
#if MAJOR >= 13
int cudaMemcpyBatchAsync(void* const*, const void* const*, const size_t*, size_t, struct attributes*, size_t*,
                         size_t, handle);
#else
int cudaMemcpyBatchAsync(void* const*, const void* const*, const size_t*, size_t, struct attributes*, size_t*,
                         size_t, size_t*, handle);
#endif
int cudaStreamBeginCaptureToGraph(handle, handle, const handle*, const void*, size_t, int);
int cudaDeviceGetAttribute(int*, int, int);
int cudaFuncGetAttributes(void*, const void*);
int cudaRuntimeGetVersion(int*);
int cudaIpcGetMemHandle(void*, void*);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, size_t);

enum { to_device = 1, to_host = 2 };
extern char counts, scale, factor, levels, locks, waits, sets,
    serves; /* of those whose addresses stand for kernels */
extern int failed;

void expect(const char* what, long got, long want);
int launch(const char* kernel, unsigned blocks, unsigned threads, void** values, handle stream);
void run_graph_memory(void);
void run_conditions(void);
void run_graph_edits(void);
void run_mip_maps(void);
void run_batches(void);
void run_streams(void);
void run_clusters(void);
void run_waits(void);
void run_waits_for_ever(void);
