#pragma once

#include <cstdint>

namespace strata {

/// KernelInfo::stream of CUDA's legacy default stream: its kernels wait for all that were launched before
/// them in blocking streams, and what is launched later in these waits for them.
constexpr std::uint64_t default_stream = 0;
/// In the number of a stream (CU_STREAM_NON_BLOCKING): it and the default stream do not wait for each other.
constexpr std::uint64_t non_blocking_stream = std::uint64_t{1} << 63;

constexpr bool is_blocking(std::uint64_t stream) {
  return (stream & non_blocking_stream) == 0;
}

}  // namespace strata
