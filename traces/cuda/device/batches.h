#pragma once

#include <cstddef>

#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/abi_memory.h"
#include "traces/cuda/device/device.h"

namespace strata::cuda {

/// Copies between pointers that one call asks for. `attributes[k]` are those of the copies from number
/// `firsts[k]` to before `firsts[k + 1]`.
struct CopyBatch {
  void* const* to;
  const void* const* from;
  const std::size_t* bytes;
  std::size_t count;
  const abi::CopyAttributes* attributes;
  const std::size_t* firsts;
  std::size_t kinds;
};
/// Puts them on the stream in their order, when all of them are right. Throws CallError; `failed`, unless
/// null, is then the first copy that is wrong, or the greatest number where it is the batch.
void copy_batch(Device& device, abi::Handle stream, const CopyBatch& batch, std::size_t* failed);
/// Batches are not for the stream that all others wait for. Throws CallError.
void check_not_legacy(abi::Handle stream);

}  // namespace strata::cuda
