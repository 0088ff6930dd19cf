#pragma once

#include <array>
#include <cstdint>
#include <string>

/// Content of a tensor map (CUtensorMap). CUDA does not document its 128 bytes, so the layout here is
/// Strata's: cuTensorMapEncode* write them, cp.async.bulk.tensor and tensormap.replace read them.
namespace strata::traces {

struct TensorMap {
  static constexpr unsigned most_dimensions = 5, bytes = 128;
  enum class Element : std::uint8_t {  // CUtensorMapDataType
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16,
    f32_flushed,
    tf32,
    tf32_flushed,
    count_
  };
  enum class Swizzle : std::uint8_t {  // CUtensorMapSwizzle
    none,
    span_32,
    span_64,
    span_128,
    span_128_atom_32,
    span_128_atom_32_flip_8,
    span_128_atom_64,
    count_
  };

  std::uint64_t magic = magic_number;
  std::uint64_t address = 0;
  std::array<std::uint64_t, most_dimensions> dims{1, 1, 1, 1, 1};  ///< elements
  std::array<std::uint64_t, most_dimensions - 1> strides{};        ///< bytes, from dimension 1 on
  std::array<std::uint16_t, most_dimensions> box{1, 1, 1, 1, 1};   ///< elements that are traversed
  std::array<std::uint8_t, most_dimensions> steps{1, 1, 1, 1, 1};  ///< of the traversal
  std::uint8_t rank = 1;
  // Im2col, along W, H and D:
  std::array<std::int16_t, 3> lower{}, upper{};  ///< corners of the box of pixels
  std::uint16_t channels = 0, pixels = 0;        ///< of a pixel, and of a column
  Element element = Element::u8;
  Swizzle swizzle = Swizzle::none;
  std::uint8_t interleave = 0, promotion = 0, fill_nan = 0, im2col = 0;

  static constexpr std::uint64_t magic_number = 0x70616d2d61746153;
  bool valid() const {
    return magic == magic_number && rank >= 1 && rank <= most_dimensions && element < Element::count_ &&
           swizzle < Swizzle::count_;
  }
  unsigned element_bytes() const {
    constexpr std::uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return sizes[static_cast<unsigned>(element)];
  }
  bool is_real() const { return element >= Element::f16; }
  /// Bytes within which the swizzle moves chunks.
  unsigned swizzle_span() const {
    return swizzle == Swizzle::none      ? 0
           : swizzle == Swizzle::span_32 ? 32
           : swizzle == Swizzle::span_64 ? 64
                                         : 128;
  }
  /// Elements that a copy moves along a dimension.
  unsigned moved(unsigned dimension) const {
    if (im2col != 0) return dimension == 0 ? channels : 0;
    const unsigned step = dimension == 0 && interleave == 0 ? 1 : steps[dimension];
    return (box[dimension] + step - 1) / step;
  }
  unsigned row_bytes() const { return moved(0) * element_bytes(); }
  std::uint64_t rows() const {
    if (im2col != 0) return pixels;
    std::uint64_t all = 1;
    for (unsigned n = 1; n < rank; ++n) all *= moved(n);
    return all;
  }
  /// Bytes that a copy moves and reports to its barrier.
  std::uint64_t box_bytes() const { return rows() * row_bytes(); }
};
static_assert(sizeof(TensorMap) <= TensorMap::bytes);

/// Checks the arguments of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA Driver API, "Tensor Map
/// Object Management"). Returns the fault, or an empty text.
std::string tensor_map_fault(const TensorMap& map);

}  // namespace strata::traces
