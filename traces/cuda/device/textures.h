#pragma once

#include "traces/cuda/device/arrays.h"
#include "traces/ptx/ptx_texture.h"

namespace strata::cuda {

/// What a texture or surface object reads: an array, linear memory, or rows with a pitch. Throws CallError
/// when there are no such textures.
traces::PtxTexture texture_over(const Array& array);
traces::PtxTexture texture_over(Address data, const abi::ChannelFormat& format, std::size_t bytes);
traces::PtxTexture texture_over(Address data, const abi::ChannelFormat& format, std::size_t width,
                                std::size_t height, std::size_t pitch);

}  // namespace strata::cuda
