#pragma once

#include <cstdint>

#include "traces/cuda/device/device.h"
#include "traces/cuda/device/streams.h"

/// Streams that wait for a value in memory, and write one (CUDA driver API, "Stream Memory Operations").
namespace strata::cuda {

struct StreamValue {
  Address at = 0;
  std::uint64_t value = 0;
  unsigned bytes = 4;  ///< 4 or 8
  /// CUstreamWaitValue_flags: 0 at least (cyclic), 1 equal, 2 any of these bits, 3 any bit that is in
  /// neither.
  unsigned condition = 0;
};

/// What is put on the stream next waits until memory holds the value. A value that nobody brings is a fault
/// of the device (launch timeout). Throws CallError: invalid_value for a null or misaligned address or an
/// unknown condition.
void wait_for_value(Device& device, abi::Handle stream, const StreamValue& what);
/// Behind what was put on the stream. Throws CallError as above.
void write_value(Device& device, abi::Handle stream, const StreamValue& what);

}  // namespace strata::cuda
