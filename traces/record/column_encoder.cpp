// Encodes thread blocks in columns. Patterns that came before in the same order need only their addresses.
#include "traces/record/column_encoder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "traces/record/columns.h"
#include "traces/record/record_format.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace strata::traces::record {
namespace {

void put_form(std::string& out, const LaneForm& form) {
  switch (form.kind) {
    case LaneForm::grid:
      out.push_back(static_cast<char>(form.kind | form.columns << 3));
      put_varint(out, zigzag(form.a));
      put_varint(out, zigzag(form.b));
      return;
    case LaneForm::moved:
      out.push_back(static_cast<char>(form.kind | form.back << 3));
      return;
    default:
      out.push_back(static_cast<char>(form.kind | form.shift << 3));
      out.push_back(static_cast<char>(form.bytes));
  }
}

/// Everything but the address.
ColumnEncoder::Signature signature_of(const WarpInstruction& instruction) {
  ColumnEncoder::Signature signature;
  static_assert(sizeof signature == sizeof instruction - offsetof(WarpInstruction, stride),
                "nothing but the address");
  std::memcpy(&signature, reinterpret_cast<const char*>(&instruction) + offsetof(WarpInstruction, stride),
              sizeof signature);
  return signature;
}

/// Inlined comparison: no call per instruction.
inline bool has_signature(const WarpInstruction& instruction, const ColumnEncoder::Signature& signature) {
  const char* const found = reinterpret_cast<const char*>(&instruction) + offsetof(WarpInstruction, stride);
#ifdef __SSE2__
  const auto same = [&](std::size_t half) {
    return _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(found) + half),
                           _mm_loadu_si128(reinterpret_cast<const __m128i*>(signature.words.data()) + half));
  };
  return _mm_movemask_epi8(_mm_and_si128(same(0), same(1))) == 0xffff;
#else
  std::array<std::uint64_t, 4> words;
  std::memcpy(words.data(), found, sizeof words);
  return words == signature.words;
#endif
}

}  // namespace

void ColumnEncoder::begin_block() {
  predictor_ = Predictor();
  memory_ = LaneMemory();
  last_.assign(1, Last());
}

/// Returns where the flags of so many instructions go, all set to "as predicted".
char* ColumnEncoder::begin_cta(std::uint64_t instructions) {
  predictor_.begin_cta();
  const std::size_t before = columns_.flags.size();
  columns_.flags.resize(before + instructions);
  return columns_.flags.data() + before;
}

void ColumnEncoder::add(const CtaView& cta) {
  char* flags = begin_cta(cta.instructions());
  for (const CtaView::Warp& warp : cta.warps) {
    put_varint(columns_.warps, warp.size());
    predictor_.begin_warp();
    for (const WarpInstruction* i = warp.begin; i != warp.end;) {
      const WarpInstruction* const other = add_expected(i, warp.end, cta.addresses, flags);
      flags += other - i;
      i = other;
      if (i != warp.end) *flags++ = static_cast<char>(add_changed(*i++, cta.addresses));
    }
  }
}

inline unsigned ColumnEncoder::add_address(Address address) {
  return predictor_.match_address(address) ? 0 : add_other_address(address);
}

unsigned ColumnEncoder::add_other_address(Address address) {
  History& history = predictor_.history();
  const auto other = static_cast<std::uint8_t>(1 - history.choice);
  if (address == predictor_.address(other)) {
    put_varint(columns_.addresses, 0);
    history.choice = other;
  } else {
    put_varint(columns_.addresses, zigzag(address - predictor_.address(history.choice)));
  }
  predictor_.update_address(address);
  return new_address;
}

/// Adds instructions until one differs from the last of the predicted entry. Their flags stay 0.
const WarpInstruction* ColumnEncoder::add_expected(const WarpInstruction* i, const WarpInstruction* end,
                                                   const Address* addresses, char* flags) {
  const Last* const lasts = last_.data();
  const std::uint32_t mask = predictor_.mask();
  History* const entries = predictor_.entries();
  const WarpInstruction* const begin = i;
  std::uint64_t dense = 0, lines = 0;
  for (std::uint32_t expected = predictor_.code(); i != end; ++i) {
    const Last& last = lasts[expected];
    if (i->active_mask != mask || !has_signature(*i, last.signature)) break;
    predictor_.advance(expected);
    History& history = entries[expected];
    expected = history.successor;
    const AddressKind kind = i->address_kind;
    if (kind == AddressKind::none) continue;
    const Address address = i->address;
    if (kind == AddressKind::stride) {
      if (address - 1 < last.most) {
        ++dense;
        lines += AccessCounts::dense_lines(address, last.shape);
      } else {
        counts_.add(*i, addresses, last.shape);
      }
      if (!predictor_.match_address(history, address - last.offset))
        flags[i - begin] = static_cast<char>(add_other_address(address - last.offset));
    } else if (mask != 0) {
      flags[i - begin] = static_cast<char>(add_listed(*i, addresses, last.shape));
    } else {
      counts_.add(*i, addresses, last.shape);
    }
  }
  counts_.accesses += dense;
  counts_.lines += lines;
  return i;
}

/// Adds an instruction that differs.
unsigned ColumnEncoder::add_changed(const WarpInstruction& instruction, const Address* addresses) {
  const AccessShape shape = AccessCounts::shape_of(instruction);
  const unsigned flags = add_other(instruction, addresses, shape);
  update_last(instruction, shape);
  return flags;
}

void ColumnEncoder::update_last(const WarpInstruction& instruction, const AccessShape& shape) {
  const std::uint32_t code = predictor_.present();
  if (code + std::size_t{1} >= last_.size()) last_.resize(code + std::size_t{2});
  last_[code] = {signature_of(instruction), strided_offset(predictor_.history(), instruction.active_mask),
                 shape.dense ? ~Address{0} - shape.span : 0,
                 lanes_of(static_cast<std::uint32_t>(instruction.stride), instruction.active_mask), shape};
}

/// Adds an access whose entry and mask are already set.
unsigned ColumnEncoder::add_access(const WarpInstruction& access, const Address* addresses) {
  const AccessShape shape = AccessCounts::shape_of(access);
  unsigned flags = 0;
  if (access.address_kind == AddressKind::list && access.active_mask != 0) {
    flags = add_listed(access, addresses, shape);
  } else {
    counts_.add(access, addresses, shape);
    if (access.address_kind == AddressKind::stride) flags = add_strided(access);
  }
  update_last(access, shape);
  return flags;
}

unsigned ColumnEncoder::add_other(const WarpInstruction& instruction, const Address* addresses,
                                  const AccessShape& shape) {
  unsigned flags = 0;
  const StaticPart part = static_part(instruction);
  const std::uint32_t expected = predictor_.code();
  std::uint32_t code = expected;
  if (expected >= dictionary_.size() || dictionary_[expected].part != part) {
    code = dictionary_.code(part);
    if (code != expected) {
      flags |= new_code;
      put_varint(columns_.codes, code);
    }
  }
  predictor_.update_code(code);
  if (instruction.active_mask != predictor_.mask()) {
    flags |= new_mask;
    add_mask(instruction.active_mask);
  }
  if (instruction.address_kind == AddressKind::list && instruction.active_mask != 0)
    return flags | add_listed(instruction, addresses, shape);
  counts_.add(instruction, addresses, shape);
  return instruction.address_kind == AddressKind::stride ? flags | add_strided(instruction) : flags;
}

void ColumnEncoder::add_mask(std::uint32_t mask) {
  const std::size_t place = predictor_.find_mask(mask);
  put_varint(columns_.masks, place < mask_choices ? place : mask_choices + (mask ^ predictor_.mask()));
  predictor_.update_mask(mask, place);
}

unsigned ColumnEncoder::add_strided(const WarpInstruction& instruction) {
  unsigned flags = 0;
  History& history = predictor_.history();
  std::int32_t& stride = instruction.active_lanes() == 1 ? history.single_stride : history.stride;
  if (instruction.stride != stride) {
    flags |= new_form;
    put_varint(columns_.forms, zigzag(static_cast<Address>(static_cast<std::int64_t>(instruction.stride))));
    stride = instruction.stride;
  }
  return flags | add_address(instruction.address - strided_offset(history, instruction.active_mask));
}

unsigned ColumnEncoder::add_listed(const WarpInstruction& instruction, const Address* addresses,
                                   const AccessShape& shape) {
  History& history = predictor_.history();
  const Address* const at = addresses + instruction.address;
  if (instruction.active_mask == ~0U && history.form.kind == LaneForm::grid && are_grid(at, history.form)) {
    counts_.add_grid(instruction, addresses, history.form, shape);
    return add_address(*at);
  }
  counts_.add(instruction, addresses, shape);
  const Lanes lanes = listed_lanes(instruction, addresses);
  unsigned flags = 0;
  const LaneForm form = choose_form(lanes, history.form, memory_, history.lanes);
  if (!(form == history.form)) {
    flags |= new_form;
    put_form(columns_.forms, form);
    history.form = form;
  }
  const Address first = lanes.at[first_lane(lanes.mask)] - listed_offset(form, lanes, memory_, history.lanes);
  if (form.holds_first())
    predictor_.update_address(first);
  else
    flags |= add_address(first);
  if (form.has_differences()) add_differences(form, lanes, history.lanes);
  if (form.kind != LaneForm::grid) memory_.insert(history.lanes, lanes);
  return flags;
}

void ColumnEncoder::add_differences(const LaneForm& form, const Lanes& lanes, std::uint32_t row) {
  const DifferenceBase base(form, memory_, row, lanes.width);
  std::array<Address, 32> values;
  std::size_t count = 0;
  Address below = lanes.at[first_lane(lanes.mask)];
  for (std::uint32_t rest = form.holds_first() ? lanes.mask : lanes.mask & (lanes.mask - 1); rest != 0;
       rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const auto difference = static_cast<std::int64_t>(lanes.at[lane] - base(lane, below));
    values[count++] = zigzag(static_cast<Address>(difference >> form.shift));
    below = lanes.at[lane];
  }
  for (std::size_t byte = 0; byte < form.bytes; ++byte) {
    std::array<char, 32> part;
    for (std::size_t i = 0; i < count; ++i) part[i] = static_cast<char>(values[i] >> byte * 8);
    columns_.differences[byte].append(part.data(), count);
  }
}

void ColumnEncoder::add(const CtaPath& cta) {
  char* flags = begin_cta(cta.instructions());
  for (const CtaPath::Warp& warp : cta.warps) {
    put_varint(columns_.warps, warp.instructions);
    predictor_.begin_warp();
    const PathSegment* const end = cta.segments.data() + warp.end;
    for (const PathSegment* segment = cta.segments.data() + warp.begin; segment != end; ++segment) {
      const std::size_t count = segment->pattern->records.size();
      if (count == 0) continue;
      if (segment->repeats != 0)
        add_times(*segment, cta.addresses, flags);
      else
        add(*segment, cta.addresses, flags);
      flags += count * (segment->repeats + std::size_t{1});
    }
  }
}

/// Adds records one after another.
void ColumnEncoder::add(const PathSegment& segment, std::size_t first, std::size_t last,
                        const Address* addresses, char* flags) {
  flags += first;
  segment.for_each(first, last, [&](const WarpInstruction& one) {
    if (add_expected(&one, &one + 1, addresses, flags) == &one)
      *flags = static_cast<char>(add_changed(one, addresses));
    ++flags;
  });
}

inline void ColumnEncoder::add(const PathSegment& segment, const Address* addresses, char* flags) {
  const Pattern& pattern = *segment.pattern;
  if (segment.as_known && pattern.id < pattern_codes_.size() && !pattern_codes_[pattern.id].codes.empty())
    return add_known(segment, pattern_codes_[pattern.id], addresses, flags);
  if (segment.as_known && pattern.id != 0 && !pattern.own_masks)
    return insert_codes(segment, addresses, flags);
  add(segment, 0, pattern.records.size(), addresses, flags);
}

/// Adds records one after another and stores their codes.
void ColumnEncoder::insert_codes(const PathSegment& segment, const Address* addresses, char* flags) {
  const Pattern& pattern = *segment.pattern;
  if (pattern.id >= pattern_codes_.size()) pattern_codes_.resize(pattern.id + std::size_t{1});
  PatternCodes& known = pattern_codes_[pattern.id];
  for (std::size_t n = 0; n < pattern.records.size(); ++n) {
    add(segment, n, n + 1, addresses, flags);
    known.codes.push_back(predictor_.present());
    known.most = std::max(known.most, predictor_.present());
  }
  for (const Pattern::Access& access : pattern.accesses)
    known.accesses.push_back({access.record, access.cell, known.codes[access.record], access.listed});
}

/// Adds a code that was not predicted.
void ColumnEncoder::add_code(std::uint32_t code, char& flags) {
  flags |= static_cast<char>(new_code);
  put_varint(columns_.codes, code);
  predictor_.update_code(code);
}

/// Adds a known pattern. Force-inlined like everything that runs once per access.
[[gnu::always_inline]] inline void ColumnEncoder::add_known(const PathSegment& segment,
                                                            const PatternCodes& known,
                                                            const Address* addresses, char* flags) {
  predictor_.ensure_entry(known.most);
  if (predictor_.known() >= last_.size()) last_.resize(predictor_.known() + std::size_t{1});
  if (predictor_.mask() != segment.mask) {
    flags[0] |= static_cast<char>(new_mask);
    add_mask(segment.mask);
  }
  Last* const lasts = last_.data();
  History* const entries = predictor_.entries();
  const PathCell* const cells = segment.cells;
  const std::uint64_t mask = lanes_of(0, segment.mask);
  std::uint64_t dense = 0, lines = 0;
  const std::uint32_t* const codes = known.codes.data();
  std::uint32_t next = 0, expected = predictor_.code();
  const auto pass_before = [&](std::uint32_t end) {
    for (; next < end; ++next) {
      if (codes[next] != expected) {
        if (next > 0) predictor_.advance(codes[next - 1]);
        add_code(codes[next], flags[next]);
      }
      expected = entries[codes[next]].successor;
    }
  };
  const PatternCodes::Link* const end = known.accesses.data() + known.accesses.size();
  for (const PatternCodes::Link* link = known.accesses.data(); link != end; ++link) {
    pass_before(link->record + 1);
    const PathCell& cell = cells[link->cell];
    Last& last = lasts[link->code];
    if (last.lanes != (cell.extra | mask) && !change_lanes(last, cell.extra, segment.mask)) {
      predictor_.advance(link->code);
      flags[link->record] |= static_cast<char>(
          add_access(segment.instruction(known.access(*link, *segment.pattern)), addresses));
      continue;
    }
    if (link->listed) {
      predictor_.advance(link->code);
      flags[link->record] |= static_cast<char>(
          add_listed(segment.instruction(known.access(*link, *segment.pattern)), addresses, last.shape));
      continue;
    }
    if (cell.value - 1 < last.most) {
      ++dense;
      lines += AccessCounts::dense_lines(cell.value, last.shape);
    } else if (last.shape.shared) {
      ++counts_.shared;
    } else {
      counts_.add(segment.instruction(known.access(*link, *segment.pattern)), addresses, last.shape);
    }
    const Address address = cell.value - last.offset;
    if (predictor_.match_address(entries[link->code], address)) continue;
    predictor_.advance(link->code);
    flags[link->record] |= static_cast<char>(add_other_address(address));
  }
  pass_before(static_cast<std::uint32_t>(known.codes.size()));
  counts_.accesses += dense;
  counts_.lines += lines;
  predictor_.advance(known.codes.back());
}

/// Like the entry's last access, but with other lanes. False if more differs, or if strides are not stored.
bool ColumnEncoder::change_lanes(Last& last, std::uint32_t stride, std::uint32_t mask) {
  const auto before = static_cast<std::uint32_t>(last.lanes >> 32);
  const bool several = (mask & (mask - 1)) != 0 && (before & (before - 1)) != 0;
  if (static_cast<std::uint32_t>(last.lanes) != stride || !several) return false;
  last.lanes = lanes_of(stride, mask);
  const std::array<std::uint32_t, 2> words = {stride, mask};
  std::memcpy(&last.signature, words.data(), sizeof words);
  last.offset =
      static_cast<Address>(static_cast<std::int64_t>(static_cast<std::int32_t>(stride))) * first_lane(mask);
  if (!last.shape.dense) return true;
  const auto lanes = [](std::uint32_t of) { return static_cast<std::uint32_t>(__builtin_popcount(of)); };
  last.shape.span += stride * (lanes(mask) - lanes(before));
  last.most = ~Address{0} - last.shape.span;
  return true;
}

/// Adds repetitions one by one until all remaining ones are as predicted.
void ColumnEncoder::add_times(const PathSegment& segment, const Address* addresses, char* flags) {
  constexpr std::uint32_t first_look = 1, last_look = 4;
  const std::size_t count = segment.pattern->records.size();
  for (std::uint32_t time = 0; time <= segment.repeats; ++time, flags += count) {
    const PathSegment one = segment.at(time);
    add(one, addresses, flags);
    if (time < first_look || time > last_look || time == segment.repeats) continue;
    const PatternCodes& known = pattern_codes_[segment.pattern->id];  // inserted the first time
    if (stays_predicted(one, known)) return skip(one, segment.repeats - time, known);
  }
}

/// True if all further repetitions are as predicted.
bool ColumnEncoder::stays_predicted(const PathSegment& segment, const PatternCodes& known) {
  for (std::size_t n = 0; n < known.codes.size(); ++n)
    if (predictor_.entries()[known.codes[n]].successor != known.codes[(n + 1) % known.codes.size()])
      return false;
  const PathCell *const now = segment.cells, *const next = now + segment.pattern->cells;
  const auto step = [&](const PatternCodes::Link& link) {
    return next[link.cell].value - now[link.cell].value;
  };
  Address before = known.accesses.empty() ? 0 : step(known.accesses.back());
  for (const PatternCodes::Link& link : known.accesses) {
    if (last_[link.code].lanes != lanes_of(now[link.cell].extra, segment.mask) ||
        !predictor_.stays_predicted(predictor_.entries()[link.code], step(link), before))
      return false;
    before = step(link);
  }
  return true;
}

/// Adds `times` further repetitions at once.
void ColumnEncoder::skip(const PathSegment& segment, std::uint32_t times, const PatternCodes& known) {
  if (known.accesses.empty()) return;
  const std::size_t count = segment.pattern->cells;
  const PathCell *const now = segment.cells, *const end = now + count * times;
  const auto address = [&](const PathCell* cells, const PatternCodes::Link& link) {
    return cells[link.cell].value - last_[link.code].offset;
  };
  Address before = address(end - count, known.accesses.back());
  for (std::size_t n = 0; n < known.accesses.size(); ++n) {
    const PatternCodes::Link& link = known.accesses[n];
    const Address step = now[link.cell + count].value - now[link.cell].value;
    WarpInstruction next = segment.instruction(segment.pattern->accesses[n]);
    next.address += step;
    counts_.add_steps(next, last_[link.code].shape, step, times);
    predictor_.skip(predictor_.entries()[link.code], address(end, link), step, before);
    before = address(end, link);
  }
}

}  // namespace strata::traces::record
