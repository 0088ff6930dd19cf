// Streams that wait for values in memory, and write them.
#include "traces/cuda/device/stream_values.h"
#include "traces/cuda/driver/driver_call.h"

using namespace strata;
using namespace strata::cuda;

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

enum Kind : int { wait_32 = 1, write_32 = 2, flush_remote = 3, wait_64 = 4, write_64 = 5, barrier = 6 };

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
      return;  // what streams do is done in order
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
