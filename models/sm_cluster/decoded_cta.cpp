#include "models/sm_cluster/decoded_cta.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "models/common/faults.h"

namespace strata {
namespace {

using Word = DecodedInstruction::Word;

Word head(const WarpInstruction& i, bool waits) {
  const Word flags =
      Word{waits} << 4 | Word{i.non_coherent} << 5 | Word{i.bypass_l1} << 6 | Word{awaits_answer(i)} << 7;
  const Word weight = i.weight != 0 ? i.weight : 1;
  return static_cast<Word>(i.op) | flags | weight << 8 | static_cast<Word>(i.active_lanes()) << 16;
}

constexpr Word mixed_bit = 1U << 22, may_wait_bit = 1U << 23;

// The whole word of an instruction that does not touch global memory. `detail`: its unit, or conflict cycles.
Word without_lines(Word word, std::uint32_t first_use, Word detail) {
  const bool far = first_use >= DecodedInstruction::far;
  if (far) word |= Word{first_use} << 40;
  return word | Word{far ? DecodedInstruction::far : first_use} << 24 | detail << 32;
}

Word shared_access(Word word, const WarpInstruction& instruction, const CtaTrace& cta,
                   std::uint32_t first_use) {
  const int degree = shared_conflict_degree(instruction, cta);
  return without_lines(word | may_wait_bit, first_use, static_cast<Word>(std::max(degree - 1, 0)));
}

Word access(Word word, LineForm form, std::uint32_t first_use, std::uint32_t pc) {
  return word | static_cast<Word>(form) << 22 | Word{first_use} << 24 | Word{pc} << 32;
}

std::uint64_t eight_bytes(const WarpInstruction& of, std::size_t from) {
  std::uint64_t word;
  std::memcpy(&word, reinterpret_cast<const unsigned char*>(&of) + from, sizeof word);
  return word;
}

// The same bytes from the one at `from` up to the end. Eight at a time: memcmp() is a call. The last eight
// may overlap those before.
template <std::size_t from>
[[gnu::always_inline]] inline bool same_bytes(const WarpInstruction& one, const WarpInstruction& other) {
  constexpr std::size_t until = offsetof(WarpInstruction, element) + sizeof(WarpInstruction::element);
  static_assert(until - from >= 8);
  std::uint64_t differ = eight_bytes(one, until - 8) ^ eight_bytes(other, until - 8);
#pragma GCC unroll 4
  for (std::size_t at = from; at + 8 < until; at += 8)
    differ |= eight_bytes(one, at) ^ eight_bytes(other, at);
  return differ == 0;
}

// They differ in lanes and addresses only.
bool same_shape(const WarpInstruction& one, const WarpInstruction& other) {
  constexpr std::size_t from = offsetof(WarpInstruction, pc);
  static_assert(offsetof(WarpInstruction, address) < from && offsetof(WarpInstruction, stride) < from &&
                offsetof(WarpInstruction, active_mask) < from);
  return same_bytes<from>(one, other);
}

// They differ in the address of the first lane only.
bool same_but_address(const WarpInstruction& one, const WarpInstruction& other) {
  constexpr std::size_t from = offsetof(WarpInstruction, stride);
  static_assert(offsetof(WarpInstruction, address) < from && offsetof(WarpInstruction, active_mask) > from &&
                offsetof(WarpInstruction, pc) > from);
  return same_bytes<from>(one, other);
}

// The lanes of the same instruction touch the same part of another line than in `other`, an access of a
// single line. Of the very first line nothing is said: lanes with address 0 do not count.
bool is_moved(const WarpInstruction& one, const WarpInstruction& other, unsigned line_bytes) {
  return one.address_kind == AddressKind::stride && std::min(one.address, other.address) >= line_bytes &&
         ((one.address ^ other.address) & (line_bytes - 1)) == 0;
}

// Accesses of the same lanes to shared memory, one word or less each, that lie equally far apart in `other`:
// banks take both in as many cycles.
bool conflicts_alike(const WarpInstruction& one, const WarpInstruction& other) {
  return one.address_kind == AddressKind::stride && one.stride == other.stride && one.stride % 4 == 0 &&
         (one.address & 3) + one.width <= 4 && (other.address & 3) + one.width <= 4;
}

}  // namespace

void CtaDecoder::decode(const CtaTrace& cta, DecodedCta& out) {
  const auto twice = [](const WarpInstruction& i) { return touches_global_memory(i.op) || i.weight > 1; };
  const auto more = std::count_if(cta.instructions.begin(), cta.instructions.end(), twice);
  most_ = cta.instructions.size() + static_cast<std::size_t>(more);
  out.make_room(most_, 0);
  out.begin_.clear();
  Word* next = out.words_.get();
  for (std::size_t w = 0; w < cta.warps(); ++w) {
    const std::uint32_t begin = cta.warp_begin[w], end = cta.warp_begin[w + 1];
    out.begin_.push_back(static_cast<std::size_t>(next - out.words_.get()));
    const bool two_lines = texture_line_ != data_line_;
    if (w != 0 && end - begin == begin - cta.warp_begin[w - 1]) {
      const auto repeat = two_lines ? &CtaDecoder::repeat_warp<true> : &CtaDecoder::repeat_warp<false>;
      const std::size_t most = most_;
      if (Word* const after = (this->*repeat)(cta, begin, end, out.begin_[w - 1], out, next)) {
        next = after;
        continue;
      }
      most_ = most;
      next = out.words_.get() + out.begin_.back();
    }
    const auto add = two_lines ? &CtaDecoder::add_warp<true> : &CtaDecoder::add_warp<false>;
    next = (this->*add)(cta, begin, end, out, next);
  }
  out.size_ = static_cast<std::size_t>(next - out.words_.get());
  if (out.room_ > out.size_ + out.size_ / 8) out.make_room(out.size_, out.size_);
}

template <bool two_lines>
Word* CtaDecoder::add_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, DecodedCta& out,
                           Word* next) {
  dependences_.find(cta, begin, end);
  for (std::uint32_t i = begin; i < end; ++i) {
    if constexpr (two_lines) line_bytes_ = cta.instructions[i].non_coherent ? texture_line_ : data_line_;
    next = add(cta, cta.instructions[i], i - begin, out, next);
  }
  return next;
}

// A warp as long as the one before it, which lies from `before` on in `out`: its instructions are written as
// there, but for their lines and where they have other lanes. Dependences are those found last. Null as soon
// as an instruction is another one than there.
template <bool two_lines>
Word* CtaDecoder::repeat_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, std::size_t before,
                              DecodedCta& out, Word* next) {
  const WarpInstruction* like = cta.instructions.data() + begin - (end - begin);
  const WarpInstruction* const first = cta.instructions.data() + begin;
  const WarpInstruction* const last = cta.instructions.data() + end;
  const WarpInstruction* instruction = first;
  for (const Word* model = out.words_.get() + before; instruction != last; ++instruction, ++like) {
    const bool same_lanes = same_but_address(*instruction, *like);
    if (!same_lanes && !same_shape(*instruction, *like)) return nullptr;
    if constexpr (two_lines) line_bytes_ = instruction->non_coherent ? texture_line_ : data_line_;
    const DecodedInstruction decoded(model);
    const bool accesses = touches_global_memory(instruction->op);
    if (accesses && same_lanes && decoded.is_short_line() && is_moved(*instruction, *like, line_bytes_) &&
        !finds_parts_) {
      next[0] = model[0];
      next[1] = model[1] + (instruction->address - like->address);
      model += 2;
      next += 2;
      continue;
    }
    const Word* const after = accesses ? decoded.after_access() : decoded.after();
    if (!accesses && instruction->active_mask == like->active_mask &&
        (!touches_shared_memory(instruction->op) || conflicts_alike(*instruction, *like))) {
      next = std::copy(model, after, next);
      model = after;
    } else {
      const auto place = static_cast<std::size_t>(after - out.words_.get());
      next = add(cta, *instruction, static_cast<std::size_t>(instruction - first), out, next);
      model = out.words_.get() + place;  // there may be new memory
    }
  }
  return next;
}

// The i-th instruction of the warp whose dependences were found; `next` has room for two words.
[[gnu::always_inline]] inline Word* CtaDecoder::add(const CtaTrace& cta, const WarpInstruction& instruction,
                                                    std::size_t i, DecodedCta& out, Word* next) {
  const std::uint32_t first_use = dependences_.first_use(i);
  const Word word = head(instruction, dependences_.waits(i));
  if (touches_shared_memory(instruction.op)) {
    *next++ = shared_access(word, instruction, cta, first_use);
    return next;
  }
  if (!touches_global_memory(instruction.op)) return add_plain(instruction, word, first_use, next);
  LineAccess line;
  if (first_use >= DecodedInstruction::far || !lines_alone_ ||
      !coalesce_to_one(instruction, line_bytes_, line))
    return add_access(cta, instruction, word, first_use, out, next);
  *next++ = access(word, LineForm::one, first_use, instruction.pc);
  *next++ = line.line | line.chunks;
  return next;
}

// What touches no memory; `next` has room for two words.
[[gnu::always_inline]] inline Word* CtaDecoder::add_plain(const WarpInstruction& instruction, Word word,
                                                          std::uint32_t first_use, Word* next) const {
  Unit unit = unit_of(instruction);
  bool may_wait = timings_[unit].can_be_busy();
  bool mixed = false;
  const UnitMix mix(instruction);
  if (instruction.weight > 1 && !mix.is_single()) {
    mixed = may_wait = mix.can_wait(timings_);
    unit = mix.slowest(timings_);
  }
  if (may_wait) word |= may_wait_bit;
  if (mixed) word |= mixed_bit;
  *next++ = without_lines(word, first_use, static_cast<Word>(unit));
  if (mixed) *next++ = mix.word();
  return next;
}

// Any access; `out` has room for two words of it and for all that follows.
Word* CtaDecoder::add_access(const CtaTrace& cta, const WarpInstruction& instruction, Word word,
                             std::uint32_t first_use, DecodedCta& out, Word* next) {
  coalesce(instruction, cta, segment_bytes(instruction), lines_);
  if (finds_parts_) find_parts(instruction, cta, segment_bytes(instruction), lines_);
  if (by_elements_) put_into_lines();
  if (counts_spare_) count_spare(cta, instruction);
  if (finds_parts_)
    check_addresses(instruction, DecodedInstruction::part_shift, "asks: parts", "asks: chunks");
  most_ += static_cast<std::size_t>(lines_.count) + 1;
  if (most_ > out.room_) {
    const auto used = static_cast<std::size_t>(next - out.words_.get());
    out.make_room(std::max(most_, 2 * out.room_), used);
    next = out.words_.get() + used;
  }
  const bool far = first_use >= DecodedInstruction::far;
  const LineForm form = far && lines_.count == 1 ? LineForm::list : line_form();
  *next++ = access(word, form, far ? DecodedInstruction::far : first_use, instruction.pc);
  if (far) *next++ = first_use;
  if (form == LineForm::none) return next;
  if (form == LineForm::list) *next++ = static_cast<Word>(lines_.count);
  const int written = form == LineForm::list ? lines_.count : 1;
  for (int i = 0; i < written; ++i) *next++ = line_word(i);
  if (form == LineForm::row) *next++ = (line_word(1) - line_word(0)) << 8 | static_cast<Word>(lines_.count);
  return next;
}

// Segments become accesses to parts of lines; several may be of one line.
void CtaDecoder::put_into_lines() {
  for (int i = 0; i < lines_.count; ++i) {
    LineAccess& access = lines_.lines[static_cast<std::size_t>(i)];
    const Address place = access.line & (line_bytes_ - 1);
    access.line -= place;
    access.chunks = static_cast<std::uint8_t>(access.chunks << place / chunk_bytes);
    access.parts = static_cast<std::uint16_t>(access.parts << place / part_bytes);
  }
}

void CtaDecoder::count_spare(const CtaTrace& cta, const WarpInstruction& instruction) {
  count_spare_words(instruction, cta, line_bytes_, lines_);
  check_addresses(instruction, DecodedInstruction::spare_shift, "replies: words", "replies: chunks");
}

void CtaDecoder::check_addresses(const WarpInstruction& instruction, unsigned bits, const char* option,
                                 const char* other) const {
  for (const LineAccess& line : lines_) {
    if (line.line >> bits == 0) continue;
    throw ConfigError(std::string("sm_cluster, ") + option + ": the access at pc " +
                      std::to_string(instruction.pc) + " goes to address " + std::to_string(line.line) +
                      "; allowed: below 2^" + std::to_string(bits) + " (" + other + " has no limit)");
  }
}

LineForm CtaDecoder::line_form() const {
  if (lines_.count < 2) return lines_.count == 0 ? LineForm::none : LineForm::one;
  const Word distance = line_word(1) - line_word(0);
  for (int i = 2; i < lines_.count; ++i)
    if (line_word(i) - line_word(i - 1) != distance) return LineForm::list;
  constexpr Word most = Word{1} << 55;  // the distance shares a word with the number
  return distance + most < 2 * most ? LineForm::row : LineForm::list;
}

}  // namespace strata
