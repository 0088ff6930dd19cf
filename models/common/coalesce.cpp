#include "models/common/coalesce.h"

#include <algorithm>
#include <cassert>

namespace strata {
namespace {

/// Collects lines in order of first touch. A 64-bit filter of line numbers spares most searches.
class LineCollector {
 public:
  LineCollector(unsigned line_bytes, LineAccesses& out) : mask_(line_bytes - 1), out_(out) {
    while ((1u << shift_) < line_bytes) ++shift_;
  }

  /// Mark the bytes [first, last]; they may span several lines.
  void touch(Address first, Address last) {
    for (Address line = first & ~mask_;;) {
      const Address line_last = line | mask_;
      const auto low = static_cast<unsigned>((first > line ? first - line : 0) / sector_bytes);
      const auto high = static_cast<unsigned>(((last < line_last ? last : line_last) - line) / sector_bytes);
      add(line, static_cast<std::uint8_t>((2u << high) - (1u << low)));
      if (last <= line_last) return;
      line += mask_ + 1;
    }
  }

 private:
  void add(Address line, std::uint8_t sectors) {
    const std::uint64_t bit = std::uint64_t{1} << (line >> shift_ & 63);
    if ((filter_ & bit) != 0) {
      for (int i = out_.count - 1; i >= 0; --i) {
        LineAccess& seen = out_.lines[static_cast<std::size_t>(i)];
        if (seen.line == line) {
          seen.sectors = static_cast<std::uint8_t>(seen.sectors | sectors);
          return;
        }
      }
    }
    filter_ |= bit;
    out_.lines[static_cast<std::size_t>(out_.count++)] = {line, sectors};
  }

  Address mask_;
  unsigned shift_ = 5;
  std::uint64_t filter_ = 0;
  LineAccesses& out_;
};

Address last_byte(Address first, unsigned bytes) {
  const Address last = first + bytes - 1;
  return last < first ? ~Address{0} : last;
}

/// Calls visit(first, last) for each run of bytes that the lane with this address touches.
template <class Visit>
void for_each_run(const WarpInstruction& instruction, Address address, Visit visit) {
  if (!instruction.local || instruction.width <= 4)
    return visit(address, last_byte(address, instruction.width));
  const Address distance = local_word_distance(instruction);
  for (unsigned word = 0; word < instruction.width / 4U; ++word)
    visit(address + word * distance, address + word * distance + 3);
}

/// Strides of 0 to one sector leave no sector out: the lanes touch one contiguous range, in ascending order.
bool contiguous_range(const WarpInstruction& instruction, Address& last) {
  if (instruction.address_kind != AddressKind::stride || instruction.address == 0 || instruction.stride < 0 ||
      (instruction.local && instruction.width > 4) ||
      instruction.stride > static_cast<std::int32_t>(sector_bytes))
    return false;
  const auto lanes = static_cast<unsigned>(instruction.active_lanes());
  const unsigned bytes = (lanes - 1) * static_cast<unsigned>(instruction.stride) + instruction.width;
  last = instruction.address + bytes - 1;
  return last >= instruction.address;
}

/// Distinct words of a run of 4 B aligned lanes: word k * s falls into the same bank every 32 / gcd(s, 32)
/// lanes.
int strided_conflict_degree(unsigned lanes, std::int32_t stride) {
  if (stride == 0) return 1;
  const auto words = static_cast<std::uint32_t>(stride / 4);
  const int shift = __builtin_ctz(words | 32u);
  const unsigned period = 32u >> shift;
  return static_cast<int>((lanes + period - 1) / period);
}

}  // namespace

int lane_addresses(const WarpInstruction& instruction, const CtaTrace& cta, std::array<Address, 32>& out) {
  const int lanes = instruction.active_lanes();
  if (instruction.address_kind == AddressKind::none) return 0;
  if (instruction.address_kind == AddressKind::list) {
    assert(instruction.address + static_cast<unsigned>(lanes) <= cta.addresses.size());
    for (int i = 0; i < lanes; ++i)
      out[static_cast<std::size_t>(i)] = cta.addresses[instruction.address + static_cast<unsigned>(i)];
    return lanes;
  }
  Address address = instruction.address;
  for (int i = 0; i < lanes; ++i) {
    out[static_cast<std::size_t>(i)] = address;
    address += static_cast<Address>(static_cast<std::int64_t>(instruction.stride));
  }
  return lanes;
}

void coalesce(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
              LineAccesses& out) {
  assert(line_bytes >= 32 && line_bytes <= 256 && (line_bytes & (line_bytes - 1)) == 0);
  out.count = 0;
  if (instruction.active_mask == 0 || instruction.address_kind == AddressKind::none || instruction.width == 0)
    return;
  LineCollector collector(line_bytes, out);
  Address last = 0;
  if (contiguous_range(instruction, last)) {
    collector.touch(instruction.address, last);
    return;
  }
  std::array<Address, 32> addresses;
  const int lanes = lane_addresses(instruction, cta, addresses);
  for (int i = 0; i < lanes; ++i) {
    const Address address = addresses[static_cast<std::size_t>(i)];
    if (address != 0)
      for_each_run(instruction, address, [&](Address first, Address end) { collector.touch(first, end); });
  }
}

namespace {

/// Of each line the words that lanes touch: bit w is word w.
std::array<std::uint64_t, LineAccesses::most> touched_words(const WarpInstruction& instruction,
                                                            const CtaTrace& cta, unsigned line_bytes,
                                                            const LineAccesses& lines) {
  std::array<std::uint64_t, LineAccesses::most> touched{};
  std::array<Address, 32> addresses;
  const int lanes = lane_addresses(instruction, cta, addresses);
  for (int lane = 0; lane < lanes; ++lane) {
    if (addresses[static_cast<std::size_t>(lane)] == 0) continue;
    for_each_run(instruction, addresses[static_cast<std::size_t>(lane)], [&](Address first, Address last) {
      for (int i = 0; i < lines.count; ++i) {
        const Address line = lines.lines[static_cast<std::size_t>(i)].line, line_last = line + line_bytes - 1;
        if (last < line || first > line_last) continue;
        const auto low = static_cast<unsigned>((std::max(first, line) - line) / word_bytes);
        const auto high = static_cast<unsigned>((std::min(last, line_last) - line) / word_bytes);
        touched[static_cast<std::size_t>(i)] |=
            (std::uint64_t{2} << high) - (std::uint64_t{1} << low);  // of 64 words: 2 << 63 is 0
      }
    });
  }
  return touched;
}

}  // namespace

void count_spare_words(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
                       LineAccesses& lines) {
  const auto touched = touched_words(instruction, cta, line_bytes, lines);
  constexpr int sector_words = sector_bytes / word_bytes;
  for (int i = 0; i < lines.count; ++i) {
    LineAccess& line = lines.lines[static_cast<std::size_t>(i)];
    line.spare_words = static_cast<std::uint8_t>(__builtin_popcount(line.sectors) * sector_words -
                                                 __builtin_popcountll(touched[static_cast<std::size_t>(i)]));
  }
}

void find_parts(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
                LineAccesses& lines) {
  static_assert(part_bytes == 2 * word_bytes);
  assert(line_bytes <= 16 * part_bytes);
  const auto touched = touched_words(instruction, cta, line_bytes, lines);
  for (int i = 0; i < lines.count; ++i) {
    unsigned parts = 0;
    for (std::uint64_t words = touched[static_cast<std::size_t>(i)]; words != 0; words &= words - 1)
      parts |= 1U << __builtin_ctzll(words) / 2;
    lines.lines[static_cast<std::size_t>(i)].parts = static_cast<std::uint16_t>(parts);
  }
}

void count_atomic_lanes(const WarpInstruction& instruction, const CtaTrace& cta, unsigned line_bytes,
                        const LineAccesses& lines, std::array<AtomicLanes, LineAccesses::most>& out) {
  std::fill_n(out.begin(), lines.count, AtomicLanes{});
  std::array<Address, 32> addresses;
  const int count = lane_addresses(instruction, cta, addresses);
  std::sort(addresses.begin(), addresses.begin() + count);  // those of one address follow each other
  const auto words = static_cast<std::uint8_t>(instruction.width > word_bytes ? instruction.width / word_bytes
                                                                              : std::uint64_t{1});
  unsigned same = 0;
  for (int lane = 0; lane < count; ++lane) {
    const Address address = addresses[static_cast<std::size_t>(lane)];
    same = lane != 0 && address == addresses[static_cast<std::size_t>(lane) - 1] ? same + 1 : 1;
    if (address == 0) continue;
    const Address line = address & ~Address{line_bytes - 1};
    const auto sector = static_cast<std::size_t>((address - line) / sector_bytes);
    for (int i = 0; i < lines.count; ++i) {
      const LineAccess& access = lines.lines[static_cast<std::size_t>(i)];
      if (access.line != line || (access.sectors >> sector & 1U) == 0) continue;
      AtomicLanes& lanes = out[static_cast<std::size_t>(i)];
      lanes.all[sector] = static_cast<std::uint8_t>(lanes.all[sector] + words);
      lanes.same[sector] = static_cast<std::uint8_t>(std::max<unsigned>(lanes.same[sector], same));
      break;
    }
  }
}

SharedPasses shared_passes(const WarpInstruction& instruction, const CtaTrace& cta) {
  if (instruction.active_mask == 0 || instruction.address_kind == AddressKind::none || instruction.width == 0)
    return {};
  if (instruction.address_kind == AddressKind::stride && instruction.stride % 4 == 0 &&
      (instruction.address & 3) + instruction.width <= 4)
    return {strided_conflict_degree(static_cast<unsigned>(instruction.active_lanes()), instruction.stride),
            1};

  std::array<Address, 32> addresses;
  const int lanes = lane_addresses(instruction, cta, addresses);
  constexpr std::size_t max_words = 32 * 5;  // 16 B from an odd address touch five words
  std::array<Address, max_words> words;
  std::array<std::int16_t, max_words> next;
  std::array<std::int16_t, 32> head;
  std::array<std::int16_t, 32> length{};
  head.fill(-1);
  std::int16_t used = 0;
  int degree = 0;
  for (int i = 0; i < lanes; ++i) {
    const Address first = addresses[static_cast<std::size_t>(i)];
    const Address last = last_byte(first, instruction.width);
    for (Address word = first / 4; word <= last / 4; ++word) {
      const std::size_t bank = word % 32;
      std::int16_t seen = head[bank];
      while (seen >= 0 && words[static_cast<std::size_t>(seen)] != word)
        seen = next[static_cast<std::size_t>(seen)];
      if (seen >= 0) continue;
      words[static_cast<std::size_t>(used)] = word;
      next[static_cast<std::size_t>(used)] = head[bank];
      head[bank] = used++;
      if (++length[bank] > degree) degree = length[bank];
    }
  }
  return {degree, (used + 31) / 32};
}

}  // namespace strata
