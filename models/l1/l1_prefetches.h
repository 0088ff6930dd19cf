#pragma once

#include <memory>

#include "models/l1/cache_design.h"
#include "models/l1/fills_in_flight.h"
#include "models/prefetch/own_prefetches.h"

namespace strata {

/// The prefetches of an L1.
class L1Prefetches final : public OwnPrefetches {
 public:
  /// Null: there is no prefetcher.
  static std::unique_ptr<L1Prefetches> make(CacheDesign& design, const FillsInFlight& fills, Bytes line,
                                            const LedgerPlaces& places) {
    if (!design.params().prefetches()) return nullptr;
    return std::make_unique<L1Prefetches>(design, fills, line, places);
  }
  L1Prefetches(CacheDesign& design, const FillsInFlight& fills, Bytes line, const LedgerPlaces& places)
      : OwnPrefetches(design.params(), design.stats().prefetch, places),
        design_(design),
        fills_(fills),
        line_bytes_(line.count) {}

  void expect(const Access& access) { unit().expect(access.line); }
  /// A lookup that did not stall. What goes past the cache or to its texture cache is not of interest.
  void decided(const Access& access, L1Outcome outcome, bool textures) {
    if (carries_request_data(access.access_class) || outcome == L1Outcome::forward ||
        (textures && takes_texture_path(access)))
      return;
    const auto found = outcome == L1Outcome::hit           ? PrefetchOutcome::hit
                       : outcome == L1Outcome::miss_merged ? PrefetchOutcome::merge
                                                           : PrefetchOutcome::miss;
    unit().observe(access, access.line, access.sectors, found, true);
  }

  /// The next prefetch meets the cache. With a `miss_new` the design has it, which the pipeline gets. A stall
  /// leaves it the next; otherwise it is over.
  Txn* lookup(Cycle now, Cycle ledger, L1Decision& decision) {
    decision = {L1Outcome::hit};
    Txn* const txn = OwnPrefetches::make(ledger);
    if (txn == nullptr) return nullptr;
    const Displaced displaced(*this, txn->access().line);
    decision = design_.lookup(txn->access(), now, true);
    switch (decision.outcome) {
      case L1Outcome::miss_new:
        unit().issued(decision.sectors);
        return txn;
      case L1Outcome::miss_merged:
        unit().joined();
        return nullptr;
      default:
        if (decision.outcome != L1Outcome::stall) unit().drop();
        txn->release();
        return nullptr;
    }
  }
  /// The reply of a fetch is here, of a prefetch perhaps: what the design gives back.
  AccessFifo fill(int fetch, const Txn& reply) {
    if (!is_own_prefetch(*reply.cause())) return design_.fill(fetch);
    const Displaced displaced(*this, reply.cause()->line);
    return design_.fill(fetch);
  }

 private:
  bool holds_some(Address line, std::uint8_t sectors) const override {
    for (unsigned left = sectors; left != 0; left &= left - 1)
      if (design_.contains_some(line, static_cast<std::uint8_t>(left & -left))) return true;
    return false;
  }
  bool has_or_fetches(Address line, std::uint8_t sectors) const override {
    return design_.contains(line, sectors) || fills_.has(line);
  }
  std::uint64_t number_of(Address line) const override { return line / line_bytes_; }
  bool line_of(std::uint64_t number, Address, Address& line) const override {
    line = number * line_bytes_;
    return number < (Address{1} << address_bits) / line_bytes_;
  }
  Address victim(Address line) const override { return design_.victim(line); }
  std::uint64_t evictions() const override { return design_.stats().evictions; }

  CacheDesign& design_;
  const FillsInFlight& fills_;
  const std::uint64_t line_bytes_;
};

}  // namespace strata
