#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata {

/// A form is the bytes of an instruction from `pc` to `weight`.
constexpr std::size_t form_begin = offsetof(WarpInstruction, pc);
constexpr std::size_t form_bytes = offsetof(WarpInstruction, weight) + 1 - form_begin;
static_assert(form_begin == 16 && form_bytes == 18, "address, stride and mask come first and lie together");

/// Instructions without mask, stride and address: what many instructions of a kernel have in common.
class InstructionForms {
 public:
  InstructionForms() { clear(); }
  /// Index of the form of `instruction`, which is added when it is new.
  std::uint32_t find(const WarpInstruction& instruction) {
    // Instructions mostly follow each other as they did before, or as they did the time before.
    Successors& guess = successors_[last_];
    if (same(forms_[guess.last], instruction)) return last_ = guess.last;
    if (!same(forms_[guess.other], instruction)) return look_up(instruction);
    std::swap(guess.last, guess.other);
    return last_ = guess.last;
  }
  const WarpInstruction& operator[](std::uint32_t form) const { return forms_[form]; }
  std::size_t size() const { return forms_.size(); }
  void clear();
  /// Room to pack in, for `words` words.
  std::uint32_t* room(std::size_t words) {
    if (room_.size() < words) room_.resize(words);
    return room_.data();
  }

 private:
  /// The forms that followed a form: the last one and another before that.
  struct Successors {
    std::uint32_t last = 0;
    std::uint32_t other = 0;
  };

  // By words: memcmp() of a length that is no power of two is a call.
  static bool same(const WarpInstruction& a, const WarpInstruction& b) {
    const auto word = [](const WarpInstruction& instruction, std::size_t at) {
      std::uint64_t value;
      std::memcpy(&value, reinterpret_cast<const char*>(&instruction) + form_begin + at, sizeof value);
      return value;
    };
    constexpr std::size_t last = form_bytes - sizeof(std::uint64_t);  // overlaps the word before
    return ((word(a, 0) ^ word(b, 0)) | (word(a, 8) ^ word(b, 8)) | (word(a, last) ^ word(b, last))) == 0;
  }
  static std::size_t hash(const WarpInstruction& instruction);
  std::uint32_t look_up(const WarpInstruction& instruction);
  std::uint32_t add(const WarpInstruction& instruction);
  void grow();

  std::vector<WarpInstruction> forms_;  // with the stride of the first that had the form
  std::vector<Successors> successors_;  // of each form
  std::vector<std::uint32_t> buckets_;  // open addressing: index + 1
  std::vector<std::uint32_t> room_;
  std::uint32_t last_ = 0;
};

/// The instructions of a CTA in a fraction of the memory of CtaTrace, to be read once and in order: an SM
/// holds dozens of CTAs, and a CTA may have 100000 instructions. One 32-bit word each, and one more for a
/// mask that is not full, a stride that is not the usual one, and the distance to the address before (two
/// when that is far). Lists of addresses are runs of equal distances, a word each.
class PackedCta {
 public:
  /// Where a reader of one warp stands.
  struct Reader {
    const std::uint32_t* at = nullptr;
    Address address = 0;  // of the instruction before
  };

  /// Replaces what was held. `forms` may be shared by CTAs and must outlive the reading.
  void pack(const CtaTrace& cta, InstructionForms& forms);
  /// Frees the memory.
  void clear();

  Reader warp(std::size_t index) const { return {words_.data() + begin_[index], 0}; }
  /// The next `count` instructions of a warp, which must have so many left. What AddressKind::list needs, the
  /// addresses, is left to unpack_list().
  static void read(Reader& reader, const InstructionForms& forms, WarpInstruction* out, std::uint32_t count);
  /// For an instruction with a list: puts its addresses, and nothing else, into `pool`, as coalesce() wants
  /// it.
  void unpack_list(WarpInstruction& instruction, CtaTrace& pool) const {
    if (instruction.address_kind == AddressKind::list) read_list(instruction, pool);
  }
  /// Words of instructions and lists.
  std::size_t size() const { return words_.size() + lists_.size(); }

 private:
  /// Returns where the next instruction goes.
  std::uint32_t* write(const CtaTrace& cta, const WarpInstruction& instruction, InstructionForms& forms,
                       Address& before, std::uint32_t* out);
  Address write_list(const Address* first, int lanes);
  void read_list(WarpInstruction& instruction, CtaTrace& pool) const;

  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> lists_;
  std::vector<std::size_t> begin_;  // of each warp in words_
};

}  // namespace strata
