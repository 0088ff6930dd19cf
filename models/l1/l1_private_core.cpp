#include "models/l1/l1_private_core.h"

namespace strata {

L1PrivateCore::L1PrivateCore(const L1PrivateParams& params)
    : params_(params),
      line_bits_(__builtin_ctzll(params.line)),
      index_(params.sets(), params.set_index),
      tags_(params.sets(), params.ways),
      mshrs_(params.mshrs, params.merges) {}

L1Decision L1PrivateCore::begin_past(Access& access) {
  const std::uint64_t number = access.line >> line_bits_;
  const L1Decision decision = forward(access);
  if (decision.outcome == L1Outcome::stall) return decision;
  const bool store = access.access_class == AccessClass::store;
  const bool writes = store || access.access_class == AccessClass::atomic;
  const std::uint32_t set = index_(number);
  const int position = tags_.find(set, entry(number));
  if (position != TagArray::absent) {
    if (store) ++stats_.write_hits;
    if (store && params_.write == L1PrivateParams::Write::through) {
      tags_.hit(set, position);
    } else {
      tags_.invalidate(set, position);
      ++stats_.write_evictions;
    }
  }
  const int pending = writes ? mshrs_.find(number) : MshrFile::none;
  if (pending != MshrFile::none) mshrs_.close(pending);
  return decision;
}

L1Decision L1PrivateCore::forward(const Access& access) {
  if (queued_ >= params_.miss_queue) return {L1Outcome::stall, L1Stall::miss_queue};
  ++queued_;
  ++stats_.requests;
  ++stats_.requests_to_llc;
  if (access.access_class == AccessClass::store) {
    ++stats_.stores;
  } else if (access.access_class == AccessClass::atomic) {
    ++stats_.atomics;
  } else {
    ++stats_.accesses;
    ++stats_.bypasses;
  }
  return {L1Outcome::forward};
}

void L1PrivateCore::flush() {
  ++stats_.flushes;
  stats_.flushed_lines += valid_lines();
  tags_.invalidate_all();
}

void L1PrivateCore::count_stall(L1Stall reason, Cycle cycles) {
  stats_.stall_cycles += cycles;
  if (reason == L1Stall::mshr_full) ++stats_.mshr_full_stalls;
  if (reason == L1Stall::merge_limit) ++stats_.merge_limit_stalls;
  if (reason == L1Stall::miss_queue) ++stats_.miss_queue_stalls;
}

bool L1PrivateCore::contains(Address line) const {
  const std::uint64_t number = line >> line_bits_;
  return tags_.find(index_(number), entry(number)) != TagArray::absent;
}

}  // namespace strata
