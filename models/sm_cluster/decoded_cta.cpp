#include "models/sm_cluster/decoded_cta.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "models/common/faults.h"

namespace strata {
namespace {

using Word = InstructionWord::Word;

Word head(const WarpInstruction& i, bool waits) {
  const Word flags =
      Word{waits} << 4 | Word{i.non_coherent} << 5 | Word{i.bypass_l1} << 6 | Word{awaits_reply(i)} << 7;
  const Word weight = i.weight != 0 ? i.weight : 1;
  return static_cast<Word>(i.op) | flags | weight << 8 | static_cast<Word>(i.active_lanes()) << 16;
}

constexpr Word mixed_bit = 1U << 22, may_wait_bit = 1U << 23;
constexpr Word sync_bits = mixed_bit | 1U << 7;  // another word follows, and it is a SyncWord

// The SM does something for it when it issues. For copies of a warp's own Dependences has found who waits.
bool acts_on(const WarpInstruction& instruction) {
  const Sync sync = instruction.sync;
  return (sync != Sync::none && sync != Sync::copy_commit && sync != Sync::copy_wait) ||
         (instruction.op == OpClass::other && (instruction.bulk || instruction.async));
}
// Operand of Sync::none: what the source does not hold, a copy or an order.
constexpr std::uint16_t unknown_copy = 1, unknown_wait = 2;

// The whole word of an instruction that does not touch global memory. `detail`: its unit, or conflict cycles.
Word without_lines(Word word, std::uint32_t first_use, Word detail) {
  const bool far = first_use >= InstructionWord::far;
  if (far) word |= Word{first_use} << 40;
  return word | Word{far ? InstructionWord::far : first_use} << 24 | detail << 32;
}

Word shared_access(Word word, const SharedPasses& passes, std::uint32_t first_use) {
  return without_lines(word | may_wait_bit, first_use, static_cast<Word>(std::max(passes.cycles - 1, 0))) |
         static_cast<Word>(std::max(passes.needed - 1, 0)) << InstructionWord::passes_shift;
}

Word access(Word word, LineForm form, std::uint32_t first_use, const WarpInstruction& instruction) {
  word |= static_cast<Word>(form) << 22 | Word{first_use} << 24 |
          Word{instruction.pc & InstructionWord::pc_mask} << 32;
  if (instruction.local) word |= InstructionWord::local_bit;
  if (instruction.async) word |= InstructionWord::async_bit;
  if (instruction.bulk) word |= InstructionWord::bulk_bit;
  return word;
}

// Buffers for CTAs that need more are not kept.
constexpr std::size_t kept_words = std::size_t{1} << 16;

std::uint64_t eight_bytes(const WarpInstruction& of, std::size_t from) {
  std::uint64_t word;
  std::memcpy(&word, reinterpret_cast<const unsigned char*>(&of) + from, sizeof word);
  return word;
}

// The same bytes from the one at `from` up to the end. Eight at a time: memcmp() is a call. The last eight
// may overlap those before.
template <std::size_t from>
[[gnu::always_inline]] inline bool same_bytes(const WarpInstruction& one, const WarpInstruction& other) {
  constexpr std::size_t until = sizeof(WarpInstruction);
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

void CtaDecoder::Buffer::grow(std::size_t words, std::size_t used) {
  std::unique_ptr<Word[]> more(new Word[words]);
  std::copy_n(words_.get(), used, more.get());
  words_ = std::move(more);
  room_ = words;
}

// Whether the CTA reaches others of its cluster.
void CtaDecoder::find_others(const CtaTrace& cta, const ClusterPlace& place) {
  place_ = place;
  reaches_others_ = false;
  remote_.clear();
  if (place.kernel == nullptr) return;
  const auto found = std::find_if(
      cta.instructions.begin(), cta.instructions.end(),
      [&](const WarpInstruction& instruction) { return names_other_cta(instruction, cta, place.rank); });
  if (found == cta.instructions.end()) return;
  reaches_others_ = true;
  if (dsmem_ != Dsmem::refuse) return;
  const auto number = static_cast<std::uint32_t>(found - cta.instructions.begin());
  const auto warp = std::upper_bound(cta.warp_begin.begin(), cta.warp_begin.end(), number);
  throw ConfigError("kernel " + std::to_string(place.kernel->id) + " '" + place.kernel->name + "', CTA " +
                    std::to_string(cta.index) + ", warp " +
                    std::to_string(warp - cta.warp_begin.begin() - 1) + ", pc " + std::to_string(found->pc) +
                    ": it goes to the shared memory of another thread block of its cluster, which "
                    "sm_cluster, dsmem: refuse does not allow; allowed: dsmem: network, with a router_stage "
                    "between dsmem_out and dsmem_in, or dsmem: own_port");
}

void CtaDecoder::decode(const CtaTrace& cta, DecodedCta& out, const ClusterPlace& place) {
  find_others(cta, place);
  out.begin_.clear();
  Cursor pen{code_.at(0), written_.at(0)};
  const bool two_lines = texture_line_ != data_line_;
  for (std::size_t w = 0; w < cta.warps(); ++w) {
    const std::uint32_t begin = cta.warp_begin[w], end = cta.warp_begin[w + 1];
    warp_words_ = end - begin;
    const DecodedCta::Begin at{code_.place_of(pen.code), written_.place_of(pen.lines)};
    code_.make_room(at.code + 2 * warp_words_ + 2, at.code);
    written_.make_room(at.lines + warp_words_, at.lines);
    out.begin_.push_back(at);
    pen = {code_.at(at.code), written_.at(at.lines)};
    if (w != 0 && end - begin == begin - cta.warp_begin[w - 1] && !reaches_others_) {
      const auto repeat = two_lines ? &CtaDecoder::repeat_warp<true> : &CtaDecoder::repeat_warp<false>;
      if ((this->*repeat)(cta, begin, end, out, pen)) continue;
      pen = {code_.at(at.code), written_.at(at.lines)};
    }
    const auto add = two_lines ? &CtaDecoder::add_warp<true> : &CtaDecoder::add_warp<false>;
    pen = (this->*add)(cta, begin, end, pen);
  }
  out.code_ = code_of(code_.place_of(pen.code));
  out.line_words_ = written_.place_of(pen.lines);
  out.lines_.reset(new Word[out.line_words_]);  // not cleared
  std::copy_n(written_.at(0), out.line_words_, out.lines_.get());
  out.remote_ = std::move(remote_);
  if (code_.room() > kept_words) code_.clear();
  if (written_.room() > kept_words) written_.clear();
}

// The first words of code_: those of a CTA that has the same, if there is one.
std::shared_ptr<const CtaDecoder::Code> CtaDecoder::code_of(std::size_t words) {
  const Word* const code = code_.at(0);
  for (const std::weak_ptr<const Code>& recent : recent_)
    if (std::shared_ptr<const Code> same = recent.lock();
        same != nullptr && same->size() == words && std::equal(same->begin(), same->end(), code))
      return same;
  const auto fresh = std::make_shared<const Code>(code, code + words);
  recent_[oldest_] = fresh;
  oldest_ = (oldest_ + 1) % recent_.size();
  return fresh;
}

template <bool two_lines>
CtaDecoder::Cursor CtaDecoder::add_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end,
                                        Cursor pen) {
  dependences_.find(cta, begin, end);
  if (reaches_others_) dependences_.find_remote(cta, begin, end, place_.rank);
  for (std::uint32_t i = begin; i < end; ++i) {
    if constexpr (two_lines) line_bytes_ = cta.instructions[i].non_coherent ? texture_line_ : data_line_;
    pen = add(cta, cta.instructions[i], i - begin, pen);
  }
  return pen;
}

// A warp as long as the one before it: it has the same text, as far as it has the same instructions, and from
// there on one of its own. Dependences are those found last. False as soon as an instruction has other ones.
template <bool two_lines>
bool CtaDecoder::repeat_warp(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end, DecodedCta& out,
                             Cursor& pen) {
  DecodedCta::Begin& here = out.begin_.back();
  const DecodedCta::Begin before = out.begin_[out.begin_.size() - 2];
  const WarpInstruction* like = cta.instructions.data() + begin - (end - begin);
  const WarpInstruction* const first = cta.instructions.data() + begin;
  const WarpInstruction* const last = cta.instructions.data() + end;
  const Word* const model = code_.at(before.code);  // there is room for all of this warp
  const Word* text = model;
  const Word* model_lines = written_.at(before.lines);
  Word* lines = pen.lines;
  Word* own = nullptr;  // where its own text goes on
  for (const WarpInstruction* instruction = first; instruction != last; ++instruction, ++like) {
    const bool same_lanes = same_but_address(*instruction, *like);
    if (!same_lanes && !same_shape(*instruction, *like)) return false;
    if constexpr (two_lines) line_bytes_ = instruction->non_coherent ? texture_line_ : data_line_;
    const DecodedInstruction decoded(text);
    const bool accesses = touches_global_memory(instruction->op);
    const Word* const after = decoded.after();
    bool as_there = true;
    if (accesses && same_lanes && decoded.is_short_line() && is_moved(*instruction, *like, line_bytes_) &&
        !finds_parts_) {
      *lines++ = *model_lines++ + (instruction->address - like->address);
    } else if (accesses || instruction->active_mask != like->active_mask ||
               (touches_shared_memory(instruction->op) && !conflicts_alike(*instruction, *like))) {
      const std::size_t behind = accesses ? written_.place_of(decoded.after_lines(model_lines)) : 0;
      Word* const at = own != nullptr ? own : pen.code;
      const Cursor next = add(cta, *instruction, static_cast<std::size_t>(instruction - first), {at, lines});
      lines = next.lines;
      if (accesses) model_lines = written_.at(behind);  // there may be new memory
      as_there = own == nullptr && std::equal(text, after, at, next.code);
      if (own != nullptr) {
        own = next.code;
      } else if (!as_there) {  // what it shares so far goes before
        own = std::move_backward(at, next.code, next.code + (text - model)) + (next.code - at);
        std::copy(model, text, at);
      }
    }
    if (own != nullptr && as_there) own = std::copy(text, after, own);
    text = after;
  }
  if (own == nullptr) here.code = before.code;
  pen = {own != nullptr ? own : pen.code, lines};
  return true;
}

// The i-th instruction of the warp whose dependences were found.
[[gnu::always_inline]] inline CtaDecoder::Cursor CtaDecoder::add(const CtaTrace& cta,
                                                                 const WarpInstruction& instruction,
                                                                 std::size_t i, Cursor pen) {
  const std::uint32_t first_use = dependences_.first_use(i);
  const Word word = head(instruction, dependences_.waits(i));
  if (acts_on(instruction)) return {add_sync(cta, instruction, word, pen.code), pen.lines};
  if (touches_shared_memory(instruction.op)) {
    if (goes_to_others(cta, instruction))
      return {add_remote(cta, instruction, word, first_use, pen.code), pen.lines};
    *pen.code++ = shared_access(word, shared_passes(instruction, cta), first_use);
    return pen;
  }
  if (!touches_global_memory(instruction.op))
    return {add_plain(instruction, word, first_use, pen.code), pen.lines};
  LineAccess line;
  if (first_use >= InstructionWord::far || !lines_alone_ || instruction.op == OpClass::atomic ||
      !coalesce_to_one(instruction, line_bytes_, line))
    return add_access(cta, instruction, word, first_use, pen);
  *pen.code++ = access(word, LineForm::one, first_use, instruction);
  *pen.lines++ = line.line | line.sectors;
  return pen;
}

// An access to shared memory, of other CTAs of the cluster too. Without a network it takes what one of its
// own takes, and is counted.
CtaDecoder::Word* CtaDecoder::add_remote(const CtaTrace& cta, const WarpInstruction& instruction, Word word,
                                         std::uint32_t first_use, Word* code) {
  constexpr std::uint32_t farthest = (1U << 20) - 1;  // bits that a distance has here
  first_use = std::min(first_use, farthest);
  if (dsmem_ != Dsmem::network) {
    *code++ = shared_access(word, shared_passes(instruction, cta), first_use) | sync_bits;
    *code++ = SyncWord::to_others(0).word();
    return code;
  }
  remote_.push_back(remote_access(instruction, cta, place_.rank));
  *code++ = shared_access(word, remote_.back().own, first_use) | sync_bits;
  *code++ = SyncWord::to_others(remote_.size() - 1).word();
  return code;
}

// What orders warps. Barriers in shared memory are accessed as well.
CtaDecoder::Word* CtaDecoder::add_sync(const CtaTrace& cta, const WarpInstruction& instruction, Word word,
                                       Word* code) const {
  if (instruction.address_kind == AddressKind::list || !SyncWord::fits(instruction.stride))
    throw ConfigError("the barriers at pc " + std::to_string(instruction.pc) +
                      " lie at irregular addresses; allowed: lanes whose barriers in shared memory lie "
                      "equally far apart");
  const bool goes_out = dsmem_ == Dsmem::network && goes_to_others(cta, instruction);
  const auto passes = [&] {
    return goes_out ? remote_access(instruction, cta, place_.rank).own : shared_passes(instruction, cta);
  };
  *code++ = (touches_shared_memory(instruction.op) ? shared_access(word, passes(), 0)
                                                   : without_lines(word, 0, static_cast<Word>(Unit::none))) |
            sync_bits;
  const std::uint16_t operand = instruction.sync != Sync::none ? instruction.operand
                                : instruction.bulk             ? unknown_copy
                                                               : unknown_wait;
  *code++ = SyncWord(instruction.sync, operand, instruction.address, instruction.stride).word();
  return code;
}

// What touches no memory.
[[gnu::always_inline]] inline Word* CtaDecoder::add_plain(const WarpInstruction& instruction, Word word,
                                                          std::uint32_t first_use, Word* code) const {
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
  *code++ = without_lines(word, first_use, static_cast<Word>(unit));
  if (mixed) *code++ = mix.word();
  return code;
}

// Any access.
CtaDecoder::Cursor CtaDecoder::add_access(const CtaTrace& cta, const WarpInstruction& instruction, Word word,
                                          std::uint32_t first_use, Cursor pen) {
  coalesce(instruction, cta, segment_bytes(instruction), lines_);
  if (finds_parts_) find_parts(instruction, cta, segment_bytes(instruction), lines_);
  if (by_elements_) put_into_lines();
  if (counts_spare_) count_spare(cta, instruction);
  if (finds_parts_) check_addresses(instruction, InstructionWord::part_shift, "asks: parts", "asks: sectors");
  const bool atomic = instruction.op == OpClass::atomic;
  const std::size_t words =
      static_cast<std::size_t>(lines_.count) * (atomic ? 1 + InstructionWord::lane_words : 1);
  const std::size_t used = written_.place_of(pen.lines);
  written_.make_room(used + words + 1 + warp_words_, used);
  Word* lines = written_.at(used);
  const bool far = first_use >= InstructionWord::far;
  const bool listed = (far && lines_.count == 1) || (atomic && lines_.count != 0);
  const LineForm form = listed ? LineForm::list : line_form();
  *pen.code++ = access(word, form, far ? InstructionWord::far : first_use, instruction);
  if (far) *pen.code++ = first_use;
  if (form == LineForm::none) return {pen.code, lines};
  const auto count = static_cast<unsigned>(lines_.count);
  if (form == LineForm::list) *lines++ = atomic ? InstructionWord::atomic_list(count) : Word{count};
  const int written = form == LineForm::list ? lines_.count : 1;
  for (int i = 0; i < written; ++i) *lines++ = line_word(i);
  if (form == LineForm::row) *lines++ = (line_word(1) - line_word(0)) << 8 | Word{count};
  if (atomic) {
    std::array<AtomicLanes, LineAccesses::most> lanes;
    count_atomic_lanes(instruction, cta, line_bytes_, lines_, lanes);
    std::memcpy(lines, lanes.data(), count * sizeof(AtomicLanes));
    lines += InstructionWord::lane_words * count;
  }
  return {pen.code, lines};
}

// Segments become accesses to parts of lines; several may be of one line.
void CtaDecoder::put_into_lines() {
  for (int i = 0; i < lines_.count; ++i) {
    LineAccess& access = lines_.lines[static_cast<std::size_t>(i)];
    const Address place = access.line & (line_bytes_ - 1);
    access.line -= place;
    access.sectors = static_cast<std::uint8_t>(access.sectors << place / sector_bytes);
    access.parts = static_cast<std::uint16_t>(access.parts << place / part_bytes);
  }
}

void CtaDecoder::count_spare(const CtaTrace& cta, const WarpInstruction& instruction) {
  count_spare_words(instruction, cta, line_bytes_, lines_);
  check_addresses(instruction, InstructionWord::spare_shift, "replies: words", "replies: sectors");
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
