/* What a program holds that nvcc linked with its runtime library: functions of these names, none of which may
   ever run. As the real ones, they ask the driver for what only NVIDIA's has. */
#include <dlfcn.h>
#include <stddef.h>

static __attribute__((noinline)) long ask_driver(void) {
  static const unsigned char tools[16] = {1};
  const void* table = NULL;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*ask)(const void**, const void*) =
      driver == NULL ? NULL : (int (*)(const void**, const void*))dlsym(driver, "cuGetExportTable");
  return ask == NULL || ask(&table, tools) != 0 ? 999 : 0;
}

/* A jump has room in each, as it has in the real ones. */
#define CALL(name)                               \
  __attribute__((aligned(16))) long name(void) { \
    return ask_driver();                         \
  }
CALL(__cudaRegisterFatBinary)
CALL(__cudaRegisterFatBinaryEnd)
CALL(__cudaUnregisterFatBinary)
CALL(__cudaRegisterFunction)
CALL(__cudaRegisterVar)
CALL(cudaMalloc)
CALL(cudaFree)
CALL(cudaMallocManaged)
CALL(cudaMemcpy)
CALL(cudaMemcpyToSymbol)
CALL(cudaMemcpyFromSymbol)
CALL(cudaMemset)
CALL(cudaMemGetInfo)
CALL(cudaLaunchKernel)
CALL(cudaDeviceSynchronize)
CALL(cudaDeviceReset)
CALL(cudaDeviceSetLimit)
CALL(cudaDeviceGetLimit)
CALL(cudaGetLastError)
CALL(cudaPeekAtLastError)
CALL(cudaStreamCreate)
CALL(cudaStreamCreateWithFlags)
CALL(cudaStreamCreateWithPriority)
CALL(cudaStreamSynchronize)
CALL(cudaStreamWaitEvent)
CALL(cudaEventCreate)
CALL(cudaEventRecord)
CALL(cudaStreamDestroy)
CALL(cudaStreamQuery)
CALL(cudaEventQuery)
CALL(cudaEventSynchronize)
CALL(cudaStreamBeginCapture)
CALL(cudaStreamEndCapture)
CALL(cudaGraphInstantiate)
CALL(cudaGraphLaunch)
CALL(cudaGraphCreate)
CALL(cudaGraphAddNode)
CALL(cudaGraphAddEventRecordNode)
CALL(cudaGraphAddEventWaitNode)
CALL(cudaGraphEventRecordNodeGetEvent)
CALL(cudaGraphEventWaitNodeGetEvent)
CALL(cudaGraphAddMemAllocNode)
CALL(cudaGraphAddMemFreeNode)
CALL(cudaGraphAddMemcpyNode1D)
CALL(cudaGraphConditionalHandleCreate)
CALL(cudaGraphKernelNodeGetParams)
CALL(cudaGraphKernelNodeSetParams)
CALL(cudaGraphExecMemcpyNodeSetParams1D)
CALL(cudaGraphMemcpyNodeSetParams1D)
CALL(cudaGraphGetRootNodes)
CALL(cudaGraphGetNodes)
CALL(cudaGraphNodeSetEnabled)
CALL(cudaGraphNodeGetEnabled)
CALL(cudaDeviceGetGraphMemAttribute)
CALL(cudaDeviceGraphMemTrim)
CALL(cudaMallocAsync)
CALL(cudaFreeAsync)
CALL(cudaMemcpyAsync)
CALL(cudaMemcpyBatchAsync)
CALL(cudaStreamBeginCaptureToGraph)
CALL(cudaDeviceGetAttribute)
CALL(cudaIpcGetMemHandle)
CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
CALL(cudaRuntimeGetVersion)
CALL(cudaFuncGetAttributes)
CALL(cudaLaunchKernelExC)
CALL(cudaOccupancyMaxPotentialClusterSize)
CALL(cudaOccupancyMaxActiveClusters)
CALL(cudaFuncSetAttribute)
CALL(cudaStreamSetAttribute)
CALL(cudaStreamGetAttribute)
CALL(cudaStreamCopyAttributes)
CALL(cudaCtxResetPersistingL2Cache)
CALL(cudaGraphAddKernelNode)
CALL(cudaGraphKernelNodeSetAttribute)
CALL(cudaGraphKernelNodeGetAttribute)
CALL(cudaGraphKernelNodeCopyAttributes)
CALL(cudaMallocMipmappedArray)
CALL(cudaGetMipmappedArrayLevel)
CALL(cudaFreeMipmappedArray)
CALL(cudaMemcpy2DToArray)
CALL(cudaCreateTextureObject)
CALL(cudaDestroyTextureObject)
__attribute__((aligned(16))) const char* cudaGetErrorName(int code) {
  return code == 0 ? "of the program" : "also of the program";
}
/* The versions differ in the names that they have. */
#if MAJOR == 11
CALL(cudaBindTexture)
#elif MAJOR == 12
CALL(cudaGetDeviceProperties_v2)
#endif
