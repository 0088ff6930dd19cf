// Columns of what was executed in patterns: of what came so before, in the same order, the addresses are all
// that has to be looked at.
#include <algorithm>
#include <array>
#include <cstring>

#include "traces/record/column_encoder.h"
#include "traces/record/columns.h"
#include "traces/record/record_format.h"

namespace strata::traces::record {

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

/// One after the other.
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

/// One after the other, and which codes they are.
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

/// Another code than the one that is expected behind the present one.
void ColumnEncoder::add_code(std::uint32_t code, char& flags) {
  flags |= static_cast<char>(new_code);
  put_varint(columns_.codes, code);
  predictor_.learn_code(code);
}

/// What has come before. Inlined by hand, as all that is called for each access.
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

/// The entry's last access, but of other lanes; false where more differs, or strides are not remembered.
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

/// One time after the other, until all the others are as expected.
void ColumnEncoder::add_times(const Stretch& stretch, const Address* addresses, char* flags) {
  constexpr std::uint32_t first_look = 1, last_look = 4;
  const std::size_t count = stretch.pattern->records.size();
  for (std::uint32_t time = 0; time <= stretch.repeats; ++time, flags += count) {
    const Stretch one = stretch.at(time);
    add(one, addresses, flags);
    if (time < first_look || time > last_look || time == stretch.repeats) continue;
    const Chain& chain = chains_[stretch.pattern->id];  // it was learnt the first time
    if (goes_on(one, chain)) return skip(one, stretch.repeats - time, chain);
  }
}

/// Whether nothing of the times after this one surprises.
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

/// `times` more than this one.
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
