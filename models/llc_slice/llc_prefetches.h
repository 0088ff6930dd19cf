#pragma once

#include <memory>

#include "models/common/address_map.h"
#include "models/llc_slice/llc_slice_core.h"
#include "models/prefetch/own_prefetches.h"

namespace strata {

/// The prefetches of an LLC slice. The prefetcher sees lines by their number among those of a slice, so that
/// what follows a line is in the same slice.
class LlcPrefetches final : public OwnPrefetches {
 public:
  /// Null: there is no prefetcher.
  static std::unique_ptr<LlcPrefetches> make(LlcSliceCore& core, const AddressMap& map,
                                             const LedgerPlaces& places) {
    return core.params().prefetches() ? std::make_unique<LlcPrefetches>(core, map, places) : nullptr;
  }
  LlcPrefetches(LlcSliceCore& core, const AddressMap& map, const LedgerPlaces& places)
      : OwnPrefetches(core.params(), core.stats().prefetch, places), core_(core), map_(map) {}

  void expect(const Access& request) { unit().expect(core_.line_of(request.line)); }
  /// A decision that is no stall. Stores and atomics use prefetched lines, and do not train the prefetcher.
  void decided(const Access& request, LlcOutcome outcome) {
    const auto found = outcome == LlcOutcome::miss_new      ? PrefetchOutcome::miss
                       : outcome == LlcOutcome::miss_merged ? PrefetchOutcome::merge
                                                            : PrefetchOutcome::hit;
    unit().observe(request, core_.line_of(request.line), core_.asked_by(request), found,
                   !carries_request_data(request.access_class));
  }

  /// The next prefetch meets the tags. With a `miss_new` it waits in an MSHR, and the slice gets it to fetch
  /// for. A stall leaves it the next; otherwise it is over.
  Txn* lookup(Cycle ledger, LlcDecision& decision) {
    decision = {LlcOutcome::hit};
    Txn* const txn = OwnPrefetches::make(ledger);
    if (txn == nullptr) return nullptr;
    const Displaced displaced(*this, txn->access().line);
    decision = core_.begin_prefetch(txn->access());
    if (decision.outcome == LlcOutcome::stall) {
      txn->release();
      return nullptr;
    }
    unit().issued(decision.sectors);
    return txn;
  }
  /// Some sectors of a line have come, for a prefetch perhaps.
  LlcFilled fill(int mshr, std::uint8_t sectors, const Txn& line) {
    if (!is_own_prefetch(*line.cause())) return core_.fill(mshr, sectors);
    const Displaced displaced(*this, line.cause()->line);
    return core_.fill(mshr, sectors);
  }

 private:
  bool holds_some(Address line, std::uint8_t sectors) const override {
    for (unsigned left = sectors; left != 0; left &= left - 1)
      if (core_.contains(line, static_cast<std::uint8_t>(left & -left))) return true;
    return false;
  }
  bool has_or_fetches(Address line, std::uint8_t sectors) const override {
    return core_.contains(line, sectors) ||
           core_.mshrs().find(line / core_.params().line.count) != MshrFile::none;
  }
  std::uint64_t number_of(Address line) const override { return map_.line_of_slice(line).number; }
  // The partitions whose numbers differ in channel and slice only lie together, in whatever order.
  bool line_of(std::uint64_t number, Address like, Address& line) const override {
    const Location home = map_.locate(like);
    const std::uint64_t together =
        static_cast<std::uint64_t>(map_.channels()) * static_cast<std::uint64_t>(map_.slices_per_channel());
    const std::uint64_t lines = map_.lines_per_partition(), bytes = map_.params().partition;
    const std::uint64_t first = number / lines * together;
    if (number / lines > (Address{1} << address_bits) / bytes / together) return false;
    for (std::uint64_t partition = first; partition < first + together; ++partition) {
      line = partition * bytes + number % lines * map_.line_bytes();
      const Location there = map_.locate(line);
      if (there.channel == home.channel && there.slice == home.slice) return number_of(line) == number;
    }
    return false;
  }
  Address victim(Address line) const override { return core_.victim(line); }
  std::uint64_t evictions() const override { return core_.stats().evictions; }

  LlcSliceCore& core_;
  const AddressMap& map_;
};

}  // namespace strata
