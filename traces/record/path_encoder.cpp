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
    for (std::size_t n = warp.begin; n < warp.end; ++n) {
      const Stretch& stretch = cta.stretches[n];
      if (stretch.pattern->records.empty()) continue;
      add(stretch, cta.addresses, flags);
      flags += stretch.pattern->records.size();
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

void ColumnEncoder::add(const Stretch& stretch, const Address* addresses, char* flags) {
  const Pattern& pattern = *stretch.pattern;
  const std::size_t count = pattern.records.size();
  if (pattern.id == 0 || pattern.own_masks) return add(stretch, 0, count, addresses, flags);
  if (pattern.id >= chains_.size()) chains_.resize(pattern.id + std::size_t{1});
  Chain& chain = chains_[pattern.id];
  if (chain.codes.empty()) return learn(stretch, chain, addresses, flags);
  std::size_t done = 0;
  if (predictor_.code() != chain.codes[0] || predictor_.mask() != stretch.mask) {
    add(stretch, 0, 1, addresses, flags);
    done = 1;
  }
  if ((done == 0 || predictor_.present() == chain.codes[0]) && is_known(chain))
    done = follow(stretch, done, chain, addresses, flags);
  if (done < count) add(stretch, done, count, addresses, flags);
}

/// One after the other, and which codes they are.
void ColumnEncoder::learn(const Stretch& stretch, Chain& chain, const Address* addresses, char* flags) {
  const Pattern& pattern = *stretch.pattern;
  for (std::size_t n = 0; n < pattern.records.size(); ++n) {
    add(stretch, n, n + 1, addresses, flags);
    chain.codes.push_back(predictor_.present());
  }
  for (const Pattern::Access& access : pattern.accesses)
    if (access.listed != stretch.listed(access)) chain.codes.clear();
}

inline bool ColumnEncoder::is_known(Chain& chain) {
  if (chain.looked_at == predictor_.chains_changed()) return true;
  if (!predictor_.is_chain(chain.codes.data(), chain.codes.size())) return false;
  chain.looked_at = predictor_.chains_changed();
  return true;
}

/// From `first` on, with the mask that is expected; gives where that is not so any more.
std::size_t ColumnEncoder::follow(const Stretch& stretch, std::size_t first, const Chain& chain,
                                  const Address* addresses, char* flags) {
  const std::uint32_t* const codes = chain.codes.data();
  const Last* lasts = last_.data();
  Seen* const entries = predictor_.entries();
  std::uint64_t dense = 0, lines = 0;
  const auto count = [&] {
    counts_.accesses += dense;
    counts_.lines += lines;
  };
  for (const Pattern::Access& access : stretch.pattern->accesses) {
    const std::uint32_t record = access.record;
    if (record < first) continue;
    const PathCell& cell = stretch.cells[access.cell];
    const std::uint32_t code = codes[record];
    const Last& last = lasts[code];
    if (access.listed != stretch.listed(access)) {
      if (record > 0) predictor_.follow(codes[record - 1]);
      count();
      return record;
    }
    if (last.mask != stretch.mask || (!access.listed && last.stride != static_cast<std::int32_t>(cell.extra))) {
      if (record > 0) predictor_.follow(codes[record - 1]);
      flags[record] = static_cast<char>(add_unlike(stretch.instruction(access), addresses));
      lasts = last_.data();
      continue;
    }
    predictor_.follow(code);
    if (access.listed) {
      flags[record] = static_cast<char>(add_listed(stretch.instruction(access), addresses, last.shape));
      continue;
    }
    if (cell.value - 1 < last.most) {
      ++dense;
      lines += AccessCounts::dense_lines(cell.value, last.shape);
    } else {
      counts_.add(stretch.instruction(access), addresses, last.shape);
    }
    const Address address = cell.value - last.offset;
    if (!predictor_.follow_address(entries[code], address))
      flags[record] = static_cast<char>(add_other_address(address));
  }
  count();
  predictor_.follow(codes[chain.codes.size() - 1]);
  return chain.codes.size();
}

}  // namespace strata::traces::record
