#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "models/common/coalesce.h"
#include "models/sm_cluster/decoded_instruction.h"
#include "models/sm_cluster/dependences.h"

namespace strata {

/// The instructions of a CTA, warp after warp, as its SM issues them.
class DecodedCta {
 public:
  using Word = DecodedInstruction::Word;

  /// First instruction of a warp.
  const Word* warp(std::size_t index) const { return words_.get() + begin_[index]; }
  /// Frees the memory.
  void clear() {
    words_.reset();
    begin_ = {};
  }
  std::size_t size() const { return size_; }

 private:
  friend class CtaDecoder;
  /// Room for so many words, of which the first `used` are kept.
  void make_room(std::size_t words, std::size_t used) {
    std::unique_ptr<Word[]> more(new Word[words]);  // not cleared: all that is read is written before
    std::copy_n(words_.get(), used, more.get());
    words_ = std::move(more);
    room_ = words;
  }

  std::unique_ptr<Word[]> words_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
  std::vector<std::size_t> begin_;  // of each warp in words_
};

/// Decodes CTAs for SMs with these parameters: merges the lanes of their accesses into lines, finds what
/// waits for what, and counts bank conflicts.
class CtaDecoder {
 public:
  explicit CtaDecoder(const SmClusterParams& params)
      : line_bytes_(static_cast<unsigned>(params.line.count)),
        data_line_(line_bytes_),
        texture_line_(params.texture_line != 0 ? static_cast<unsigned>(params.texture_line.count)
                                               : data_line_),
        by_elements_(params.segments == Segments::elements),
        counts_spare_(params.replies == ReplyData::words),
        finds_parts_(params.asks == Asked::parts),
        lines_alone_(!by_elements_ && !counts_spare_ && !finds_parts_),
        timings_(params),
        dependences_(params) {}

  /// Replaces what `out` held. Throws ConfigError where spare words are counted or parts found, and an
  /// address leaves no bits for them.
  void decode(const CtaTrace& cta, DecodedCta& out);

 private:
  using Word = DecodedInstruction::Word;
  /// `next`: where in `out` to go on; returned likewise. `two_lines`: the texture path has its own.
  template <bool two_lines>
  Word* add_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, DecodedCta& out, Word* next);
  template <bool two_lines>
  Word* repeat_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, std::size_t before,
                    DecodedCta& out, Word* next);
  Word* add(const CtaTrace& cta, const WarpInstruction& instruction, std::size_t i, DecodedCta& out,
            Word* next);
  Word* add_plain(const WarpInstruction& instruction, Word word, std::uint32_t first_use, Word* next) const;
  Word* add_access(const CtaTrace& cta, const WarpInstruction& instruction, Word word,
                   std::uint32_t first_use, DecodedCta& out, Word* next);
  /// To which the present instruction is merged: at most a line.
  unsigned segment_bytes(const WarpInstruction& instruction) const {
    const unsigned bytes = instruction.element_bytes();
    return by_elements_ && !instruction.non_coherent && bytes < 4 ? std::min(line_bytes_, 32 * bytes)
                                                                  : line_bytes_;
  }
  LineForm line_form() const;
  Word line_word(int i) const {
    const LineAccess& line = lines_.lines[static_cast<std::size_t>(i)];
    return line.line | line.chunks | Word{line.spare_words} << DecodedInstruction::spare_shift |
           Word{line.parts} << DecodedInstruction::part_shift;
  }

  void put_into_lines();
  void count_spare(const CtaTrace& cta, const WarpInstruction& instruction);
  void check_addresses(const WarpInstruction& instruction, unsigned bits, const char* option,
                       const char* other) const;

  unsigned line_bytes_;  // to which the present instruction is merged
  const unsigned data_line_, texture_line_;
  bool by_elements_, counts_spare_, finds_parts_;
  bool lines_alone_;  // nothing of these
  UnitTimings timings_;
  Dependences dependences_;
  LineAccesses lines_;    // of the present instruction
  std::size_t most_ = 0;  // words that the present CTA may need
};

}  // namespace strata
