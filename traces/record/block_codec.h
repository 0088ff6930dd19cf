#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/record/column_encoder.h"
#include "traces/record/columns.h"
#include "traces/record/dictionary.h"

namespace strata::traces::record {

/// Instructions of one CTA: 2.7 GB in memory.
constexpr std::uint64_t max_cta_instructions = std::uint64_t{1} << 26;
/// Consecutive CTAs of one kernel in a block.
struct Part {
  std::uint32_t kernel = 0;
  std::uint64_t first = 0, count = 0;
};

/// CTAs into one zstd frame. Adds to the dictionary; a block can be read with the dictionary as it was then
/// or grew since. Throws FormatFault when a CTA is too large.
class BlockEncoder {
 public:
  explicit BlockEncoder(Dictionary& dictionary) : encoder_(dictionary) {}
  void add(std::uint32_t kernel, const CtaTrace& cta);
  /// Those of which another ColumnEncoder has made columns, with the same dictionary; it began the block,
  /// too.
  void append(std::uint32_t kernel, EncodedCtas& ctas);
  bool empty() const { return parts_.empty(); }
  bool full() const { return instructions_ >= block_instructions || ctas_ >= block_ctas; }
  const std::vector<Part>& parts() const { return parts_; }
  /// The frame; begins the next block.
  std::string finish(int level);

 private:
  void count(std::uint32_t kernel, std::uint64_t first, std::uint64_t ctas, std::uint64_t instructions);

  ColumnEncoder encoder_;
  std::vector<Part> parts_;
  std::uint64_t instructions_ = 0, ctas_ = 0;
};

/// One block, CTA after CTA. Throws FormatFault.
class BlockDecoder {
 public:
  /// `parts` is what the index says of the block.
  BlockDecoder(std::string_view frame, const std::vector<Part>& parts, const Dictionary& dictionary);
  ~BlockDecoder();
  std::uint64_t next() const { return next_; }  ///< position in the block of the CTA that is read next
  std::shared_ptr<CtaTrace> read(std::uint64_t index, std::uint32_t warps);

 private:
  class State;
  std::unique_ptr<State> state_;
  std::uint64_t next_ = 0, ctas_ = 0;
};

/// One CTA as a block of its own, and back.
std::string pack_cta(std::uint32_t kernel, const CtaTrace& cta, Dictionary& dictionary, int level);
std::shared_ptr<CtaTrace> unpack_cta(std::string_view frame, std::uint32_t kernel, std::uint64_t index,
                                     std::uint32_t warps, const Dictionary& dictionary);

}  // namespace strata::traces::record
