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

/// Limit of the instructions of one CTA: 2.7 GB in memory.
constexpr std::uint64_t max_cta_instructions = std::uint64_t{1} << 26;
/// Consecutive CTAs of one kernel in a block.
struct Part {
  std::uint32_t kernel = 0;
  std::uint64_t first = 0, count = 0;
};

/// Encodes CTAs into one zstd frame and adds to the dictionary. A block can be read with the dictionary as it
/// was then, or a later one. Throws FormatFault if a CTA is too large.
class BlockEncoder {
 public:
  explicit BlockEncoder(Dictionary& dictionary) : encoder_(dictionary) {}
  void add(std::uint32_t kernel, const CtaTrace& cta);
  /// Appends CTAs that another ColumnEncoder has encoded with the same dictionary, from the begin of this
  /// block on.
  void append(std::uint32_t kernel, EncodedCtas& ctas);
  bool empty() const { return parts_.empty(); }
  bool full() const { return instructions_ >= block_instructions || ctas_ >= block_ctas; }
  const std::vector<Part>& parts() const { return parts_; }
  /// Returns the frame and begins the next block.
  std::string finish(int level);

 private:
  void count(std::uint32_t kernel, std::uint64_t first, std::uint64_t ctas, std::uint64_t instructions);

  ColumnEncoder encoder_;
  std::vector<Part> parts_;
  std::uint64_t instructions_ = 0, ctas_ = 0;
};

/// Decodes one block, CTA after CTA. Throws FormatFault.
class BlockDecoder {
 public:
  /// `parts` is the block's entry in the index.
  BlockDecoder(std::string_view frame, const std::vector<Part>& parts, const Dictionary& dictionary);
  ~BlockDecoder();
  std::uint64_t next() const { return next_; }  ///< position in the block of the next CTA
  std::shared_ptr<CtaTrace> read(std::uint64_t index, std::uint32_t warps);

 private:
  class State;
  std::unique_ptr<State> state_;
  std::uint64_t next_ = 0, ctas_ = 0;
};

/// Encodes one CTA as a block of its own, and decodes it.
std::string pack_cta(std::uint32_t kernel, const CtaTrace& cta, Dictionary& dictionary, int level);
std::shared_ptr<CtaTrace> unpack_cta(std::string_view frame, std::uint32_t kernel, std::uint64_t index,
                                     std::uint32_t warps, const Dictionary& dictionary);

}  // namespace strata::traces::record
