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
      if (stretch->repeats != 0)
        add_times(*stretch, cta.addresses, flags);
      else if (is_known(*stretch))
        add_known(*stretch, cta.addresses, flags);
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

/// Its instructions followed each other when they were looked at, and nothing was learnt since that says otherwise, nor
/// will be when it begins.
inline bool ColumnEncoder::is_known(const Stretch& stretch) const {
  if (!stretch.as_known || stretch.pattern->id >= chains_.size()) return false;
  const Chain& chain = chains_[stretch.pattern->id];
  return chain.looked_at == predictor_.chains_changed() && predictor_.may_begin(chain.codes.front());
}

[[gnu::always_inline]] inline void ColumnEncoder::add_known(const Stretch& stretch, const Address* addresses,
                                                            char* flags) {
  const Chain& chain = chains_[stretch.pattern->id];
  if (predictor_.code() != chain.codes.front()) {
    flags[0] = new_code;
    put_varint(columns_.codes, chain.codes.front());
    predictor_.learn_code(chain.codes.front());
  }
  if (predictor_.mask() != stretch.mask) {
    flags[0] |= static_cast<char>(new_mask);
    add_mask(stretch.mask);
  }
  follow(stretch, chain, addresses, flags);
}

/// What comes the first time in this block, or in another order.
void ColumnEncoder::add(const Stretch& stretch, const Address* addresses, char* flags) {
  const Pattern& pattern = *stretch.pattern;
  if (pattern.id >= chains_.size()) chains_.resize(pattern.id + std::size_t{1});
  Chain& chain = chains_[pattern.id];
  const bool worth_it = pattern.id != 0 && stretch.as_known && !pattern.own_masks;
  if (worth_it && predictor_.is_chain(chain.codes.data(), chain.codes.size()) &&
      predictor_.may_begin(chain.codes.front())) {
    chain.looked_at = predictor_.chains_changed();
    if (predictor_.known() >= last_.size()) last_.resize(predictor_.known() + std::size_t{1});
    return add_known(stretch, addresses, flags);
  }
  const bool learn = worth_it && chain.codes.empty();
  for (std::size_t n = 0; n < pattern.records.size(); ++n) {
    add(stretch, n, n + 1, addresses, flags);
    if (learn) chain.codes.push_back(predictor_.present());
  }
  for (const Pattern::Access& access : pattern.accesses)
    if (learn) chain.accesses.push_back({access.record, access.cell, chain.codes[access.record], access.listed});
}

/// Codes and masks are as expected.
[[gnu::always_inline]] inline void ColumnEncoder::follow(const Stretch& stretch, const Chain& chain,
                                                         const Address* addresses, char* flags) {
  const Last* lasts = last_.data();
  Seen* const entries = predictor_.entries();
  const PathCell* const cells = stretch.cells;
  const std::uint64_t mask = lanes_of(0, stretch.mask);
  std::uint64_t dense = 0, lines = 0;
  const Chain::Link* const end = chain.accesses.data() + chain.accesses.size();
  for (const Chain::Link* link = chain.accesses.data(); link != end; ++link) {
    const PathCell& cell = cells[link->cell];
    const Last& last = lasts[link->code];
    if (last.lanes != (cell.extra | mask) || link->listed) {
      flags[link->record] |= static_cast<char>(add_other_lanes(stretch, chain, *link, addresses));
      lasts = last_.data();
      continue;
    }
    if (cell.value - 1 < last.most) {
      ++dense;
      lines += AccessCounts::dense_lines(cell.value, last.shape);
    } else {
      count_other(stretch, chain, *link);
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

/// A list, or another stride or other lanes than the last time.
unsigned ColumnEncoder::add_other_lanes(const Stretch& stretch, const Chain& chain, const Chain::Link& link,
                                        const Address* addresses) {
  predictor_.follow(link.code);
  const WarpInstruction access = stretch.instruction(chain.access(link, *stretch.pattern));
  const Last& last = last_[link.code];
  if (last.lanes != lanes_of(static_cast<std::uint32_t>(access.stride), stretch.mask))
    return add_access(access, addresses);
  return add_listed(access, addresses, last.shape);
}
void ColumnEncoder::count_other(const Stretch& stretch, const Chain& chain, const Chain::Link& link) {
  counts_.add(stretch.instruction(chain.access(link, *stretch.pattern)), nullptr, last_[link.code].shape);
}

/// One time after the other, until all the others are as expected.
void ColumnEncoder::add_times(const Stretch& stretch, const Address* addresses, char* flags) {
  constexpr std::uint32_t first_look = 1, last_look = 4;
  const std::size_t count = stretch.pattern->records.size();
  for (std::uint32_t time = 0; time <= stretch.repeats; ++time, flags += count) {
    const Stretch one = stretch.at(time);
    if (is_known(one))
      add_known(one, addresses, flags);
    else
      add(one, addresses, flags);
    if (time < first_look || time > last_look || time == stretch.repeats) continue;
    const Chain& chain = chains_[stretch.pattern->id];
    if (goes_on(one, chain)) return leap(one, stretch.repeats - time, chain);
  }
}

/// Whether nothing of the times after this one surprises.
bool ColumnEncoder::goes_on(const Stretch& stretch, const Chain& chain) {
  if (!is_known(stretch) || predictor_.code() != chain.codes[0] || predictor_.mask() != stretch.mask)
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
