#include "traces/cuda/device/streams.h"
#include "traces/cuda/runtime/call.h"

namespace strata::cuda {

int& last_error() {
  static thread_local int code = success;
  return code;
}

}  // namespace strata::cuda

using namespace strata::cuda;
using abi::Handle;

STRATA_CUDA_CALL cudaStreamCreateWithPriority(Handle* to, unsigned flags, int priority) {
  return call([&](Device&) {
    if (to == nullptr) throw CallError(invalid_value);
    *to = make_stream(flags, priority);
  });
}
STRATA_CUDA_CALL cudaStreamCreateWithFlags(Handle* to, unsigned flags) {
  return cudaStreamCreateWithPriority(to, flags, 0);
}
STRATA_CUDA_CALL cudaStreamCreate(Handle* to) {
  return cudaStreamCreateWithPriority(to, 0, 0);
}
STRATA_CUDA_CALL cudaStreamDestroy(Handle handle) {
  return call([&](Device&) { destroy_stream(handle); });
}
STRATA_CUDA_CALL cudaStreamSynchronize(Handle handle) {
  return call([&](Device& device) { synchronize_stream(device, handle); });
}
STRATA_CUDA_CALL cudaStreamSynchronize_ptsz(Handle handle) {
  return cudaStreamSynchronize(of_thread(handle));
}
STRATA_CUDA_CALL cudaStreamQuery(Handle handle) {
  return call([&](Device& device) { query_stream(device, handle); });
}
STRATA_CUDA_CALL cudaStreamQuery_ptsz(Handle handle) {
  return cudaStreamQuery(of_thread(handle));
}
STRATA_CUDA_CALL cudaStreamWaitEvent(Handle handle, Handle event, unsigned) {
  return call([&](Device& device) { wait_for(device, handle, event); });
}
STRATA_CUDA_CALL cudaStreamWaitEvent_ptsz(Handle handle, Handle event, unsigned flags) {
  return cudaStreamWaitEvent(of_thread(handle), event, flags);
}
STRATA_CUDA_CALL cudaStreamGetFlags(Handle handle, unsigned* flags) {
  return call([&](Device&) { *flags = stream_of(handle).flags; });
}
STRATA_CUDA_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags)
STRATA_CUDA_CALL cudaStreamGetPriority(Handle handle, int* priority) {
  return call([&](Device&) { *priority = stream_of(handle).priority; });
}
STRATA_CUDA_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority)
STRATA_CUDA_CALL cudaStreamGetDevice(Handle handle, int* device) {
  return call([&](Device&) {
    stream_of(handle);
    *device = 0;
  });
}
STRATA_CUDA_CALL cudaStreamAttachMemAsync(Handle handle, void*, std::size_t, unsigned) {
  return call([&](Device&) { stream_of(handle); });
}
STRATA_CUDA_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync)
STRATA_CUDA_CALL cudaStreamSetAttribute(Handle handle, int number, const void* value) {
  return call([&](Device& device) { set_stream_attribute(device, handle, number, value); });
}
STRATA_CUDA_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute)
STRATA_CUDA_CALL cudaStreamGetAttribute(Handle handle, int number, void* value) {
  return call([&](Device&) { get_stream_attribute(handle, number, value); });
}
STRATA_CUDA_ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute)
STRATA_CUDA_CALL cudaStreamCopyAttributes(Handle to, Handle from) {
  return call([&](Device&) { copy_stream_attributes(to, from); });
}
STRATA_CUDA_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes)

STRATA_CUDA_CALL cudaLaunchHostFunc(Handle stream, void (*function)(void*), void* data) {
  return call(
      [&](Device& device) { put(device, stream, GraphNode::Kind::host, [=](Device&) { function(data); }); });
}
STRATA_CUDA_CALL cudaLaunchHostFunc_ptsz(Handle stream, void (*function)(void*), void* data) {
  return cudaLaunchHostFunc(of_thread(stream), function, data);
}
STRATA_CUDA_CALL cudaStreamAddCallback(Handle stream, void (*function)(Handle, int, void*), void* data,
                                       unsigned) {
  return call([&](Device& device) {
    put(device, stream, GraphNode::Kind::host, [=](Device&) { function(stream, success, data); });
  });
}
STRATA_CUDA_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback)

STRATA_CUDA_CALL cudaEventCreateWithFlags(Handle* to, unsigned) {
  return call([&](Device&) {
    if (to == nullptr) throw CallError(invalid_value);
    *to = new Event;
  });
}
STRATA_CUDA_CALL cudaEventCreate(Handle* to) {
  return cudaEventCreateWithFlags(to, 0);
}
STRATA_CUDA_CALL cudaEventDestroy(Handle event) {
  return call([&](Device&) { delete &event_of(event); });
}
STRATA_CUDA_CALL cudaEventRecord(Handle event, Handle stream) {
  return call([&](Device& device) { record_event(device, event, stream); });
}
STRATA_CUDA_CALL cudaEventRecord_ptsz(Handle event, Handle stream) {
  return cudaEventRecord(event, of_thread(stream));
}
STRATA_CUDA_CALL cudaEventRecordWithFlags(Handle event, Handle stream, unsigned) {
  return cudaEventRecord(event, stream);
}
STRATA_CUDA_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags)
STRATA_CUDA_CALL cudaEventSynchronize(Handle event) {
  return call([&](Device& device) { synchronize_event(device, event); });
}
STRATA_CUDA_CALL cudaEventQuery(Handle event) {
  return call([&](Device& device) { query_event(device, event); });
}
STRATA_CUDA_CALL cudaEventElapsedTime(float* milliseconds, Handle from, Handle to) {
  return call([&](Device&) { *milliseconds = elapsed(from, to); });
}
STRATA_CUDA_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime)
