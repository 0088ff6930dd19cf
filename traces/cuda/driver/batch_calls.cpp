#include "traces/cuda/device/batches.h"
#include "traces/cuda/driver/driver_call.h"

using namespace strata::cuda;

namespace {

int copy(const CopyBatch& batch, std::size_t* failed, Handle stream, bool legacy) {
  return guarded([&](Device& device) {
    if (legacy) check_not_legacy(stream);
    copy_batch(device, stream, batch, failed);
  });
}

}  // namespace

STRATA_CUDA_CALL cuMemcpyBatchAsync(void* const* to, void* const* from, const std::size_t* bytes,
                                    std::size_t count, const abi::CopyAttributes* attributes,
                                    const std::size_t* firsts, std::size_t kinds, std::size_t* failed,
                                    Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, failed, stream, true);
}
STRATA_CUDA_CALL cuMemcpyBatchAsync_ptsz(void* const* to, void* const* from, const std::size_t* bytes,
                                         std::size_t count, const abi::CopyAttributes* attributes,
                                         const std::size_t* firsts, std::size_t kinds, std::size_t* failed,
                                         Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, failed, stream, false);
}
STRATA_CUDA_CALL cuMemcpyBatchAsync_v2(void* const* to, void* const* from, const std::size_t* bytes,
                                       std::size_t count, const abi::CopyAttributes* attributes,
                                       const std::size_t* firsts, std::size_t kinds, Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, nullptr, stream, true);
}
STRATA_CUDA_CALL cuMemcpyBatchAsync_v2_ptsz(void* const* to, void* const* from, const std::size_t* bytes,
                                            std::size_t count, const abi::CopyAttributes* attributes,
                                            const std::size_t* firsts, std::size_t kinds, Handle stream) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, nullptr, stream, false);
}
