#pragma once

#include <cstdint>

/// Matrices in shared memory as descriptors of wgmma name them: PTX ISA 9.1, "Shared Memory Matrix Layout"
/// and "Matrix Descriptor Format"; the canonical layouts are those of CUTLASS, too
/// (cute/atom/mma_traits_sm90_gmma.hpp, make_gmma_desc). All is in pieces of 16 bytes. `along` counts pieces
/// where neighbours in memory follow each other: along k, or, of a transposed matrix, along the rows of a,
/// the columns of b.
namespace strata::traces::ptx {

class MatrixDescriptor {
 public:
  static constexpr std::uint32_t piece = 16;  ///< bytes

  explicit MatrixDescriptor(std::uint64_t bits)
      : start_(field(bits)),
        leading_(field(bits >> 16)),
        stride_(field(bits >> 32)),
        base_(static_cast<std::uint32_t>(bits >> 49) & 7) {
    constexpr std::uint32_t widths[] = {1, 8, 4, 2};
    width_ = widths[bits >> 62];
  }

  /// Bytes after which the pattern of the swizzle repeats itself; 16: nothing is swizzled.
  std::uint32_t pattern() const { return width_ * piece; }

  /// Row (of b: column) `outer`, bytes 16 `along` and more of it.
  std::uint32_t by_k(std::uint32_t outer, std::uint32_t along) const {
    const std::uint32_t row = outer % 8 * pattern() + outer / 8 * stride_;
    return swizzled(row + along * (width_ == 1 ? leading_ : piece));
  }
  /// The same of a transposed matrix: 16 bytes of rows (of b: columns), at `k`.
  std::uint32_t transposed(std::uint32_t along, std::uint32_t k) const {
    if (width_ == 1) return swizzled(along * stride_ + k % 8 * piece + k / 8 * leading_);
    return swizzled(along % width_ * piece + along / width_ * leading_ + k % 8 * pattern() + k / 8 * stride_);
  }

 private:
  static constexpr std::uint32_t most = 0x3ffff;  ///< addresses have 18 bits
  static std::uint32_t field(std::uint64_t bits) { return static_cast<std::uint32_t>(bits & 0x3fff) * piece; }
  /// Which of the pieces of 128, 64 or 32 bytes it is, xor the line of 128 bytes in the pattern; `base_` says
  /// in which line that begins.
  std::uint32_t swizzled(std::uint32_t offset) const {
    const std::uint32_t at = (start_ + offset) & most;
    return at ^ (((at >> 7) - base_) & (width_ - 1)) * piece;
  }

  std::uint32_t start_, leading_, stride_, base_;  ///< bytes; lines of 128 bytes
  std::uint32_t width_ = 1;                        ///< pieces side by side that are swizzled
};

}  // namespace strata::traces::ptx
