#pragma once

#include "models/common/access.h"
#include "models/l1/chunk_mshrs.h"

namespace strata {

/// Between the chunks of a design, at most 16 of a line, and the 32 B chunks and 8 B parts that
/// accesses name.
class ChunkScale {
 public:
  ChunkScale(Bytes line, Bytes chunk)
      : each_(static_cast<int>(chunk / sector_bytes)),
        chunk_parts_(static_cast<int>(chunk / part_bytes)),
        all_(static_cast<ChunkMask>((1U << (line / chunk)) - 1)) {}
  ChunkMask all() const { return all_; }
  /// Smaller than those of 32 B, so that these do not say which an access asks for.
  bool fine() const { return each_ == 0; }
  /// The chunks that an access asks for or writes.
  ChunkMask of(const Access& access) const {
    if (each_ == 1) [[likely]]
      return access.sectors & all_;
    return each_ == 0 && access.parts != 0 ? gathered(access.parts) : of_line(access.sectors);
  }
  /// The chunks that have a part of some of 32 B.
  ChunkMask of_line(std::uint8_t small) const {
    if (each_ == 1) [[likely]]
      return small & all_;
    ChunkMask chunks = 0;
    for (int i = 0; i < 8; ++i)
      if ((small >> i & 1) != 0) chunks = static_cast<ChunkMask>(chunks | of_one(i));
    return chunks & all_;
  }
  std::uint8_t in_32_bytes(ChunkMask chunks) const {
    if (each_ == 1) [[likely]]
      return static_cast<std::uint8_t>(chunks);
    std::uint8_t small = 0;
    for (int i = 0; i < 8; ++i)
      if ((chunks & of_one(i)) != 0) small = static_cast<std::uint8_t>(small | 1 << i);
    return small;
  }
  /// Where chunks are smaller than 32 B; else 0, which is all of those.
  PartMask in_parts(ChunkMask chunks) const {
    PartMask parts = 0;
    for (int i = 0; fine() && i < 16; ++i)
      if ((chunks >> i / chunk_parts_ & 1) != 0) parts = static_cast<PartMask>(parts | 1 << i);
    return parts;
  }

 private:
  /// The chunks that have a part of 32 B chunk i.
  unsigned of_one(int i) const {
    if (!fine()) return 1U << i / each_;
    const int chunks = static_cast<int>(sector_bytes / part_bytes) / chunk_parts_;
    return ((1U << chunks) - 1) << i * chunks;
  }
  ChunkMask gathered(PartMask parts) const {
    ChunkMask chunks = 0;
    for (int i = 0; i < 16; ++i)
      if ((parts >> i & 1) != 0) chunks = static_cast<ChunkMask>(chunks | 1 << i / chunk_parts_);
    return chunks & all_;
  }

  int each_;         // chunks of 32 B in one; 0: it is smaller
  int chunk_parts_;  // parts of 8 B
  ChunkMask all_;
};

}  // namespace strata
