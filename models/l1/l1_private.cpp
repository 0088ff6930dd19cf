#include "models/l1/l1_private.h"

#include <string>

#include "models/cache/geometry.h"
#include "models/cache/replacement.h"

namespace strata {

void L1PrivateParams::for_each_param(ParamVisitor& v) {
  v.bytes({"size", "bytes", "capacity"}, size, {32, static_cast<std::int64_t>(64 * MiB)});
  v.integer({"ways", "ways", "lines of a set"}, ways, {1, most_ways});
  v.bytes({"line", "bytes", "cache line"}, line, {32, 256, true});
  v.choice(
      {"set_index", "",
       "set of a line: its number modulo the sets, plain, after folding in its higher bits, or after "
       "dividing it by a primitive polynomial over GF(2); or, of 32 or 64 sets, by the hash of Fermi's L1"},
      set_index, set_index_kinds);
  replacement_param(v, replacement);
  v.choice({"write", "",
            "a store that hits drops the line, or keeps it up to date; both write through to the LLC"},
           write, {{Write::evict, "evict"}, {Write::through, "through"}});
  v.flag({"perfect", "", "every load hits, as if the cache held all of memory: a bound for studies"},
         perfect);
  L1Params::for_each_param(v);
  v.integer({"mshrs", "registers", "lines that can be fetched at the same time"}, mshrs, {1, 4096});
  v.integer({"merges", "accesses", "accesses that can wait for one line, the first miss included"}, merges,
            {1, 4096});
  v.text({"carve_out", "KiB",
          "of which the shared memory of a kernel's CTAs takes the smallest that they fit into, e.g. `0 8 16 "
          "32 64 "
          "96`; empty: none"},
         carve_out);
}

Faults L1PrivateParams::validate() const {
  Faults faults = check_geometry(size, ways, line, set_index);
  append_bank_faults(faults, line);
  append_texture_faults(faults, line);
  if (std::string fault = L1CarveOut::fault(carve_out, size, ways); faults.empty() && !fault.empty())
    faults.push_back(param_fault("carve_out", std::move(fault)));
  return faults;
}

void for_each_stat_of_private(const L1Stats& stats, StatVisitor& v) {
  stats.L1Stats::for_each_stat(v);
  v.law("fills" + std::string(stats.allocations_too()) + " >= evictions + dropped_fills");
}

void L1PrivateStats::for_each_stat(StatVisitor& v) const {
  for_each_stat_of_private(*this, v);
}

L1Private::L1Private(const L1PrivateParams& params, std::uint64_t seed)
    : CacheDesignOf(params, params.mshrs),
      index_(params.sets(), params.set_index, params.shared),
      line_bits_(static_cast<std::uint8_t>(__builtin_ctzll(params.line))),
      line_sectors_(static_cast<std::uint8_t>((1U << (params.line / sector_bytes)) - 1)),
      perfect_(params.perfect),
      tags_(params.sets(), params.ways, params.replacement, seed),
      mshrs_(params.mshrs, params.merges),
      carve_out_(params.carve_out, params.size, params.ways) {}

StorageFields L1Private::storage(const L1PrivateParams& params) {
  const std::uint64_t lines = params.sets() * static_cast<std::uint64_t>(params.ways);
  const auto mshrs = static_cast<std::uint64_t>(params.mshrs);
  const std::uint64_t number = params.number_bits(params.line), set = bits_for(params.sets() + 1) - 1;
  const std::uint64_t warp = 6, load = 5, sectors = params.line / sector_bytes;
  StorageFields fields = {
      {"data", lines, params.line * 8},
      {"tag", lines, number - set},
      {"valid", lines, 1},
      {"replacement", params.sets(), replacement_policies().at(params.replacement).bits(params.ways)},
      {"MSHR: line, in use, stale", mshrs, number + 2},
      {"MSHR: warp, load and sectors of a waiter", mshrs * static_cast<std::uint64_t>(params.merges),
       warp + load + sectors}};
  if (params.local == L1Params::Local::write_back)
    fields.push_back({"local memory: valid and dirty sectors", lines, 2 * sectors});
  return fields;
}

L1Decision L1Private::lookup(Access& access, Cycle, bool room) {
  if (carries_request_data(access.access_class) || access.bypass_l1) return begin_bypass(access, room);
  const std::uint64_t number = access.line >> line_bits_;
  const std::uint32_t set = index_(number);
  const int position = tags_.find(set, entry(number));
  if (position == TagArray::absent)
    return perfect_ ? L1Decision{L1Outcome::hit} : miss(access, number, set, room);
  tags_.hit(set, position, &access);
  return {L1Outcome::hit};
}

bool L1Private::hit(Address line, std::uint8_t) {
  if (!tags_.is_lru()) return false;  // the policy sees the access
  const std::uint64_t number = line >> line_bits_;
  const std::uint32_t set = index_(number);
  const int position = tags_.find(set, entry(number));
  if (position == TagArray::absent) return perfect_;
  tags_.hit(set, position);
  return true;
}

inline L1Decision L1Private::miss(Access& access, std::uint64_t number, std::uint32_t set, bool room) {
  const int pending = mshrs_.find(number);
  if (pending != MshrFile::none) {
    if (!mshrs_.can_merge(pending)) return {L1Outcome::stall, L1Stall::merge_limit};
    mshrs_.merge(pending, access);
    return {L1Outcome::miss_merged, L1Stall::none, 0, static_cast<std::int16_t>(pending)};
  }
  if (mshrs_.has_stale(number)) {
    // The fetch under way may bring data from before a store of this very warp.
    if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
    ++stats_.ordering_bypasses;
    return {L1Outcome::forward};
  }
  if (mshrs_.full()) return {L1Outcome::stall, L1Stall::mshr_full};
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  const int fetch = mshrs_.allocate(number, access, set);
  return {L1Outcome::miss_new, L1Stall::none, line_sectors_, static_cast<std::int16_t>(fetch)};
}

AccessFifo L1Private::fill(int fetch) {
  if (mshrs_.closed(fetch)) {
    ++stats_.dropped_fills;
  } else if (tags_.insert(mshrs_.set(fetch), entry(mshrs_.number(fetch)), &mshrs_.waiters(fetch).front())
                 .valid()) {
    ++stats_.evictions;
  }
  return mshrs_.release(fetch);
}

inline L1Decision L1Private::begin_bypass(const Access& access, bool room) {
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  const std::uint64_t number = access.line >> line_bits_;
  const bool store = access.access_class == AccessClass::store;
  const bool writes = store || access.access_class == AccessClass::atomic;
  const std::uint32_t set = index_(number);
  const int position = tags_.find(set, entry(number));
  if (position != TagArray::absent) {
    if (store) ++stats_.write_hits;
    if (store && params_.write == L1PrivateParams::Write::through) {
      tags_.hit(set, position, &access);
    } else {
      tags_.invalidate(set, position);
      ++stats_.write_evictions;
    }
  }
  const int pending = writes ? mshrs_.find(number) : MshrFile::none;
  if (pending != MshrFile::none) mshrs_.close(pending);
  return {L1Outcome::forward};
}

Address L1Private::victim(Address line) const {
  const std::uint64_t number = line >> line_bits_;
  const std::uint32_t set = index_(number);
  if (tags_.find(set, entry(number)) != TagArray::absent) return no_line;
  const TagEntry& leaves = tags_.entry(set, tags_.victim(set));
  return leaves.valid() ? leaves.number() << line_bits_ : no_line;
}

void L1Private::share(std::uint64_t shared_bytes) {
  const int ways = carve_out_.ways_beside(shared_bytes);
  if (first_ways(ways) == tags_.usable()) return;
  flush();
  tags_.limit(ways);
}

void L1Private::flush() {
  stats_.flushed_lines += valid_lines();
  tags_.invalidate_all();
  mshrs_.make_all_stale();
}

bool L1Private::contains(Address line, std::uint8_t) const {
  if (params_.perfect) return true;
  const std::uint64_t number = line >> line_bits_;
  return tags_.find(index_(number), entry(number)) != TagArray::absent;
}

}  // namespace strata
