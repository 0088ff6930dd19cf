#include <new>

#include "models/tlm/txn_pool.h"

namespace strata {
tlm::tlm_extension_base* MemAttr::clone() const {
  auto* copy = new MemAttr;
  copy->copy_from(*this);
  return copy;
}

void MemAttr::copy_from(const tlm::tlm_extension_base& other) {
  static_cast<Access&>(*this) = static_cast<const MemAttr&>(other);
  next = nullptr;
}

void MemAttr::free() {
  if (txn_ == nullptr) delete this;  // one embedded in a Txn goes with it
}

Txn::Txn(TxnPool& pool) : tlm_generic_payload(&pool), attr_(this) {
  set_extension(&attr_);
  set_data_ptr(data_);
}

Txn::~Txn() {
  clear_extension(&attr_);
}

unsigned char* Txn::enables() {
  if (enables_ == nullptr) enables_ = std::make_unique<unsigned char[]>(most_bytes);
  return enables_.get();
}

/// Room for transactions, which are made in it one by one: most of the cost of a single one is its
/// allocation.
struct TxnPool::Piece {
  static constexpr std::size_t size = 32;
  alignas(Txn) unsigned char room[size][sizeof(Txn)];
  Txn& txn(std::size_t place) { return *std::launder(reinterpret_cast<Txn*>(room[place])); }
};

TxnPool::TxnPool(const LedgerPlaces* places) : places_(places) {}

TxnPool::~TxnPool() {
  for (std::size_t i = 0; i < made_; ++i) pieces_[i / Piece::size]->txn(i % Piece::size).~Txn();
}

void TxnPool::grow() {
  if (made_ == pieces_.size() * Piece::size) pieces_.emplace_back(new Piece);  // make_unique would clear it
  free_list_ = &(new (pieces_.back()->room[made_ % Piece::size]) Txn(*this))->attr_;
  if (places_ == nullptr || places_->size() > usual_places) free_list_->ledger.widen();
  ++made_;
  ++free_count_;
}

void TxnPool::free(tlm::tlm_generic_payload* payload) {
  Access& access = static_cast<Txn*>(payload)->attr_;
  access.next = free_list_;
  free_list_ = &access;
  ++free_count_;
}

}  // namespace strata
