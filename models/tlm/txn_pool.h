#pragma once

#include <memory>
#include <vector>

#include "models/tlm/txn.h"

namespace strata {

/// Pooled allocator of one creating module. Counts leaks.
class TxnPool final : public tlm::tlm_mm_interface {
 public:
  /// `places`: those that ledgers have; without them, all that there can be. `late_attributes`: payloads get
  /// their attributes when they leave Strata's blocks (Txn::show), which saves 4 % of the time of a run.
  explicit TxnPool(const LedgerPlaces* places = nullptr, bool late_attributes = false);
  ~TxnPool() override;
  TxnPool(const TxnPool&) = delete;
  TxnPool& operator=(const TxnPool&) = delete;

  /// A fresh transaction: its hop state is cleared and its ledger opened at `ledger_now`. Identity fields
  /// (sm, warp, ...) are the caller's.
  Txn& make(AccessClass access_class, Address line, std::uint8_t sectors, Cycle ledger_now);

  /// Its creator is done with it. References count only where it was shown to other modules.
  void release(Txn& txn) { txn.access().shown ? txn.release() : put_back(txn.access()); }

  std::size_t in_use() const { return made_ - free_count_; }
  std::size_t capacity() const { return made_; }

 private:
  void free(tlm::tlm_generic_payload* payload) override {
    payload->acquire();
    put_back(static_cast<Txn*>(payload)->access());
  }
  /// Free transactions keep the one reference that their next user gets.
  void put_back(Access& access) {
    access.next = free_list_;
    free_list_ = &access;
    ++free_count_;
  }
  void grow();
  struct Piece;
  const LedgerPlaces* places_;
  bool late_attributes_;
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
  access.shown = late_attributes_ ? 0 : 1;

  txn.cause() = nullptr;
  if (!late_attributes_) txn.write_attributes();
  return txn;
}

}  // namespace strata
