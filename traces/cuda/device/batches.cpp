#include "traces/cuda/device/batches.h"

#include <limits>

#include "traces/cuda/device/streams.h"

namespace strata::cuda {
namespace {

void check_firsts(const CopyBatch& batch) {
  const auto wrong = [&](std::size_t k) {
    return batch.firsts[k] >= batch.count || batch.firsts[k] <= batch.firsts[k - 1];
  };
  if (batch.firsts == nullptr || batch.kinds == 0 || batch.firsts[0] != 0) throw CallError(invalid_value);
  for (std::size_t k = 1; k < batch.kinds; ++k)
    if (wrong(k)) throw CallError(invalid_value);
}

}  // namespace

void check_not_legacy(abi::Handle stream) {
  if (reinterpret_cast<std::uintptr_t>(stream) <= 1) throw CallError(invalid_value);
}

void copy_batch(Device& device, abi::Handle stream, const CopyBatch& batch, std::size_t* failed) {
  std::size_t nobody = 0;
  std::size_t& wrong = failed != nullptr ? *failed : nobody;
  wrong = std::numeric_limits<std::size_t>::max();
  if (batch.to == nullptr || batch.from == nullptr || batch.bytes == nullptr || batch.attributes == nullptr ||
      batch.count == 0)
    throw CallError(invalid_value);
  check_firsts(batch);
  for (std::size_t i = 0, kind = 0; i < batch.count; ++i) {
    if (kind + 1 < batch.kinds && batch.firsts[kind + 1] == i) ++kind;
    const int order = batch.attributes[kind].order;
    const bool right = batch.to[i] != nullptr && batch.from[i] != nullptr && batch.bytes[i] != 0;
    if (right && order >= 1 && order <= 3) continue;
    wrong = i;
    throw CallError(invalid_value);
  }
  for (std::size_t i = 0; i < batch.count; ++i)
    put(device, stream, GraphNode::Kind::copy,
        [to = batch.to[i], from = batch.from[i], bytes = batch.bytes[i]](Device& d) {
          d.copy(to, from, bytes);
        });
}

}  // namespace strata::cuda
