#include "traces/cuda/device/streams.h"
#include "traces/cuda/driver/driver_call.h"

using namespace strata::cuda;
using namespace strata;

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

// Streams that wait for values in memory, and write them.

namespace {

constexpr unsigned flush = 1U << 30;  // CU_STREAM_WAIT_VALUE_FLUSH: of writes by other devices

/// CUstreamBatchMemOpParams
struct Operation {
  int kind;
  Address at;
  std::uint64_t value;
  unsigned flags;
  std::uint64_t rest[2];
};
static_assert(sizeof(Operation) == 48);

enum ValueKind : int { wait_32 = 1, write_32 = 2, flush_remote = 3, wait_64 = 4, write_64 = 5, barrier = 6 };

void carry_out(Device& device, Handle stream, const Operation& what) {
  const unsigned bytes = what.kind == wait_64 || what.kind == write_64 ? 8 : 4;
  switch (what.kind) {
    case wait_32:
    case wait_64:
      return wait_for_value(device, stream, {what.at, what.value, bytes, what.flags & ~flush});
    case write_32:
    case write_64:
      if (what.flags > 1) throw CallError(invalid_value);  // 1: without a memory barrier
      return write_value(device, stream, {what.at, what.value, bytes, 0});
    case flush_remote:
    case barrier:
      return;  // operations of streams run in order anyway
    default:
      throw CallError(invalid_value);
  }
}

int one(Handle stream, int kind, Address at, std::uint64_t value, unsigned flags) {
  return guarded([&](Device& device) { carry_out(device, stream, {kind, at, value, flags, {}}); });
}

}  // namespace

#define VALUE_CALL(name, Value, kind)                                                       \
  STRATA_CUDA_CALL name##_v2(Handle stream, Address at, Value value, unsigned flags) {      \
    return one(stream, kind, at, value, flags);                                             \
  }                                                                                         \
  STRATA_CUDA_ALIAS(name, name##_v2)                                                        \
  STRATA_CUDA_CALL name##_v2_ptsz(Handle stream, Address at, Value value, unsigned flags) { \
    return one(of_thread(stream), kind, at, value, flags);                                  \
  }                                                                                         \
  STRATA_CUDA_ALIAS(name##_ptsz, name##_v2_ptsz)
VALUE_CALL(cuStreamWaitValue32, std::uint32_t, wait_32)
VALUE_CALL(cuStreamWaitValue64, std::uint64_t, wait_64)
VALUE_CALL(cuStreamWriteValue32, std::uint32_t, write_32)
VALUE_CALL(cuStreamWriteValue64, std::uint64_t, write_64)
#undef VALUE_CALL

STRATA_CUDA_CALL cuStreamBatchMemOp_v2(Handle stream, unsigned count, const Operation* operations,
                                       unsigned flags) {
  return guarded([&](Device& device) {
    if (operations == nullptr || count > 256 || flags != 0) throw CallError(invalid_value);
    for (unsigned i = 0; i < count; ++i) carry_out(device, stream, operations[i]);
  });
}
STRATA_CUDA_ALIAS(cuStreamBatchMemOp, cuStreamBatchMemOp_v2)
STRATA_CUDA_CALL cuStreamBatchMemOp_v2_ptsz(Handle stream, unsigned count, const Operation* operations,
                                            unsigned flags) {
  return cuStreamBatchMemOp_v2(of_thread(stream), count, operations, flags);
}
STRATA_CUDA_ALIAS(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2_ptsz)
