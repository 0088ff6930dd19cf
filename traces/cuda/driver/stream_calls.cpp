#include "traces/cuda/driver/driver_call.h"

using namespace strata::cuda;

STRATA_CUDA_CALL cuStreamCreateWithPriority(Handle* to, unsigned flags, int priority) {
  return guarded([&](Device&) { *to = make_stream(flags, priority); });
}
STRATA_CUDA_CALL cuStreamCreate(Handle* to, unsigned flags) {
  return cuStreamCreateWithPriority(to, flags, 0);
}
STRATA_CUDA_CALL cuStreamDestroy_v2(Handle stream) {
  return guarded([&](Device&) { destroy_stream(stream); });
}
STRATA_CUDA_CALL cuStreamSynchronize(Handle stream) {
  return guarded([&](Device& device) { synchronize_stream(device, stream); });
}
STRATA_CUDA_CALL cuStreamSynchronize_ptsz(Handle stream) {
  return cuStreamSynchronize(of_thread(stream));
}
STRATA_CUDA_CALL cuStreamQuery(Handle stream) {
  return guarded([&](Device& device) { query_stream(device, stream); });
}
STRATA_CUDA_CALL cuStreamQuery_ptsz(Handle stream) {
  return cuStreamQuery(of_thread(stream));
}
STRATA_CUDA_CALL cuStreamWaitEvent(Handle stream, Handle event, unsigned) {
  return guarded([&](Device& device) { wait_for(device, stream, event); });
}
STRATA_CUDA_CALL cuStreamWaitEvent_ptsz(Handle stream, Handle event, unsigned flags) {
  return cuStreamWaitEvent(of_thread(stream), event, flags);
}
STRATA_CUDA_CALL cuStreamGetFlags(Handle stream, unsigned* flags) {
  return guarded([&](Device&) { *flags = stream_of(stream).flags; });
}
STRATA_CUDA_ALIAS(cuStreamGetFlags_ptsz, cuStreamGetFlags)
STRATA_CUDA_CALL cuStreamGetPriority(Handle stream, int* priority) {
  return guarded([&](Device&) { *priority = stream_of(stream).priority; });
}
STRATA_CUDA_ALIAS(cuStreamGetPriority_ptsz, cuStreamGetPriority)
STRATA_CUDA_CALL cuStreamGetCtx(Handle stream, Handle* context) {
  return guarded([&](Device& device) {
    stream_of(stream);
    *context = &device;
  });
}
STRATA_CUDA_ALIAS(cuStreamGetCtx_ptsz, cuStreamGetCtx)
STRATA_CUDA_CALL cuStreamGetCtx_v2(Handle stream, Handle* context, Handle* green) {
  *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
STRATA_CUDA_CALL cuStreamIsCapturing(Handle stream, int* status) {
  return guarded([&](Device&) { *status = stream_of(stream).capture != nullptr ? 1 : 0; });
}
STRATA_CUDA_ALIAS(cuStreamIsCapturing_ptsz, cuStreamIsCapturing)
STRATA_CUDA_CALL cuStreamBeginCapture_v2(Handle stream, int) {
  return guarded([&](Device&) { begin_capture(stream); });
}
STRATA_CUDA_ALIAS(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2)
STRATA_CUDA_CALL cuStreamEndCapture(Handle stream, Handle* graph) {
  return guarded([&](Device&) { *graph = take_capture(stream); });
}
STRATA_CUDA_ALIAS(cuStreamEndCapture_ptsz, cuStreamEndCapture)
STRATA_CUDA_CALL cuStreamAttachMemAsync(Handle stream, std::uint64_t, std::size_t, unsigned) {
  return guarded([&](Device&) { stream_of(stream); });
}
STRATA_CUDA_ALIAS(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync)
STRATA_CUDA_CALL cuStreamSetAttribute(Handle stream, int number, const void* value) {
  return guarded([&](Device& device) { set_stream_attribute(device, stream, number, value); });
}
STRATA_CUDA_ALIAS(cuStreamSetAttribute_ptsz, cuStreamSetAttribute)
STRATA_CUDA_CALL cuStreamGetAttribute(Handle stream, int number, void* value) {
  return guarded([&](Device&) { get_stream_attribute(stream, number, value); });
}
STRATA_CUDA_ALIAS(cuStreamGetAttribute_ptsz, cuStreamGetAttribute)
STRATA_CUDA_CALL cuStreamCopyAttributes(Handle to, Handle from) {
  return guarded([&](Device&) { copy_stream_attributes(to, from); });
}
STRATA_CUDA_ALIAS(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes)
STRATA_CUDA_CALL cuThreadExchangeStreamCaptureMode(int*) {
  return success;
}
STRATA_CUDA_CALL cuLaunchHostFunc(Handle stream, void (*function)(void*), void* data) {
  return guarded(
      [&](Device& device) { put(device, stream, GraphNode::Kind::host, [=](Device&) { function(data); }); });
}
STRATA_CUDA_ALIAS(cuLaunchHostFunc_ptsz, cuLaunchHostFunc)
STRATA_CUDA_CALL cuStreamAddCallback(Handle stream, void (*function)(Handle, int, void*), void* data,
                                     unsigned) {
  return guarded([&](Device& device) {
    put(device, stream, GraphNode::Kind::host, [=](Device&) { function(stream, success, data); });
  });
}
STRATA_CUDA_ALIAS(cuStreamAddCallback_ptsz, cuStreamAddCallback)

STRATA_CUDA_CALL cuEventCreate(Handle* to, unsigned) {
  return guarded([&](Device&) { *to = new Event; });
}
STRATA_CUDA_CALL cuEventDestroy_v2(Handle event) {
  return guarded([&](Device&) { delete &event_of(event); });
}
STRATA_CUDA_CALL cuEventRecord(Handle event, Handle stream) {
  return guarded([&](Device& device) { record_event(device, event, stream); });
}
STRATA_CUDA_CALL cuEventRecord_ptsz(Handle event, Handle stream) {
  return cuEventRecord(event, of_thread(stream));
}
STRATA_CUDA_CALL cuEventRecordWithFlags(Handle event, Handle stream, unsigned) {
  return cuEventRecord(event, stream);
}
STRATA_CUDA_ALIAS(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags)
STRATA_CUDA_CALL cuEventSynchronize(Handle event) {
  return guarded([&](Device& device) { synchronize_event(device, event); });
}
STRATA_CUDA_CALL cuEventQuery(Handle event) {
  return guarded([&](Device& device) { query_event(device, event); });
}
STRATA_CUDA_CALL cuEventElapsedTime(float* milliseconds, Handle from, Handle to) {
  return guarded([&](Device&) { *milliseconds = elapsed(from, to); });
}
STRATA_CUDA_ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime)
