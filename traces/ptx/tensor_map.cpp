#include "traces/ptx/tensor_map.h"

namespace strata::traces {
namespace {

std::string number(std::uint64_t n) {
  return std::to_string(n);
}
std::string of(const char* array, unsigned n) {
  return std::string(array) + "[" + number(n) + "]";
}

/// Checks that the corners of the box of pixels fit in their bits (PTX ISA, "Im2col mode").
std::string im2col_fault(const TensorMap& map) {
  if (map.rank < 3) return "im2col needs a tensorRank of 3 to 5, found " + number(map.rank);
  const int most = map.rank == 3 ? 32768 : map.rank == 4 ? 128 : 16;
  for (unsigned n = 0; n + 2 < map.rank; ++n)
    for (const int corner : {map.lower[n], map.upper[n]})
      if (corner < -most || corner >= most)
        return "expected pixel box corners from -" + std::to_string(most) + " to " +
               std::to_string(most - 1) + ", found " + std::to_string(corner);
  if (map.channels == 0 || map.channels > 256)
    return "expected 1 to 256 channelsPerPixel, found " + number(map.channels);
  if (map.pixels == 0 || map.pixels > 1024)
    return "expected 1 to 1024 pixelsPerColumn, found " + number(map.pixels);
  return {};
}

}  // namespace

std::string tensor_map_fault(const TensorMap& map) {
  using Swizzle = TensorMap::Swizzle;
  if (map.element >= TensorMap::Element::count_) return "packed types of 4 and 6 bits are not supported";
  if (map.rank == 0 || map.rank > TensorMap::most_dimensions)
    return "expected a tensorRank of 1 to 5, found " + number(map.rank);
  if (map.interleave > 2) return "expected an interleave of 0 to 2, found " + number(map.interleave);
  if (map.interleave != 0 && map.rank < 3)
    return "interleaved layouts need a tensorRank of 3 to 5, found " + number(map.rank);
  const unsigned align = map.interleave == 2 ? 32 : 16;
  if (map.address == 0 || map.address % align != 0)
    return "expected a globalAddress at a multiple of " + number(align);
  for (unsigned n = 0; n < map.rank; ++n) {
    if (map.dims[n] == 0 || map.dims[n] > std::uint64_t{1} << 32)
      return "expected 1 to 4294967296 elements as " + of("globalDim", n) + ", found " + number(map.dims[n]);
    if (map.steps[n] == 0 || map.steps[n] > 8)
      return "expected 1 to 8 as " + of("elementStrides", n) + ", found " + number(map.steps[n]);
    if (map.im2col == 0 && (map.box[n] == 0 || map.box[n] > 256))
      return "expected 1 to 256 elements as " + of("boxDim", n) + ", found " + number(map.box[n]);
  }
  for (unsigned n = 0; n + 1 < map.rank; ++n)
    if (map.strides[n] % align != 0 || map.strides[n] == 0 || map.strides[n] >= std::uint64_t{1} << 40)
      return "expected a multiple of " + number(align) + " B below 2^40 as " + of("globalStrides", n) +
             ", found " + number(map.strides[n]);
  if (map.im2col != 0) {
    const std::string wrong = im2col_fault(map);
    if (!wrong.empty()) return wrong;
  }
  const unsigned inner = (map.im2col != 0 ? map.channels : map.box[0]) * map.element_bytes();
  if (map.interleave == 0 && inner % 16 != 0)
    return "expected an inner dimension of the box of a multiple of 16 B, found " + number(inner) + " B";
  if (map.swizzle >= Swizzle::count_) return "expected a swizzle of 0 to 6";
  if (map.swizzle == Swizzle::span_128_atom_32_flip_8)
    return "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B is not supported";
  if (map.interleave == 2 && map.swizzle != Swizzle::span_32)
    return "CU_TENSOR_MAP_INTERLEAVE_32B needs CU_TENSOR_MAP_SWIZZLE_32B";
  if (map.interleave == 0 && map.swizzle != Swizzle::none && inner > map.swizzle_span())
    return "expected an inner dimension of the box of at most the " + number(map.swizzle_span()) +
           " B of its swizzle, found " + number(inner) + " B";
  if (map.promotion > 3) return "expected an l2Promotion of 0 to 3, found " + number(map.promotion);
  if (map.fill_nan > 1) return "expected an oobFill of 0 or 1, found " + number(map.fill_nan);
  if (map.fill_nan != 0 && !map.is_real()) return "NaN fills tensors of floating-point types only";
  return {};
}

}  // namespace strata::traces
