#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata::traces {

/// A texture or surface object: texels that lie row by row in device memory, and how they are read.
struct PtxTexture {
  enum class Kind : std::uint8_t { unsigned_numbers, signed_numbers, reals };
  enum class Edge : std::uint8_t { wrap, clamp, mirror, border };  ///< as cudaTextureAddressMode
  Address data = 0;
  std::array<std::uint32_t, 3> size = {1, 1, 1};  ///< texels; of layered ones the last is that of the layers
  std::uint64_t row_bytes = 0, slice_bytes = 0;   ///< from a row, a slice or layer, to the next
  std::uint32_t channels = 1;                     ///< 1, 2 or 4
  std::uint32_t bits = 32;                        ///< of a channel: 8, 16 or 32
  Kind kind = Kind::reals;
  bool linear = false;       ///< cudaFilterModeLinear
  bool normalized = false;   ///< coordinates from 0 to 1
  bool reads_reals = false;  ///< whole numbers are read as -1 or 0 to 1 (cudaReadModeNormalizedFloat)
  std::array<Edge, 3> edges = {Edge::clamp, Edge::clamp, Edge::clamp};
  std::array<float, 4> border = {0, 0, 0, 0};
  /// Where a smaller level of a mip map lies.
  struct Level {
    Address data = 0;
    std::array<std::uint32_t, 3> size = {1, 1, 1};
    std::uint64_t row_bytes = 0, slice_bytes = 0;
  };
  std::vector<Level> smaller;             ///< levels 1 and on; level 0 is what is said above
  bool mip_linear = false;                ///< between two levels
  float mip_bias = 0;                     ///< is added to the level
  float least_level = 0, most_level = 0;  ///< then it is brought between these
  std::uint32_t texel_bytes() const { return channels * bits / 8; }
};

}  // namespace strata::traces
