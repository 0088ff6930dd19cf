/* Memory that a program of the driver library makes and maps itself. */
#include <stdio.h>
#include <string.h>

#include "driver_host.h"

enum { page = 2 << 20, border = page / 4 }; /* border: an element of 4 bytes, the first of the second page */
struct place {
  int type, id;
};
struct kind {
  int type, handles;
  struct place where;
  void* security;
  unsigned char compression, remote;
  unsigned short usage;
  unsigned char reserved[4];
};
struct rights {
  struct place who;
  unsigned what;
};
int cuMemAddressReserve(address*, size_t, size_t, address, unsigned long long);
int cuMemAddressFree(address, size_t);
int cuMemCreate(uint64_t*, size_t, const struct kind*, unsigned long long);
int cuMemRelease(uint64_t);
int cuMemMap(address, size_t, size_t, uint64_t, unsigned long long);
int cuMemUnmap(address, size_t);
int cuMemSetAccess(address, size_t, const struct rights*, size_t);
int cuMemGetAccess(unsigned long long*, const struct place*, address);
int cuMemGetAllocationGranularity(size_t*, const struct kind*, int);
int cuMemRetainAllocationHandle(uint64_t*, void*);
int cuMemGetAllocationPropertiesFromHandle(struct kind*, uint64_t);
int cuMemGetInfo_v2(size_t*, size_t*);
int cuCtxSynchronize(void);

static const struct kind on_device = {1, 0, {1, 0}, NULL, 0, 0, 0, {0}};

static size_t left(void) {
  size_t bytes = 0, all = 0;
  cuMemGetInfo_v2(&bytes, &all);
  return bytes;
}

/* Two pages side by side are one piece of memory; the first also lies behind them. */
void run_mapping(handle module, int faults) {
  enum { n = 100 };
  const struct kind elsewhere = {1, 0, {1, 1}, NULL, 0, 0, 0, {0}},
                    shared = {1, 1, {1, 0}, NULL, 0, 0, 0, {0}};
  const struct rights all = {{1, 0}, 3}, read = {{1, 0}, 1}, odd = {{1, 0}, 2};
  struct kind told = {0, 0, {0, 0}, NULL, 0, 0, 0, {0}};
  unsigned long long access = 9;
  size_t bytes = 0, before;
  uint64_t a = 0, b = 0, again = 0;
  address at = 0, device;
  handle kernel = NULL;
  float host[n], three = 3;
  int supported = 0, count = n;
  address factor = 0;
  expect("function", cuModuleGetFunction(&kernel, module, "scale"), 0);
  expect("variable", cuModuleGetGlobal_v2(&factor, &bytes, module, "factor"), 0);
  before = left();
  expect("supported", cuDeviceGetAttribute(&supported, 102, 0) + supported, 1);
  expect("granularity", cuMemGetAllocationGranularity(&bytes, &on_device, 0), 0);
  expect("bytes of it", (long)bytes, page);
  expect("no such device", cuMemCreate(&a, page, &elsewhere, 0), 101);
  expect("for other processes", cuMemCreate(&a, page, &shared, 0), 801);
  expect("part of a page", cuMemCreate(&a, page / 2, &on_device, 0), 1);
  expect("more than there is", cuMemCreate(&a, (size_t)1 << 45, &on_device, 0), 2);
  expect("memory", cuMemCreate(&a, page, &on_device, 0) | cuMemCreate(&b, page, &on_device, 0), 0);
  expect("is used", (long)(before - left()), 2 * page);
  expect("addresses of part of a page", cuMemAddressReserve(&at, page + 1, 0, 0, 0), 1);
  expect("addresses", cuMemAddressReserve(&at, 4 * (size_t)page, 0, 0, 0), 0);
  expect("whole pages", (long)(at % page), 0);
  expect("nothing is there", cuMemsetD32_v2(at, 1, 1), 1);
  expect("map", cuMemMap(at, page, 0, a, 0) | cuMemMap(at + page, page, 0, b, 0), 0);
  expect("map over it", cuMemMap(at, page, 0, b, 0), 1);
  expect("map beyond", cuMemMap(at + 4 * page, page, 0, b, 0), 1);
  expect("map what is not", cuMemMap(at + 2 * page, page, 0, 77, 0), 1);
  expect("not to be used yet", cuMemsetD32_v2(at, 1, 1), 1);
  expect("nor copied", cuMemcpyHtoD_v2(at, host, sizeof host), 1);
  expect("rights of what is not there", cuMemSetAccess(at, 3 * (size_t)page, &all, 1), 1);
  expect("no such rights", cuMemSetAccess(at, 2 * (size_t)page, &odd, 1), 1);
  expect("rights", cuMemSetAccess(at, 2 * (size_t)page, &all, 1), 0);
  expect("are told", cuMemGetAccess(&access, &all.who, at + page + 5), 0);
  expect("all", (long)access, 3);

  /* A copy and a kernel across the border, and what the first page shows elsewhere. */
  device = at + 4 * (border - n / 2);
  for (int i = 0; i < n; ++i) host[i] = (float)i;
  expect("copies", cuMemcpyHtoD_v2(device, host, sizeof host) | cuMemcpyHtoD_v2(factor, &three, 4), 0);
  void* values[] = {&device, &count};
  expect("launch", cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, NULL, values, NULL), 0);
  expect("copy back", cuMemcpyDtoH_v2(host, device, sizeof host), 0);
  for (int i = 0; i < n; ++i) expect("element", (long)host[i], 3 * i);
  expect("map again", cuMemMap(at + 3 * page, page, 0, a, 0), 0);
  expect("to be read", cuMemSetAccess(at + 3 * page, page, &read, 1), 0);
  expect("copy from there", cuMemcpyDtoH_v2(host, device + 3 * page, 4 * n / 2), 0);
  for (int i = 0; i < n / 2; ++i) expect("the same element", (long)host[i], 3 * i);
  if (faults) {
    device += 3 * page;
    count = n / 2;
    expect("a store there", cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, NULL, values, NULL), 0);
    expect("later calls", cuCtxSynchronize(), 700);
    return;
  }
  expect("whose is it", cuMemRetainAllocationHandle(&again, (void*)(at + 3 * page)), 0);
  expect("that of the first page", (long)again, (long)a);
  expect("its kind", cuMemGetAllocationPropertiesFromHandle(&told, again), 0);
  expect("on the device", told.type == 1 && told.where.type == 1, 1);

  /* Mapped memory stays after its release; addresses go when nothing is mapped any more. */
  expect("let go", cuMemRelease(a) | cuMemRelease(again) | cuMemRelease(b), 0);
  expect("once too often", cuMemRelease(b), 1);
  expect("not an allocation", cuMemFree_v2(at), 1);
  expect("part of a page goes", cuMemUnmap(at, page / 2), 1);
  expect("addresses in use", cuMemAddressFree(at, 4 * (size_t)page), 1);
  expect("unmap", cuMemUnmap(at, page), 0);
  expect("is gone", cuMemsetD32_v2(at, 1, 1), 1);
  expect("the second page stays", cuMemcpyDtoH_v2(host, at + page, 4), 0);
  expect("first element of it", (long)host[0], 3 * (n / 2));
  expect("one page is left, and the one that lies twice", (long)(before - left()), 2 * page);
  expect("unmap the others", cuMemUnmap(at + page, page) | cuMemUnmap(at + 3 * page, page), 0);
  expect("all is given back", (long)(before - left()), 0);
  expect("addresses go", cuMemAddressFree(at, 4 * (size_t)page), 0);
  expect("twice", cuMemAddressFree(at, 4 * (size_t)page), 1);
}

struct pool_kind {
  int type, handles;
  struct place where;
  void* security;
  size_t most;
  unsigned short usage;
  unsigned char reserved[54];
};
int cuMemPoolCreate(handle*, const struct pool_kind*);
int cuMemPoolDestroy(handle);
int cuMemPoolSetAttribute(handle, int, const void*);
int cuMemPoolGetAttribute(handle, int, void*);
int cuMemPoolTrimTo(handle, size_t);
int cuMemPoolGetAccess(int*, handle, const struct place*);
int cuMemAllocFromPoolAsync(address*, size_t, handle, handle);
int cuMemAllocAsync(address*, size_t, handle);
int cuDeviceGetDefaultMemPool(handle*, int);
int cuDeviceGetMemPool(handle*, int);
int cuDeviceSetMemPool(int, handle);
int cudaMallocAsync(void**, size_t, handle);
int cudaFreeAsync(void*, handle);
int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);

enum { keep = 4, reserved, most_reserved, used, most_used };
static long of_pool(handle pool, int attribute) {
  unsigned long long value = 0;
  expect("attribute", cuMemPoolGetAttribute(pool, attribute, &value), 0);
  return (long)value;
}

/* What a pool says of its memory, whichever library allocates. It is reserved in pages. */
void run_pools(void) {
  const struct pool_kind small = {1, 0, {1, 0}, NULL, 3 * (size_t)page, 0, {0}},
                         shared = {.type = 1, .handles = 1, .where = {1, 0}};
  const struct place here = {1, 0}, elsewhere = {1, 1};
  unsigned long long four = 4 * (size_t)page, none = 0;
  handle pool = NULL, standard = NULL, now = NULL;
  void *a = NULL, *found = NULL;
  address b = 0, c = 0;
  int access = 0, result = 9;
  expect("pool", cuMemPoolCreate(&pool, &small) | cuDeviceGetDefaultMemPool(&standard, 0), 0);
  expect("for other processes", cuMemPoolCreate(&now, &shared), 801);
  expect("its device", cuMemPoolGetAccess(&access, pool, &here) | (access != 3), 0);
  expect("no such device", cuMemPoolGetAccess(&access, pool, &elsewhere), 101);
  expect("allocate", cuMemAllocFromPoolAsync(&b, page + 1, pool, NULL), 0);
  expect("more than it may have", cuMemAllocFromPoolAsync(&c, 2 * page, pool, NULL), 2);
  expect("used", of_pool(pool, used), page + 1);
  expect("reserved", of_pool(pool, reserved), 2 * page);
  expect("the other is empty", of_pool(standard, used), 0);
  expect("make it the device's", cuDeviceSetMemPool(0, pool) | cuDeviceGetMemPool(&now, 0) | (now != pool),
         0);
  expect("the runtime allocates there", cudaMallocAsync(&a, 1000, NULL), 0);
  expect("used", of_pool(pool, used), page + 1001);
  expect("free", cudaFreeAsync(a, NULL) | cuMemFree_v2(b), 0);
  expect("none is used", of_pool(pool, used), 0);
  expect("the most", of_pool(pool, most_used), page + 1001);
  expect("nothing is kept", of_pool(pool, reserved), 0);
  expect("keep it", cuMemPoolSetAttribute(pool, keep, &four), 0);
  expect("is kept", of_pool(pool, reserved), 2 * page);
  expect("trim", cuMemPoolTrimTo(pool, 0), 0);
  expect("is not", of_pool(pool, reserved), 0);
  expect("forget the most", cuMemPoolSetAttribute(pool, most_used, &none), 0);
  expect("of now", of_pool(pool, most_used), 0);
  expect("only forget", cuMemPoolSetAttribute(pool, most_used, &four), 1);
  expect("not to be set", cuMemPoolSetAttribute(pool, used, &none), 1);
  expect("no such attribute", cuMemPoolGetAttribute(pool, 9, &four), 1);
  expect("in use when destroyed", cuMemAllocAsync(&b, 8, NULL) | cuMemPoolDestroy(pool), 0);
  expect("its memory stays", cuMemsetD32_v2(b, 1, 2) | cuMemFree_v2(b), 0);
  expect("twice", cuMemPoolDestroy(pool), 1);
  expect("the standard one again", cuDeviceGetMemPool(&now, 0) | (now != standard), 0);
  expect("which stays", cuMemPoolDestroy(standard), 1);

  expect("a call", cudaGetDriverEntryPointByVersion("cuMemPoolTrimTo", &found, 12000, 0, &result), 0);
  expect("of the driver", found == (void*)&cuMemPoolTrimTo && result == 0, 1);
  expect("none", cudaGetDriverEntryPointByVersion("cuMemPoolTrimFrom", &found, 12000, 0, &result), 0);
  expect("is told", found == NULL && result == 1, 1);
}
