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

#include "traces/record/columns.h"
#include "traces/record/record_format.h"

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
ColumnEncoder::Image image_of(const WarpInstruction& instruction) {
  ColumnEncoder::Image image;
  static_assert(sizeof image == sizeof instruction - offsetof(WarpInstruction, stride),
                "nothing but the address");
  std::memcpy(&image, reinterpret_cast<const char*>(&instruction) + offsetof(WarpInstruction, stride),
              sizeof image);
  return image;
}

/// Inlined comparison: no call per instruction.
inline bool is_like(const WarpInstruction& instruction, const ColumnEncoder::Image& image) {
  const char* const found = reinterpret_cast<const char*>(&instruction) + offsetof(WarpInstruction, stride);
#ifdef __SSE2__
  const auto same = [&](std::size_t half) {
    return _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(found) + half),
                           _mm_loadu_si128(reinterpret_cast<const __m128i*>(image.words.data()) + half));
  };
  return _mm_movemask_epi8(_mm_and_si128(same(0), same(1))) == 0xffff;
#else
  std::array<std::uint64_t, 4> words;
  std::memcpy(words.data(), found, sizeof words);
  return words == image.words;
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
      if (i != warp.end) *flags++ = static_cast<char>(add_unlike(*i++, cta.addresses));
    }
  }
}

inline unsigned ColumnEncoder::add_address(Address address) {
  return predictor_.follow_address(address) ? 0 : add_other_address(address);
}

unsigned ColumnEncoder::add_other_address(Address address) {
  Seen& seen = predictor_.seen();
  const auto other = static_cast<std::uint8_t>(1 - seen.choice);
  if (address == predictor_.address(other)) {
    put_varint(columns_.addresses, 0);
    seen.choice = other;
  } else {
    put_varint(columns_.addresses, zigzag(address - predictor_.address(seen.choice)));
  }
  predictor_.learn_address(address);
  return new_address;
}

/// Adds instructions until one differs from the last of the predicted entry. Their flags stay 0.
const WarpInstruction* ColumnEncoder::add_expected(const WarpInstruction* i, const WarpInstruction* end,
                                                   const Address* addresses, char* flags) {
  const Last* const lasts = last_.data();
  const std::uint32_t mask = predictor_.mask();
  Seen* const entries = predictor_.entries();
  const WarpInstruction* const begin = i;
  std::uint64_t dense = 0, lines = 0;
  for (std::uint32_t expected = predictor_.code(); i != end; ++i) {
    const Last& last = lasts[expected];
    if (i->active_mask != mask || !is_like(*i, last.image)) break;
    predictor_.follow(expected);
    Seen& seen = entries[expected];
    expected = seen.successor;
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
      if (!predictor_.follow_address(seen, address - last.offset))
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
unsigned ColumnEncoder::add_unlike(const WarpInstruction& instruction, const Address* addresses) {
  const AccessShape shape = AccessCounts::shape_of(instruction);
  const unsigned flags = add_other(instruction, addresses, shape);
  learn_last(instruction, shape);
  return flags;
}

void ColumnEncoder::learn_last(const WarpInstruction& instruction, const AccessShape& shape) {
  const std::uint32_t code = predictor_.present();
  if (code + std::size_t{1} >= last_.size()) last_.resize(code + std::size_t{2});
  last_[code] = {image_of(instruction), strided_offset(predictor_.seen(), instruction.active_mask),
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
  learn_last(access, shape);
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
  predictor_.learn_code(code);
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
  const std::size_t place = predictor_.place_of(mask);
  put_varint(columns_.masks, place < mask_choices ? place : mask_choices + (mask ^ predictor_.mask()));
  predictor_.learn_mask(mask, place);
}

unsigned ColumnEncoder::add_strided(const WarpInstruction& instruction) {
  unsigned flags = 0;
  Seen& seen = predictor_.seen();
  std::int32_t& stride = instruction.active_lanes() == 1 ? seen.single_stride : seen.stride;
  if (instruction.stride != stride) {
    flags |= new_form;
    put_varint(columns_.forms, zigzag(static_cast<Address>(static_cast<std::int64_t>(instruction.stride))));
    stride = instruction.stride;
  }
  return flags | add_address(instruction.address - strided_offset(seen, instruction.active_mask));
}

unsigned ColumnEncoder::add_listed(const WarpInstruction& instruction, const Address* addresses,
                                   const AccessShape& shape) {
  Seen& seen = predictor_.seen();
  const Address* const at = addresses + instruction.address;
  if (instruction.active_mask == ~0U && seen.form.kind == LaneForm::grid && are_grid(at, seen.form)) {
    counts_.add_grid(instruction, addresses, seen.form, shape);
    return add_address(*at);
  }
  counts_.add(instruction, addresses, shape);
  const Lanes lanes = listed_lanes(instruction, addresses);
  unsigned flags = 0;
  const LaneForm form = choose_form(lanes, seen.form, memory_, seen.lanes);
  if (!(form == seen.form)) {
    flags |= new_form;
    put_form(columns_.forms, form);
    seen.form = form;
  }
  const Address first = lanes.at[first_lane(lanes.mask)] - listed_offset(form, lanes, memory_, seen.lanes);
  if (form.holds_first())
    predictor_.learn_address(first);
  else
    flags |= add_address(first);
  if (form.has_differences()) add_differences(form, lanes, seen.lanes);
  if (form.kind != LaneForm::grid) memory_.learn(seen.lanes, lanes);
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
    const Stretch* const end = cta.stretches.data() + warp.end;
    for (const Stretch* stretch = cta.stretches.data() + warp.begin; stretch != end; ++stretch) {
      const std::size_t count = stretch->pattern->records.size();
      if (count == 0) continue;
      if (stretch->repeats != 0)
        add_times(*stretch, cta.addresses, flags);
      else
        add(*stretch, cta.addresses, flags);
      flags += count * (stretch->repeats + std::size_t{1});
    }
  }
}

/// Adds records one after another.
void ColumnEncoder::add(const Stretch& stretch, std::size_t first, std::size_t last, const Address* addresses,
                        char* flags) {
  flags += first;
  stretch.for_each(first, last, [&](const WarpInstruction& one) {
    if (add_expected(&one, &one + 1, addresses, flags) == &one)
      *flags = static_cast<char>(add_unlike(one, addresses));
    ++flags;
  });
}

inline void ColumnEncoder::add(const Stretch& stretch, const Address* addresses, char* flags) {
  const Pattern& pattern = *stretch.pattern;
  if (stretch.as_known && pattern.id < chains_.size() && !chains_[pattern.id].codes.empty())
    return follow(stretch, chains_[pattern.id], addresses, flags);
  if (stretch.as_known && pattern.id != 0 && !pattern.own_masks) return learn(stretch, addresses, flags);
  add(stretch, 0, pattern.records.size(), addresses, flags);
}

/// Adds records one after another and stores their codes.
void ColumnEncoder::learn(const Stretch& stretch, const Address* addresses, char* flags) {
  const Pattern& pattern = *stretch.pattern;
  if (pattern.id >= chains_.size()) chains_.resize(pattern.id + std::size_t{1});
  Chain& chain = chains_[pattern.id];
  for (std::size_t n = 0; n < pattern.records.size(); ++n) {
    add(stretch, n, n + 1, addresses, flags);
    chain.codes.push_back(predictor_.present());
    chain.most = std::max(chain.most, predictor_.present());
  }
  for (const Pattern::Access& access : pattern.accesses)
    chain.accesses.push_back({access.record, access.cell, chain.codes[access.record], access.listed});
}

/// Adds a code that was not predicted.
void ColumnEncoder::add_code(std::uint32_t code, char& flags) {
  flags |= static_cast<char>(new_code);
  put_varint(columns_.codes, code);
  predictor_.learn_code(code);
}

/// Adds a known pattern. Force-inlined like everything that runs once per access.
[[gnu::always_inline]] inline void ColumnEncoder::follow(const Stretch& stretch, const Chain& chain,
                                                         const Address* addresses, char* flags) {
  predictor_.make_room(chain.most);
  if (predictor_.known() >= last_.size()) last_.resize(predictor_.known() + std::size_t{1});
  if (predictor_.mask() != stretch.mask) {
    flags[0] |= static_cast<char>(new_mask);
    add_mask(stretch.mask);
  }
  Last* const lasts = last_.data();
  Seen* const entries = predictor_.entries();
  const PathCell* const cells = stretch.cells;
  const std::uint64_t mask = lanes_of(0, stretch.mask);
  std::uint64_t dense = 0, lines = 0;
  const std::uint32_t* const codes = chain.codes.data();
  std::uint32_t next = 0, expected = predictor_.code();
  const auto pass_before = [&](std::uint32_t end) {
    for (; next < end; ++next) {
      if (codes[next] != expected) {
        if (next > 0) predictor_.follow(codes[next - 1]);
        add_code(codes[next], flags[next]);
      }
      expected = entries[codes[next]].successor;
    }
  };
  const Chain::Link* const end = chain.accesses.data() + chain.accesses.size();
  for (const Chain::Link* link = chain.accesses.data(); link != end; ++link) {
    pass_before(link->record + 1);
    const PathCell& cell = cells[link->cell];
    Last& last = lasts[link->code];
    if (last.lanes != (cell.extra | mask) && !change_lanes(last, cell.extra, stretch.mask)) {
      predictor_.follow(link->code);
      flags[link->record] |= static_cast<char>(
          add_access(stretch.instruction(chain.access(*link, *stretch.pattern)), addresses));
      continue;
    }
    if (link->listed) {
      predictor_.follow(link->code);
      flags[link->record] |= static_cast<char>(
          add_listed(stretch.instruction(chain.access(*link, *stretch.pattern)), addresses, last.shape));
      continue;
    }
    if (cell.value - 1 < last.most) {
      ++dense;
      lines += AccessCounts::dense_lines(cell.value, last.shape);
    } else if (last.shape.shared) {
      ++counts_.shared;
    } else {
      counts_.add(stretch.instruction(chain.access(*link, *stretch.pattern)), addresses, last.shape);
    }
    const Address address = cell.value - last.offset;
    if (predictor_.follow_address(entries[link->code], address)) continue;
    predictor_.follow(link->code);
    flags[link->record] |= static_cast<char>(add_other_address(address));
  }
  pass_before(static_cast<std::uint32_t>(chain.codes.size()));
  counts_.accesses += dense;
  counts_.lines += lines;
  predictor_.follow(chain.codes.back());
}

/// Like the entry's last access, but with other lanes. False if more differs, or if strides are not stored.
bool ColumnEncoder::change_lanes(Last& last, std::uint32_t stride, std::uint32_t mask) {
  const auto before = static_cast<std::uint32_t>(last.lanes >> 32);
  const bool several = (mask & (mask - 1)) != 0 && (before & (before - 1)) != 0;
  if (static_cast<std::uint32_t>(last.lanes) != stride || !several) return false;
  last.lanes = lanes_of(stride, mask);
  const std::array<std::uint32_t, 2> words = {stride, mask};
  std::memcpy(&last.image, words.data(), sizeof words);
  last.offset =
      static_cast<Address>(static_cast<std::int64_t>(static_cast<std::int32_t>(stride))) * first_lane(mask);
  if (!last.shape.dense) return true;
  const auto lanes = [](std::uint32_t of) { return static_cast<std::uint32_t>(__builtin_popcount(of)); };
  last.shape.span += stride * (lanes(mask) - lanes(before));
  last.most = ~Address{0} - last.shape.span;
  return true;
}

/// Adds repetitions one by one until all remaining ones are as predicted.
void ColumnEncoder::add_times(const Stretch& stretch, const Address* addresses, char* flags) {
  constexpr std::uint32_t first_look = 1, last_look = 4;
  const std::size_t count = stretch.pattern->records.size();
  for (std::uint32_t time = 0; time <= stretch.repeats; ++time, flags += count) {
    const Stretch one = stretch.at(time);
    add(one, addresses, flags);
    if (time < first_look || time > last_look || time == stretch.repeats) continue;
    const Chain& chain = chains_[stretch.pattern->id];  // inserted the first time
    if (goes_on(one, chain)) return skip(one, stretch.repeats - time, chain);
  }
}

/// True if all further repetitions are as predicted.
bool ColumnEncoder::goes_on(const Stretch& stretch, const Chain& chain) {
  for (std::size_t n = 0; n < chain.codes.size(); ++n)
    if (predictor_.entries()[chain.codes[n]].successor != chain.codes[(n + 1) % chain.codes.size()])
      return false;
  const PathCell *const now = stretch.cells, *const next = now + stretch.pattern->cells;
  const auto step = [&](const Chain::Link& link) { return next[link.cell].value - now[link.cell].value; };
  Address before = chain.accesses.empty() ? 0 : step(chain.accesses.back());
  for (const Chain::Link& link : chain.accesses) {
    if (last_[link.code].lanes != lanes_of(now[link.cell].extra, stretch.mask) ||
        !predictor_.goes_on(predictor_.entries()[link.code], step(link), before))
      return false;
    before = step(link);
  }
  return true;
}

/// Adds `times` further repetitions at once.
void ColumnEncoder::skip(const Stretch& stretch, std::uint32_t times, const Chain& chain) {
  if (chain.accesses.empty()) return;
  const std::size_t count = stretch.pattern->cells;
  const PathCell *const now = stretch.cells, *const end = now + count * times;
  const auto address = [&](const PathCell* cells, const Chain::Link& link) {
    return cells[link.cell].value - last_[link.code].offset;
  };
  Address before = address(end - count, chain.accesses.back());
  for (std::size_t n = 0; n < chain.accesses.size(); ++n) {
    const Chain::Link& link = chain.accesses[n];
    const Address step = now[link.cell + count].value - now[link.cell].value;
    WarpInstruction next = stretch.instruction(stretch.pattern->accesses[n]);
    next.address += step;
    counts_.add_steps(next, last_[link.code].shape, step, times);
    predictor_.skip(predictor_.entries()[link.code], address(end, link), step, before);
    before = address(end, link);
  }
}

}  // namespace strata::traces::record
