#include "traces/record/column_encoder.h"

#include <cstddef>
#include <cstring>
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

/// What lies behind an instruction's address.
ColumnEncoder::Image image_of(const WarpInstruction& instruction) {
  ColumnEncoder::Image image;
  static_assert(sizeof image == sizeof instruction - offsetof(WarpInstruction, stride),
                "nothing but the address");
  std::memcpy(&image, reinterpret_cast<const char*>(&instruction) + offsetof(WarpInstruction, stride),
              sizeof image);
  return image;
}

/// Whether it is the same, without a call for each instruction.
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

/// Where the flags of so many instructions go, which say that none surprises.
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

/// Instructions up to the first that is another than the last of the entry that is expected. Their `flags`
/// are 0 as they are.
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

/// Another than that.
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

/// The present entry is that of the access, and the mask is known.
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

}  // namespace strata::traces::record
