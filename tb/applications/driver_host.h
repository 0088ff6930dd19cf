#pragma once

/* The calls of libcuda.so.1 that several files of driver_host make, by its ABI. */
#include <stddef.h>
#include <stdint.h>

typedef void* handle;
typedef uint64_t address;
int cuDeviceGetAttribute(int*, int, int);
int cuModuleGetFunction(handle*, handle, const char*);
int cuModuleGetGlobal_v2(address*, size_t*, handle, const char*);
int cuMemAlloc_v2(address*, size_t);
int cuMemFree_v2(address);
int cuMemcpyHtoD_v2(address, const void*, size_t);
int cuMemcpyDtoH_v2(void*, address, size_t);
int cuMemsetD32_v2(address, unsigned, size_t);
int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle,
                   void**, void**);

/* Says when `got` is not `want`, and that the program has failed. */
void expect(const char* what, long got, long want);
/* With faults: ends with a kernel that writes what may only be read. */
void run_mapping(handle module, int faults);
void run_graphs(handle module);
void run_pools(void);
void run_batches(void);
void run_mip_maps(handle module);
void run_pipelines(handle module);
void run_tensors(handle module);
/* Without: no write of the value, which is a fault. */
void run_values(handle module, int without);
