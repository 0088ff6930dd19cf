#pragma once

#include "models/cache/set_index.h"
#include "models/common/storage.h"
#include "models/l1/chunk_mshrs.h"
#include "models/l1/l1_params.h"
#include "models/l1/l1_stats.h"

namespace strata {

/// What L1s offer that keep chunks of lines. Defaults: 16 KiB, 4 ways, 128 B, 32 MSHRs (ICS 2016, Table 2).
struct L1ByChunksParams : L1Params {
  enum class Evict : int { line, chunks };

  Bytes size{16 * KiB};
  int ways = 4;
  Bytes line{128};
  Bytes chunk{32};
  SetIndex::Kind set_index = SetIndex::Kind::hashed;
  Evict evict = Evict::line;
  int mshrs = 32;
  int merges = 8;

  std::uint64_t sets() const { return size / (line * static_cast<std::uint64_t>(ways)); }
  int line_chunks() const { return static_cast<int>(line / chunk); }
  /// Bits of a line's tag: of its number, all that do not follow from the set.
  std::uint64_t tag_bits() const { return number_bits(line) - (bits_for(sets() + 1) - 1); }
  /// Its fill requests name parts of 8 B of what they ask for, and replies bring no more.
  bool names_parts() const { return chunk < sector_bytes; }
  /// Bits of its MSHRs.
  void append_mshrs(StorageFields& fields) const;
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;

 protected:
  virtual std::uint64_t smallest_chunk() const { return sector_bytes; }
};

struct L1ByChunksStats : L1Stats {
  L1ByChunksStats() { writes_back = false; }
  std::uint64_t partial_misses = 0;
  std::uint64_t fetched_chunks = 0;
  std::uint64_t replaced_chunks = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
