#pragma once

#include <memory>
#include <vector>

#include "models/tlm/txn.h"

namespace strata {

/// Pooled allocator of one creating module. Counts leaks.
class TxnPool final : public tlm::tlm_mm_interface {
 public:
  /// `places`: those that ledgers have; without them, all that there can be.
  explicit TxnPool(const LedgerPlaces* places = nullptr);
  ~TxnPool() override;
  TxnPool(const TxnPool&) = delete;
  TxnPool& operator=(const TxnPool&) = delete;

  /// A fresh transaction: its hop state is cleared and its ledger opened at `ledger_now`. Identity fields
  /// (sm, warp, ...) are the caller's.
  Txn& make(AccessClass access_class, Address line, std::uint8_t sectors, Cycle ledger_now);

  std::size_t in_use() const { return made_ - free_count_; }
  std::size_t capacity() const { return made_; }

 private:
  void free(tlm::tlm_generic_payload* payload) override {
    Access& access = static_cast<Txn*>(payload)->access();
    access.next = free_list_;
    free_list_ = &access;
    ++free_count_;
  }
  void grow();
  struct Piece;
  const LedgerPlaces* places_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::size_t made_ = 0;
  Access* free_list_ = nullptr;
  std::size_t free_count_ = 0;
};

inline Txn& TxnPool::make(AccessClass access_class, Address line, std::uint8_t sectors, Cycle ledger_now) {
  if (free_list_ == nullptr) grow();
  Access& access = *free_list_;
  free_list_ = access.next;
  --free_count_;
  Txn& txn = Txn::of(access);

  access.line = line;
  access.access_class = access_class;
  access.sectors = sectors;
  access.spare_words = 0;
  access.parts = 0;
  if (access_class == AccessClass::atomic) [[unlikely]] {
    access.reduces = false;
    access.lanes = {};
  }
  access.birth = ledger_now;
  access.ledger.open(ledger_now);
  access.next = nullptr;
  access.slice = no_slice;
  access.flits = 1;
  access.depth = 0;
  access.failed = 0;

  txn.cause() = nullptr;
  txn.write_attributes();
  return txn;
}

}  // namespace strata
