#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "models/common/coalesce.h"
#include "models/sm_cluster/decoded_instruction.h"
#include "models/sm_cluster/dependences.h"
#include "models/sm_cluster/remote_access.h"

namespace strata {

/// The instructions of a CTA as its SM issues them. Warps that differ in the addresses of their accesses
/// alone have one text, CTAs too: all that is their own are lines.
class DecodedCta {
 public:
  using Word = InstructionWord::Word;

  /// Where a warp begins.
  DecodedCode warp(std::size_t index) const {
    return {code_->data() + begin_[index].code, lines_.get() + begin_[index].lines};
  }
  /// What SyncWord::remote_access() names.
  const RemoteAccess& remote(std::size_t access) const { return remote_[access]; }
  /// Frees the memory.
  void clear() {
    code_.reset();
    lines_.reset();
    begin_ = {};
    remote_ = {};
  }
  std::size_t code_words() const { return code_->size(); }
  std::size_t line_words() const { return line_words_; }

 private:
  friend class CtaDecoder;
  using Code = std::vector<Word>;
  struct Begin {
    std::size_t code, lines;
  };

  std::shared_ptr<const Code> code_;
  std::unique_ptr<Word[]> lines_;
  std::size_t line_words_ = 0;
  std::vector<Begin> begin_;  // of each warp
  std::vector<RemoteAccess> remote_;
};

/// A CTA as others of its thread block cluster name it.
struct ClusterPlace {
  const KernelInfo* kernel = nullptr;  ///< null: it has no cluster
  unsigned rank = 0;
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
        dependences_(params),
        dsmem_(params.dsmem) {}

  /// Replaces what `out` held. Throws ConfigError where spare words are counted or parts found, and an
  /// address leaves no bits for them, and where the CTA reaches others of its cluster though that is refused.
  void decode(const CtaTrace& cta, DecodedCta& out, const ClusterPlace& place = {});

 private:
  using Word = InstructionWord::Word;
  using Code = DecodedCta::Code;
  /// Words that are written; not cleared.
  class Buffer {
   public:
    Word* at(std::size_t place) { return words_.get() + place; }
    std::size_t place_of(const Word* at) const { return static_cast<std::size_t>(at - words_.get()); }
    /// Room for so many words, of which the first `used` are kept.
    void make_room(std::size_t words, std::size_t used) {
      if (words > room_) grow(std::max(words, 2 * room_), used);
    }
    void clear() {
      words_.reset();
      room_ = 0;
    }
    std::size_t room() const { return room_; }

   private:
    void grow(std::size_t words, std::size_t used);
    std::unique_ptr<Word[]> words_;
    std::size_t room_ = 0;
  };
  /// Where instructions and lines are written next. Both have room for what one instruction may need, lines
  /// of their other forms apart.
  struct Cursor {
    Word *code, *lines;
  };

  template <bool two_lines>
  Cursor add_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, Cursor pen);
  template <bool two_lines>
  bool repeat_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, DecodedCta& out, Cursor& pen);
  Cursor add(const CtaTrace& cta, const WarpInstruction& instruction, std::size_t i, Cursor pen);
  bool goes_to_others(const CtaTrace& cta, const WarpInstruction& instruction) const {
    return reaches_others_ && names_other_cta(instruction, cta, place_.rank);
  }
  void find_others(const CtaTrace& cta, const ClusterPlace& place);
  Word* add_remote(const CtaTrace& cta, const WarpInstruction& instruction, Word word,
                   std::uint32_t first_use, Word* code);
  Word* add_sync(const CtaTrace& cta, const WarpInstruction& instruction, Word word, Word* code) const;
  Word* add_plain(const WarpInstruction& instruction, Word word, std::uint32_t first_use, Word* code) const;
  Cursor add_access(const CtaTrace& cta, const WarpInstruction& instruction, Word word,
                    std::uint32_t first_use, Cursor pen);
  std::shared_ptr<const Code> code_of(std::size_t words);
  /// To which the present instruction is merged: at most a line.
  unsigned segment_bytes(const WarpInstruction& instruction) const {
    const unsigned bytes = instruction.element_bytes();
    return by_elements_ && !instruction.non_coherent && bytes < 4 ? std::min(line_bytes_, 32 * bytes)
                                                                  : line_bytes_;
  }
  LineForm line_form() const;
  Word line_word(int i) const {
    const LineAccess& line = lines_.lines[static_cast<std::size_t>(i)];
    return line.line | line.sectors | Word{line.spare_words} << InstructionWord::spare_shift |
           Word{line.parts} << InstructionWord::part_shift;
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
  const Dsmem dsmem_;
  ClusterPlace place_;                               // of the present CTA
  bool reaches_others_ = false;                      // an instruction of it names other CTAs
  std::vector<RemoteAccess> remote_;                 // of these
  LineAccesses lines_;                               // of the present instruction
  Buffer code_, written_;                            // of the present CTA; `written_`: its lines
  std::size_t warp_words_ = 0;                       // of the present warp: its instructions
  std::array<std::weak_ptr<const Code>, 4> recent_;  // texts of CTAs that were decoded before
  std::size_t oldest_ = 0;                           // of these
};

}  // namespace strata
