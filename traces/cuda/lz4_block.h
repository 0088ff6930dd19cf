#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace strata::cuda {

/// A block of the LZ4 block format (lz4/doc/lz4_Block_format.md), as nvcc's --compress-mode=speed writes it.
/// `out` has the size of the text that must come out. False when the data are damaged.
bool lz4_decompress(const std::uint8_t* data, std::size_t bytes, std::string& out);

}  // namespace strata::cuda
