// Columns of what was executed in patterns: of what came so before, in the same order, the addresses are all that
// has to be looked at.
#include "traces/record/block_columns.h"
#include "traces/record/column_encoder.h"
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
      if (stretch->repeats == 0)
        add(*stretch, cta.addresses, flags);
      else
        add_times(*stretch, cta.addresses, flags);
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
  if (pattern.id >= chains_.size()) chains_.resize(pattern.id + std::size_t{1});
  Chain& chain = chains_[pattern.id];
  if (chain.codes.empty()) {
    if (pattern.id != 0 && stretch.as_known && !pattern.own_masks) return learn(stretch, chain, addresses, flags);
    return add(stretch, 0, pattern.records.size(), addresses, flags);
  }
  if (!stretch.as_known) return add(stretch, 0, pattern.records.size(), addresses, flags);
  enter(chain.codes[0], stretch.mask, flags);
  if (is_known(chain)) return follow(stretch, chain, addresses, flags);
  if (!chain.accesses.empty() && chain.accesses[0].record == 0)
    flags[0] |= static_cast<char>(add_access(stretch.instruction(pattern.accesses[0]), addresses));
  add(stretch, 1, pattern.records.size(), addresses, flags);
}

/// The next instruction is of this code and has this mask.
inline void ColumnEncoder::enter(std::uint32_t code, std::uint32_t mask, char* flags) {
  if (predictor_.code() != code) {
    flags[0] |= static_cast<char>(new_code);
    put_varint(columns_.codes, code);
  }
  predictor_.learn_code(code);
  if (code + std::size_t{1} >= last_.size()) last_.resize(code + std::size_t{2});
  if (predictor_.mask() != mask) {
    flags[0] |= static_cast<char>(new_mask);
    add_mask(mask);
  }
}

/// One after the other, and which codes they are.
void ColumnEncoder::learn(const Stretch& stretch, Chain& chain, const Address* addresses, char* flags) {
  const Pattern& pattern = *stretch.pattern;
  for (std::size_t n = 0; n < pattern.records.size(); ++n) {
    add(stretch, n, n + 1, addresses, flags);
    chain.codes.push_back(predictor_.present());
  }
  for (const Pattern::Access& access : pattern.accesses)
    chain.accesses.push_back({access.record, access.cell, chain.codes[access.record], access.listed});
}

inline bool ColumnEncoder::is_known(Chain& chain) {
  if (chain.looked_at == predictor_.chains_changed()) return true;
  if (!predictor_.is_chain(chain.codes.data(), chain.codes.size())) return false;
  chain.looked_at = predictor_.chains_changed();
  return true;
}

/// Codes and masks are as expected.
inline void ColumnEncoder::follow(const Stretch& stretch, const Chain& chain, const Address* addresses,
                                  char* flags) {
  const Last* lasts = last_.data();
  Seen* const entries = predictor_.entries();
  const PathCell* const cells = stretch.cells;
  const std::uint32_t mask = stretch.mask;
  std::uint64_t dense = 0, lines = 0;
  const Chain::Link* const begin = chain.accesses.data();
  const Chain::Link* const end = begin + chain.accesses.size();
  for (const Chain::Link* link = begin; link != end; ++link) {
    const PathCell& cell = cells[link->cell];
    const Last& last = lasts[link->code];
    const auto access = [&] { return stretch.instruction(stretch.pattern->accesses[static_cast<std::size_t>(link - begin)]); };
    if (last.lanes != lanes_of(cell.extra, mask)) {
      predictor_.follow(link->code);
      flags[link->record] |= static_cast<char>(add_access(access(), addresses));
      lasts = last_.data();
      continue;
    }
    if (link->listed) {
      predictor_.follow(link->code);
      flags[link->record] |= static_cast<char>(add_listed(access(), addresses, last.shape));
      continue;
    }
    if (cell.value - 1 < last.most) {
      ++dense;
      lines += AccessCounts::dense_lines(cell.value, last.shape);
    } else {
      counts_.add(access(), addresses, last.shape);
    }
    const Address address = cell.value - last.offset;
    if (predictor_.follow_address(entries[link->code], address)) continue;
    predictor_.follow(link->code);
    flags[link->record] |= static_cast<char>(add_other_address(address));
  }
  counts_.accesses += dense;
  counts_.lines += lines;
  predictor_.follow(chain.codes.back());
}

/// One time after the other, until all the others are as expected.
void ColumnEncoder::add_times(const Stretch& stretch, const Address* addresses, char* flags) {
  constexpr std::uint32_t first_look = 1, last_look = 4;
  const std::size_t count = stretch.pattern->records.size();
  for (std::uint32_t time = 0; time <= stretch.repeats; ++time, flags += count) {
    const Stretch one = stretch.at(time);
    add(one, addresses, flags);
    if (time < first_look || time > last_look || time == stretch.repeats) continue;
    const Chain& chain = chains_[stretch.pattern->id];
    if (goes_on(one, chain)) return leap(one, stretch.repeats - time, chain);
  }
}

/// Whether nothing of the times after this one surprises.
bool ColumnEncoder::goes_on(const Stretch& stretch, const Chain& chain) {
  if (chain.codes.empty() || chain.looked_at != predictor_.chains_changed() ||
      predictor_.code() != chain.codes[0] || predictor_.mask() != stretch.mask)
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
void ColumnEncoder::leap(const Stretch& stretch, std::uint32_t times, const Chain& chain) {
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
    predictor_.leap(predictor_.entries()[link.code], address(end, link), step, before);
    before = address(end, link);
  }
}

}  // namespace strata::traces::record
