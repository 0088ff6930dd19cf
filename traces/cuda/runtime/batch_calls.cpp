#include "traces/cuda/device/batches.h"
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/runtime_version.h"

using namespace strata::cuda;
using abi::Handle;

namespace {

/// `eighth` is the stream since version 13; before, where the number of a wrong copy goes, and `ninth` the
/// stream.
int copy(const CopyBatch& batch, void* eighth, Handle ninth, bool legacy) {
  const bool short_form = runtime_major >= 13;
  const Handle stream = short_form ? eighth : ninth;
  return call([&](Device& device) {
    if (legacy) check_not_legacy(stream);
    copy_batch(device, stream, batch, short_form ? nullptr : static_cast<std::size_t*>(eighth));
  });
}

}  // namespace

STRATA_CUDA_CALL cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                      std::size_t count, const abi::CopyAttributes* attributes,
                                      const std::size_t* firsts, std::size_t kinds, void* eighth,
                                      Handle ninth) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, eighth, ninth, true);
}
STRATA_CUDA_CALL cudaMemcpyBatchAsync_ptsz(void* const* to, const void* const* from, const std::size_t* bytes,
                                           std::size_t count, const abi::CopyAttributes* attributes,
                                           const std::size_t* firsts, std::size_t kinds, void* eighth,
                                           Handle ninth) {
  return copy({to, from, bytes, count, attributes, firsts, kinds}, eighth, ninth, false);
}
